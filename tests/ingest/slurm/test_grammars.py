"""Slurm's grammars: lists of nodes, names of jobs, lengths of time, amounts and states, each with what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from schedplan.ingest.slurm.clock import clock_s, is_unknown, is_unlimited
from schedplan.ingest.slurm.dependency import jobs_before
from schedplan.ingest.slurm.hostlist import HostlistError, expand
from schedplan.ingest.slurm.job_id import parse_job_id
from schedplan.ingest.slurm.state import job_state, node_status
from schedplan.ingest.slurm.tres import memory_mib, parse_gres, parse_tres, requested_memory_mib
from schedplan.units import QuantityError


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("cpu-01", ("cpu-01",)),
        ("h100-[01-03]", ("h100-01", "h100-02", "h100-03")),
        ("d[03,05,07-08]n", ("d03n", "d05n", "d07n", "d08n")),
        ("a[1-2]b[8-9],c", ("a1b8", "a1b9", "a2b8", "a2b9", "c")),
        ("n[8-11]", ("n8", "n9", "n10", "n11")),
    ],
)
def test_lists_of_nodes_keep_order_and_zeros(text, names):
    assert names == expand(text)


@pytest.mark.parametrize("text", ["n[1-", "n]1[", "n[2-1]", "n[a]", "a,,b", "", "n[1-2000000]", "n[1-999999]m[1-999999]", "n[[1]]"])
def test_what_is_no_list_of_nodes_is_refused_at_once(text):
    with pytest.raises(HostlistError):
        expand(text)


@pytest.mark.parametrize(
    ("text", "names", "is_step", "gang", "most"),
    [
        ("57", ("57",), False, None, None),
        ("16_7", ("16_7",), False, None, None),
        ("62_[4-6%4]", ("62_4", "62_5", "62_6"), False, None, 4),
        ("4103947_[1,5]", ("4103947_1", "4103947_5"), False, None, None),
        ("7_[0-8:4]", ("7_0", "7_4", "7_8"), False, None, None),
        ("32+1", ("32+1",), False, "32", None),
        ("57.batch", ("57",), True, None, None),
        ("16_7.0", ("16_7",), True, None, None),
    ],
)
def test_names_of_jobs(text, names, is_step, gang, most):
    found = parse_job_id(text)

    assert (names, is_step, gang, most) == (found.names, found.is_step, found.gang, found.most_running)


@pytest.mark.parametrize("text", ["", "x", "_3", "62_[4-", "62_[1-5,...]", "62_[9-1]", "1 2", "-3"])
def test_what_is_no_job_is_refused(text):
    with pytest.raises(HostlistError):
        parse_job_id(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1-02:03:04", 93_784),  # 86400 + 7200 + 180 + 4
        ("10-13:27:06", 912_426),  # 10 * 86400 + 13 * 3600 + 27 * 60 + 6
        ("37-14:00:00", 3_247_200),
        ("2-00", 172_800),
        ("02:03:04", 7_384),
        ("03:04", 184),
        ("30", 1_800),  # a bare number is minutes
        ("00:01.500", Fraction(3, 2)),
    ],
)
def test_lengths_of_time(text, seconds):
    assert seconds == clock_s(text)


@pytest.mark.parametrize("text", ["", "1-", "1:60", "1:2:3:4", "-5", "1.5", "UNLIMITED", "1h", "٣"])
def test_what_is_no_length_of_time_is_refused(text):
    with pytest.raises(QuantityError):
        clock_s(text)


def test_no_limit_and_no_word_on_a_limit_are_two_things():
    assert (True, False) == (is_unlimited("UNLIMITED"), is_unknown("UNLIMITED"))
    assert (False, True) == (is_unlimited("Partition_Limit"), is_unknown("Partition_Limit"))


def test_typed_and_untyped_devices_are_the_same_devices():
    found = parse_tres("billing=16,cpu=16,gres/gpu:a100=8,gres/gpu=8,mem=62.50G,node=2,gres/shard=4")

    assert (16, 64_000, 2, 8) == (found.cpus, found.memory_mib, found.nodes, found.devices)
    assert ((("a100", 8),), (("shard", 4),)) == (found.models, found.others)


def test_devices_of_no_stated_model_and_of_two_models_add_up_once():
    assert (2, ()) == (parse_tres("gres/gpu=2").devices, parse_tres("gres/gpu=2").models)
    both = parse_tres("gres/gpu:a100=1,gres/gpu:h100=1,gres/gpu=2")
    assert (2, (("a100", 1), ("h100", 1))) == (both.devices, both.models)


@pytest.mark.parametrize(
    ("text", "devices", "models"),
    [
        ("gpu:a100:8(S:0-1)", 8, (("a100", 8),)),
        ("gpu:h100:2,gpu:h200:4", 6, (("h100", 2), ("h200", 4))),
        ("gres:gpu:2", 2, ()),
        ("gres/gpu=2", 2, ()),
        ("gpu:a100:4(IDX:0-3)", 4, (("a100", 4),)),
        ("gpu", 1, ()),
        ("(null)", 0, ()),
        ("N/A", 0, ()),
    ],
)
def test_devices_of_gres(text, devices, models):
    found = parse_gres(text)

    assert (devices, models) == (found.devices, found.models)


@pytest.mark.parametrize("text", ["cpu=x", "cpu", "tape=3", "mem=4Q", "cpu=-1", "gres/gpu=1.5"])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(QuantityError):
        parse_tres(text)


def test_memory_is_exact_and_a_bare_number_is_mib():
    # 4T = 4 * 1024 * 1024 MiB; 1K is 1/1024 MiB and no float
    assert (4_194_304, 2_000, Fraction(1, 1024)) == (memory_mib("4T"), memory_mib("2000"), memory_mib("1K"))


@pytest.mark.parametrize(
    ("text", "mib", "is_marked"),
    [
        ("4000Mn", 8_000, False),  # per node, two nodes
        ("4Gc", 65_536, False),  # per core, 16 cores
        ("32G", 32_768, False),  # the whole job
        ("2147486648Mn", 48_000, True),  # 2**31 + 3000: 3000 MiB per core
        ("0n", None, False),
    ],
)
def test_requested_memory_says_of_what(text, mib, is_marked):
    assert (mib, is_marked) == requested_memory_mib(text, 2, 16)


def test_states():
    assert ["cancelled", "timeout", "preempted", None] == [
        job_state(text) for text in ("CANCELLED by 0", "TIMEOUT", "PREEMPTED", "LATE")
    ]
    assert ["ready", "cordoned", "down", "cordoned", "down", "ready", None] == [
        node_status((text,)) for text in ("mix", "drng", "down*", "MIXED+DRAIN", "idle*", "idle~", "odd")
    ]


def test_what_a_job_waits_for():
    assert ("25", "7_3") == jobs_before("afterok:25(unfulfilled),afterany:7_3,after:9,singleton")
