"""Table `forecast`: expected demand with its quantiles, made here or elsewhere."""

from schedplan.tables.column import Column, Dictionary, Kind, Use

_QUANTILES = tuple(
    Column(f"q{percent}", Kind.FLOAT, f"{percent} % quantile", required=True, at_least=0) for percent in (50, 80, 90, 95, 99)
)
_BANDS = tuple(
    Column(f"{end}-{level}", Kind.FLOAT, f"{side} end of the central {level} % band", at_least=0)
    for level in (80, 95)
    for end, side in (("lo", "lower"), ("hi", "upper"))
)

FORECAST = Dictionary(
    name="forecast",
    title="forecast: expected demand per series and interval",
    key=("unique_id", "ds"),
    columns=(
        Column("unique_id", Kind.TEXT, "name of the series", required=True),
        Column("ds", Kind.TIMESTAMP, "begin of the interval", required=True),
        Column("y_hat", Kind.FLOAT, "expected mean", required=True, at_least=0),
        *_QUANTILES,
        *_BANDS,
        Column("model", Kind.TEXT, "forecaster", default="given", use=Use.DESCRIPTIVE),
        Column("cutoff", Kind.TIMESTAMP, "end of the history it was made from", use=Use.DESCRIPTIVE),
    ),
)
