"""Reader `aws-pricing`: products of the AWS Price List API with their on-demand and reserved terms.

Source: docs.aws.amazon.com/awsaccountbilling, Price List Query API (2026-11). On-demand prices become `nodes`, reserved ones
`offers`; of a term's ways to pay the one without upfront fee is taken, else the one with the smallest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from schedplan.ingest.document import json_document, sniffed_document
from schedplan.ingest.draft import Draft, Value
from schedplan.ingest.element import Element, shape_error
from schedplan.ingest.field_error import FieldError
from schedplan.ingest.markets.offer import offer, tell_offers
from schedplan.ingest.reader import ReadOptions
from schedplan.tables.read import TableFile
from schedplan.units import QuantityError, parse_number

_MEMORY = re.compile(r"([\d,]+(?:\.\d+)?) GiB", re.ASCII)
_TERMS = {"1yr": 12, "3yr": 36}
_PLAIN = (("operatingSystem", "Linux"), ("tenancy", "Shared"), ("capacitystatus", "Used"), ("preInstalledSw", "NA"))
_OTHER = "is not plain Linux on shared hardware without software"
_NO_PRICE = "states no on-demand price"
_CURRENCY = "USD"


@dataclass(frozen=True, slots=True)
class AwsPricing:
    """A product becomes a pool that may be had on demand, and an offer per reserved term."""

    name: str = "aws-pricing"
    description: str = "AWS Price List API: EC2 products with OnDemand and Reserved terms, as a JSON list"
    tables: tuple[str, ...] = ("nodes", "offers")
    recognised_by: str = "a JSON list whose entries have product and terms"

    def sniff(self, path: Path) -> bool:
        """Return whether the file is a list of products."""
        value = sniffed_document(path).value
        return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and {"product", "terms"} <= set(value[0])

    def read(self, path: Path, options: ReadOptions) -> tuple[TableFile, ...]:
        """Return the pools and the offers in the file; InputError with all its faults."""
        del options
        nodes, offers = Draft.of("nodes", path), Draft.of("offers", path)
        offers.faults = nodes.faults
        for number, item in enumerate(json_document(path).items(), start=1):
            try:
                _add(nodes, offers, number, item)
            except FieldError as problem:
                nodes.refuse(number, problem)
        tell_offers(nodes, _CURRENCY)
        offers.currency = _CURRENCY
        offers.note(len(offers.rows), "of the ways to pay a reserved term, the one with the smallest upfront fee is taken")
        return (nodes.file(), offers.file()) if offers.rows else (nodes.file(),)


def _add(nodes: Draft, offers: Draft, number: int, item: Element) -> None:
    attributes = item.get("product", "attributes")
    name = attributes.get("instanceType").text()
    if name is None or any(attributes.get(key).text() not in (value, None) for key, value in _PLAIN):
        nodes.drop(_OTHER)
        return
    prices = [hourly for _, hourly, _ in _terms(item.get("terms", "OnDemand"))]
    if not prices:
        nodes.drop(_NO_PRICE)
        return
    nodes.add(number, offer(name, "on_demand", prices[0], **_shape(attributes)))
    best: dict[int, tuple[float, float]] = {}
    for months, hourly, upfront in _terms(item.get("terms", "Reserved")):
        if months is not None and (months not in best or (upfront, hourly) < best[months]):
            best[months] = (upfront, hourly)
    for months, (upfront, hourly) in sorted(best.items()):
        offers.add(number, {"pool": name, "term_months": months, "price_per_hour": hourly, "upfront": upfront})


def _shape(attributes: Element) -> dict[str, Value]:
    memory = attributes.get("memory").text()
    match = _MEMORY.fullmatch(memory or "")
    if match is None:
        raise shape_error("product.attributes.memory", memory, "GiB such as 32 GiB")
    return {
        "region": attributes.get("regionCode").text(),
        "cpus": _number(attributes.get("vcpu")),
        "memory_gib": float(match.group(1).replace(",", "")),
        "gpus": int(_number(attributes.get("gpu"))) if attributes.get("gpu").text() else 0,
    }


def _terms(terms: Element) -> list[tuple[int | None, float, float]]:
    """Return (months or None, price per hour, upfront fee) of every term with a price in dollars per hour."""
    found = []
    for _, term in terms.fields():
        hourly: float | None = None
        upfront = 0.0
        for _, dimension in term.get("priceDimensions").fields():
            price = dimension.get("pricePerUnit", _CURRENCY)
            if price.is_absent:
                raise shape_error(f"{dimension.place}.pricePerUnit", dimension.get("pricePerUnit").value, "a price in USD")
            if dimension.get("unit").text() == "Hrs":
                hourly = _number(price)
            else:
                upfront = _number(price)
        if hourly is not None:
            found.append((_TERMS.get(term.get("termAttributes", "LeaseContractLength").text() or ""), hourly, upfront))
    return found


def _number(element: Element) -> float:
    text = element.text() or ""
    try:
        return parse_number(text)
    except QuantityError as problem:
        raise shape_error(element.place, text, str(problem)) from None
