from __future__ import annotations

from itertools import product

import pytest

from schedplan.model.slices import geometries, geometry_of, share_of

A100 = geometry_of("A100", 40.0)


@pytest.mark.parametrize(
    ("accelerator", "memory_gib", "name"),
    [
        ("A100", 40.0, "A100-40GB"),
        ("A100-SXM4-80GB", None, "A100-80GB"),
        ("NVIDIA A100-PCIE-40GB", None, "A100-40GB"),
        ("NVIDIA-H100-80GB-HBM3", 79.6, "H100-80GB"),
        ("H100 NVL", 94.0, "H100-94GB"),
        ("B200", 183.0, "B200-180GB"),
        ("H200", None, "H200-141GB"),  # one size only
        ("A100", None, None),  # two sizes: which one is not said
        ("V100", 16.0, None),
        (None, 40.0, None),
    ],
)
def test_a_model_is_known_by_its_name_and_memory(accelerator, memory_gib, name):
    found = geometry_of(accelerator, memory_gib)

    assert name == (found.name if found else None)


def test_every_geometry_has_its_source_and_fits_its_own_slices():
    for one in geometries():
        assert one.source.startswith("https://docs.nvidia.com/")
        assert one.checked_on >= "2026-12-01"
        for profile in one.profiles:
            places = sum(profile.mask(start) for start in profile.starts)
            assert profile.compute <= one.compute_slices
            assert max(profile.starts) + profile.memory <= one.memory_slices
            # the places of one profile never overlap, so their number is how many fit
            assert places.bit_count() == profile.memory * len(profile.starts)


@pytest.mark.parametrize(
    ("names", "most"),
    [
        ({"1g.5gb"}, 7),
        ({"1g.10gb"}, 4),
        ({"2g.10gb"}, 3),
        ({"3g.20gb"}, 2),
        ({"4g.20gb"}, 1),
        ({"3g.20gb", "4g.20gb"}, 2),
        ({"2g.10gb", "1g.5gb"}, 7),
    ],
)
def test_the_most_units_of_a_device(names, most):
    # the column "instances available" of the guide, and two mixes by hand
    assert most == A100.most(frozenset(names))


def test_at_one_instant_the_sums_of_both_kinds_of_slices_settle_what_fits():
    # why a relaxation by sums loses nothing per device at one instant; over time starts matter, for a unit keeps its place
    for one in geometries():
        counts = product(*(range(one.compute_slices // profile.compute + 1) for profile in one.profiles))
        fitting = {
            mix
            for mix in counts
            if one.compute_of(mix) <= one.compute_slices
            and sum(count * profile.memory for count, profile in zip(mix, one.profiles, strict=True)) <= one.memory_slices
        }
        assert fitting == one.mixes


@pytest.mark.parametrize(
    ("profile", "held", "left", "starts"),
    [
        # empty: at 6 the place of 4g and most others stay open; 0 to 3 close 4g
        ("1g.5gb", 0, 7, [6, 4, 5, 0, 1, 2, 3]),
        ("3g.20gb", 0, 7, [4, 0]),  # at 4 the place of 4g stays open
        ("2g.10gb", 0b1000000, 6, [4, 0, 2]),
        ("4g.20gb", 0b1, 6, []),
    ],
)
def test_the_start_that_keeps_most_of_use_comes_first(profile, held, left, starts):
    assert starts == A100.starts_by_use(A100.by_name[profile], held, left)


def test_a_profile_tells_its_share():
    assert share_of("3g.20gb") == 3 / 7
    assert share_of("1g.6gb") == 1 / 4
    assert share_of("5g.1gb") is None
