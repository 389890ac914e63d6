"""A machine type that may be had at a price, as a row of the table `nodes`. It knows no list."""

from __future__ import annotations

from schedplan.ingest.draft import Draft, Value

SPOT_SUFFIX = "-spot"


def offer(name: str, market: str, price: float, **more: Value) -> dict[str, Value]:
    """Return a pool of no nodes yet, at a price per node-hour; a spot offer has its market at the end of its name."""
    node = f"{name}{SPOT_SUFFIX}" if market == "spot" else name
    return {"node": node, "count": 0, "market": market, "price_per_hour": price, **more}


def tell_offers(draft: Draft, currency: str) -> None:
    """Say what a price list does not say: how many may be had."""
    draft.currency = currency
    draft.note(len(draft.rows), f"prices are in {currency} per node-hour, so project.currency must be {currency}; they age")
    draft.caution(
        len(draft.rows),
        "a price list does not say how many may be had, so count and max_count are 0; name a CSV file beside it, with the columns"
        f" node and max_count and a row such as {draft.rows[0]['node'] if draft.rows else 'NAME'},4",
    )
