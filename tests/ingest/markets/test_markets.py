"""Price lists, carbon lists, transfer prices and availability of spot nodes: what each row becomes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from schedplan.errors import InputError
from schedplan.ingest.ingest import ingest
from schedplan.ingest.markets.availability import tally
from schedplan.ingest.reader import ReadOptions
from schedplan.ingest.readers import chosen_reader
from schedplan.tables.convert import content
from schedplan.tables.read import TableFile


def read(path: Path, text: str) -> dict[str, TableFile]:
    path.write_text(text)
    return {table.table: table for table in chosen_reader(path).read(path, ReadOptions())}


def rows(table: TableFile) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if value is not None} for row in table.arrow.to_pylist()]


def test_a_catalog_gives_a_pool_per_market(tmp_path):
    header = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,Region,Price,SpotPrice\n"
    lines = "a,30.0,275.0,B300,1.0,R1,6.99,2.5\nb,4,16,,,R1,0.2,\nc,4,16,,,R1,,\n"

    found = read(tmp_path / "vms.csv", header + lines)["nodes"]

    assert [
        ("a@R1", "on_demand", 6.99, 1, "B300"),
        ("a@R1-spot", "spot", 2.5, 1, "B300"),
        ("b@R1", "on_demand", 0.2, 0, None),
    ] == [tuple(row.get(name) for name in ("node", "market", "price_per_hour", "gpus", "accelerator")) for row in rows(found)]
    assert {0} == {row["count"] for row in rows(found)}
    assert (("states no price", 1),) == found.dropped
    assert "USD" == found.currency


def test_the_file_that_a_price_list_asks_for_says_how_many_may_be_had(tmp_path):
    header = "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,Region,Price,SpotPrice\n"
    (tmp_path / "vms.csv").write_text(f"{header}a,30,275,B300,1,R1,6.99,2.5\n")
    asked = ingest((tmp_path / "vms.csv",), tmp_path / "data").files[0].warnings[0]
    (tmp_path / "had.csv").write_text(f"node,max_count\n{asked.rsplit(' ', 1)[1]}\n")

    ingest((tmp_path / "vms.csv", tmp_path / "had.csv"), tmp_path / "both")

    found = pq.read_table(tmp_path / "both" / "nodes.parquet").select(["node", "count", "max_count"]).to_pylist()
    assert [{"node": "a@R1", "count": 0, "max_count": 4}, {"node": "a@R1-spot", "count": 0, "max_count": None}] == found


def test_memory_of_aws_is_mib(tmp_path):
    text = "cloud,region,instance_type,vcpu,memory_mb,gpu_count,arch,on_demand_usd_per_hour\naws,r,p4,96,1179648,8,amd64,32.77\n"

    (row,) = rows(read(tmp_path / "aws.csv", text)["nodes"])

    # 1179648 / 1024 = 1152 GiB
    assert (1152.0, 8, "on_demand") == (row["memory_gib"], row["gpus"], row["market"])


def test_prices_of_single_devices_are_refused(tmp_path):
    with pytest.raises(InputError, match="single devices"):
        read(tmp_path / "a.csv", "cloud,gpu_model,on_demand_usd_per_gpu_hour,preemptible_usd_per_gpu_hour\ngcp,l4,0,0\n")


def product(prices: dict[str, str], reserved: dict[str, object] | None = None) -> dict[str, object]:
    attributes = {"instanceType": "g5", "memory": "1,024 GiB", "vcpu": "4", "gpu": "1", "regionCode": "r", "tenancy": "Shared"}
    on_demand = {"t": {"priceDimensions": {"d": {"unit": "Hrs", "pricePerUnit": prices}}, "termAttributes": {}}}
    return {"product": {"attributes": attributes}, "terms": {"OnDemand": on_demand, "Reserved": reserved or {}}}


def test_reserved_terms_are_offers_and_the_smallest_upfront_fee_is_taken(tmp_path):
    def term(upfront: str, hourly: str) -> dict[str, object]:
        fee = {"unit": "Quantity", "pricePerUnit": {"USD": upfront}}
        hour = {"unit": "Hrs", "pricePerUnit": {"USD": hourly}}
        return {"priceDimensions": {"u": fee, "h": hour}, "termAttributes": {"LeaseContractLength": "3yr"}}

    reserved = {"a": term("700", "0.1"), "b": term("0", "0.2")}
    found = read(tmp_path / "a.json", json.dumps([product({"USD": "1.006"}, reserved)]))

    assert [("g5", 1.006, 1024.0, 1)] == [
        tuple(row[name] for name in ("node", "price_per_hour", "memory_gib", "gpus")) for row in rows(found["nodes"])
    ]
    assert [{"pool": "g5", "term_months": 36.0, "price_per_hour": 0.2, "upfront": 0.0}] == rows(found["offers"])


def test_a_price_in_another_currency_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a price in USD"):
        read(tmp_path / "a.json", json.dumps([product({"CNY": "7.2"})]))


def test_tables_of_pages_give_machine_types_alone(tmp_path):
    table = [
        ["Machine type", "vCPUs", "Memory", "On-demand price (USD)", "Spot price*"],
        ["a2", "12", "85 GB", "$3.67", "$1.10"],
        [],
    ]
    items = [["Item", "Price (USD)"], ["Predefined vCPUs", "$0.02 / vCPU hour"]]
    document = {"A2": {"table": table, "region": "us"}, "E2": {"table": items, "region": "us"}}

    found = read(tmp_path / "a.json", json.dumps(document))["nodes"]

    assert [("a2", 3.67, 85.0, "us"), ("a2-spot", 1.1, 85.0, "us")] == [
        tuple(row[name] for name in ("node", "price_per_hour", "memory_gib", "region")) for row in rows(found)
    ]
    assert [2] == [count for _, count in found.dropped]


def test_a_square_of_regions_gives_links(tmp_path):
    found = read(tmp_path / "m.csv", ",a,b,c\na,0,0.01,0.02\nb,0.01,0,0.02\nc,0.02,0.02,0\n")["links"]

    assert 6 == found.n_rows
    assert {"from_region": "a", "to_region": "c", "price_per_gb": 0.02} in rows(found)
    with pytest.raises(InputError, match=r"row 2, column b.*seen 'x'"):
        read(tmp_path / "m.csv", ",a,b,c\na,0,x,0.02\nb,0.01,0,0.02\nc,0.02,0.02,0\n")


def test_prices_of_power_are_told_as_what_they_are(tmp_path):
    text = "Datetime (UTC),Datetime (Local),Price (USD/MWh)\n2023-01-01 00:00:00+00:00,2023-01-01 01:00:00+01:00,-3.3\n"

    with pytest.raises(InputError, match="1 hourly prices of power in USD/MWh, 1 of them below 0"):
        read(tmp_path / "e.csv", text)


def test_carbon_of_a_region_holds_always_and_that_of_hours_from_its_hour(tmp_path):
    google = read(tmp_path / "g.csv", "Google Cloud Region,Location,Google CFE,Grid carbon intensity (gCO2eq / kWh)\nr,X,,456\n")
    maps = read(
        tmp_path / "h.csv",
        "Datetime (UTC),Zone Id,Carbon Intensity gCO₂eq/kWh (direct),Carbon Intensity gCO₂eq/kWh (LCA),Data Estimated\n"
        "2023-01-01 01:00:00,DE,140.5,185.8,true\n2023-01-01 02:00:00,DE,,,false\n",
    )

    assert [{"region": "r", "g_per_kwh": 456.0}] == rows(google["carbon"])
    assert [("DE", 185.8, 1)] == [(row["region"], row["g_per_kwh"], row["ds"].hour) for row in rows(maps["carbon"])]
    assert (("states no intensity", 1),) == maps["carbon"].dropped
    assert any("1 of 2 values are estimates" in note for note in maps["carbon"].notes)


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    found = read(tmp_path / "c.csv", "\ufeffprovider,region,impact\ngcp,r,451\n")

    assert [{"region": "r", "g_per_kwh": 451.0}] == rows(found["carbon"])


def test_a_country_without_a_name_is_called_after_its_file_and_gaps_are_counted(tmp_path):
    lines = "".join(f"2020-01-01 {clock},100\n" for clock in ("00:00:00", "00:15:00", "00:30:00", "01:00:00"))

    found = read(tmp_path / "germany.csv", "Time,Carbon Intensity\n" + lines)["carbon"]

    assert {"germany"} == {row["region"] for row in rows(found)}
    assert any("1 step is longer" in note for note in found.notes)
    assert any("names no region" in text for text in found.warnings)


def test_nodes_taken_back_per_node_hour():
    # 4 nodes for an hour, then 1 for an hour, then 3: three are taken back in 4 + 1 = 5 node-hours
    found = tally([(0, 4), (3600, 1), (7200, 3)])

    assert (5.0, 3, 4, 0.6) == (found.node_hours, found.taken, found.most, found.rate)
    assert 0.0 == tally([]).rate


def test_traces_of_spot_nodes(tmp_path):
    ticks = json.dumps({"metadata": {"gap_seconds": 1800}, "data": [1, 1, 0, 1, 1]})
    sky = rows(read(tmp_path / "skypilot__x__us-west-2a_k80_8.json", ticks)["nodes"])
    members = rows(read(tmp_path / "m.csv", "0,add,n1\n0,add,n2\n3600000,remove,n1\n7200000,add,n3\n")["nodes"])
    counts = rows(read(tmp_path / "c.txt", "2021-12-11, 11:00:00, 2\n2021-12-11, 12:00:00, 1\n2021-12-11, 13:00:00, 1\n")["nodes"])

    # two half hours and one more up, one node taken back: 1 / 1.5; then 1 / (2 + 1) twice
    assert [("us-west-2a_k80_8", "us-west-2a", "K80", 8)] == [
        tuple(row[name] for name in ("node", "zone", "accelerator", "gpus")) for row in sky
    ]
    assert [1 / 1.5, 1 / 3, 1 / 3] == pytest.approx([one[0]["interruptions_per_hour"] for one in (sky, members, counts)])
    with pytest.raises(InputError, match="time runs backwards"):
        read(tmp_path / "m.csv", "9,add,n1\n0,add,n2\n")


def test_several_currencies_are_refused(tmp_path, monkeypatch):
    text = "cloud,machine_type,on_demand_usd_per_hour,preemptible_usd_per_hour\ngcp,{},1,\n"
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(text.format(name))
    assert 2 == ingest((tmp_path / "a.csv", tmp_path / "b.csv"), tmp_path / "data").tables[0].rows

    from schedplan.ingest.markets import price_lists

    whole = price_lists.tell_offers
    monkeypatch.setattr(price_lists, "tell_offers", lambda draft, _: whole(draft, {"a.csv": "EUR"}.get(draft.path.name, "USD")))
    with pytest.raises(InputError, match=r"several currencies: EUR in .*a.csv, USD in .*b.csv"):
        ingest((tmp_path / "a.csv", tmp_path / "b.csv"), tmp_path / "other")


def test_hosts_hang_on_their_switches(tmp_path):
    found = read(tmp_path / "topo.csv", "ip,DSW,PSW,ASW\nh1,G6,P10,S14\n")["nodes"]

    (pool,) = content((found,)).cluster.pools
    assert ("h1", "S14", "P10") == (pool.name, pool.rack, pool.block)
