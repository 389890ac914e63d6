"""Fair shares: which tenant is served next. They know what tenants hold and are promised, and no job."""

from __future__ import annotations

from collections.abc import Callable

from schedplan.engines.part import Share
from schedplan.engines.policy import NO_SHARE
from schedplan.model.view import TenantView

BILLIONTHS = 1_000_000_000
BEYOND_ALL = 1 << 60
A_DAY_S = 86_400


def by_dominant_share(tenant: TenantView) -> int:
    """Return the tenant's dominant share over its weight, in billionths. Source: Ghodsi and others, DRF, NSDI 2011."""
    return round(tenant.dominant / tenant.weight * BILLIONTHS)


def by_past_usage(tenant: TenantView) -> int:
    """Return the counted resource-seconds that the tenant held, decayed, over its weight, in whole ones."""
    return round(tenant.past / tenant.weight)


def by_guarantee(tenant: TenantView) -> int:
    """Return what the tenant holds over what it is promised, in billionths; one that is promised nothing comes last."""
    if not tenant.guaranteed:
        return BEYOND_ALL
    return round(tenant.held / tenant.guaranteed * BILLIONTHS)


DRF = Share(
    "dominant resource fairness: the tenant with the least dominant share (the largest share of the machine that it holds of"
    " any stated"
    " resource) over its weight, found anew after each start",
    by_dominant_share,
)
CAPACITY = Share(
    "capacity: the tenant that holds the least of what its quota promises it, found anew after each start; those that are"
    " promised"
    " nothing come last; more than that is borrowed, up to max and to what the cohort is promised",
    by_guarantee,
)


def decayed(half_life_s: int = A_DAY_S) -> Share:
    """Return the share by past usage that counts half after so long."""
    return Share(
        "fair share: the tenant that has held the least over its weight, in counted resource-seconds of which those"
        f" {half_life_s / 3600:g} h ago count half, found anew at each decision and after each start",
        by_past_usage,
        half_life_s,
    )


def _drf(half_life_s: int) -> Share:
    return DRF


def _capacity(half_life_s: int) -> Share:
    return CAPACITY


def _none(half_life_s: int) -> Share:
    return NO_SHARE


SHARES: dict[str, Callable[[int], Share]] = {"none": _none, "drf": _drf, "fair-share": decayed, "capacity": _capacity}
"""Each makes its rule of the half-life, seconds."""
