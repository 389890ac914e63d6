"""Calibration: the service time and its variation that explain measured latencies, and how far the model is from rows it never
saw.

Per service: minimise  sum over rows of (model(s_a, v; rate, replicas, quantile) / measured - 1)^2  over the mean service time s_a
on each device model and one coefficient of variation v, within bounds; the model is `latency`. The variation is that of the
requests, so it is one for all devices, as in the table `services`. Every fifth row in the order of content is held back from the
fit: the error told is the error on those. What is found is used only where it is closer to them than what the tables state. It
knows no plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import exp, inf, isinf, log

import numpy as np
from numpy.typing import NDArray

from schedplan.measures.latency import latency_ms, reaching_rps
from schedplan.model.cluster import Cluster, Speed
from schedplan.model.latency_sample import LatencySample
from schedplan.model.workload import Service

LEAST_SAMPLES = 10
"""Rows of a service on a device model below which nothing is fitted to them: eight for the fit, two held back. Our choice."""
MOST_SAMPLES = 200
"""Rows of one that are fitted at most, spread evenly over their order: more tell no more, and take time."""
EVERY = 5
BADLY = 0.15
"""Median relative error on held-back rows above which the model is said to fit badly. Our choice."""
FACTOR = 50.0
LEAST_CV, MOST_CV = 0.02, 5.0
STEADY = 0.999
BELOW_FULL = 0.7
CV_STARTS = (0.3, 1.5)
NEAR = 1e-3
STEP = 1e-4


@dataclass(frozen=True, slots=True)
class ErrorSize:
    """How far a model is from rows: relative to what was measured, |model / measured - 1|; bias is the mean without the bars.

    Infinite where the model has no steady state for a row.
    """

    median: float
    p90: float
    bias: float

    @property
    def words(self) -> str:
        """Return `4.1 % in the median, 9.8 % at the 90th percentile, bias +1.0 %`."""
        if isinf(self.median):
            return "without a steady state in most rows"
        p90 = "without a steady state" if isinf(self.p90) else f"{self.p90:.1%}"
        bias = "unbounded" if isinf(self.bias) else f"{round(self.bias, 3) + 0.0:+.1%}"
        return f"{self.median:.1%} in the median, {p90} at the 90th percentile, bias {bias}"


@dataclass(frozen=True, slots=True)
class FittedTime:
    """Mean service time on a device model, ms: as the tables state it, and as it was found from so many rows."""

    accelerator: str | None
    stated_ms: float
    found_ms: float
    rows: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the samples of one service say. stated and found: the error of both on the rows held back.

    times: empty where no device model has samples enough. is_at_bound: a parameter ended at its bound, so it is no estimate.
    """

    service: str
    times: tuple[FittedTime, ...]
    stated_cv: float
    found_cv: float
    held_back: int
    stated: ErrorSize
    found: ErrorSize
    is_at_bound: bool
    ignored: int

    @property
    def is_used(self) -> bool:
        """Whether a plan takes the found values: they are closer to the rows held back."""
        return bool(self.times) and not self.is_at_bound and self.found.median < self.stated.median

    @property
    def fits_badly(self) -> bool:
        """Whether the law itself does not describe these rows, or nothing could be estimated."""
        return bool(self.times) and (self.is_at_bound or self.found.median > BADLY)

    @property
    def words(self) -> str:
        """Return one sentence: what was found, from how much, how good it is, and whether it is used."""
        few = f"{self.ignored} latency samples are of a device model with fewer than {LEAST_SAMPLES} and are left aside"
        if not self.times:
            return few
        times = ", ".join(
            f"{time.stated_ms:g} -> {time.found_ms:.4g} ms on {time.accelerator or 'nodes without a device'} ({time.rows} samples)"
            for time in self.times
        )
        verdict = "used" if self.is_used else "not used"
        badly = "; the law fits these samples badly" if self.fits_badly else ""
        return (
            f"calibrated mean service time {times}, cv {self.stated_cv:g} -> {self.found_cv:.3g}; error on {self.held_back} samples"
            f" held back: {self.found.words}; with the stated values: {self.stated.words}; {verdict}{badly}"
            + (f"; {few}" if self.ignored else "")
        )


def calibrations(cluster: Cluster, services: Sequence[Service], samples: Sequence[LatencySample]) -> tuple[Calibration, ...]:
    """Return one calibration per service with samples, in the order of the services. samples: in the order of their content."""
    found = []
    for service in services:
        own = [sample for sample in samples if sample.service == service.name]
        if own:
            found.append(_Fit(cluster, service, own).calibration())
    return tuple(found)


def calibrated(
    cluster: Cluster, services: tuple[Service, ...], found: Sequence[Calibration]
) -> tuple[Cluster, tuple[Service, ...]]:
    """Return cluster and services with what calibrations found, where it is used: speeds of the service, and its variation."""
    used = {calibration.service: calibration for calibration in found if calibration.is_used}
    speeds = {(row.accelerator, row.kind): row for row in cluster.speeds}
    for service in services:
        for time in used[service.name].times if service.name in used else ():
            key = (time.accelerator or "", service.name)
            speeds[key] = Speed(*key, service.service_ms / time.found_ms)
    changed = tuple(
        replace(service, service_cv=used[service.name].found_cv) if service.name in used else service for service in services
    )
    return replace(cluster, speeds=tuple(speeds[key] for key in sorted(speeds))), changed


class _Fit:
    """The rows of one service, by device model: those to fit and those held back. Parameters are logarithms."""

    def __init__(self, cluster: Cluster, service: Service, samples: Sequence[LatencySample]) -> None:
        self.service = service
        by_model = {model: list(rows) for model, rows in groupby(samples, key=lambda sample: sample.accelerator)}
        self.models = tuple(model for model, rows in by_model.items() if len(rows) >= LEAST_SAMPLES)
        self.ignored = sum(len(rows) for rows in by_model.values() if len(rows) < LEAST_SAMPLES)
        self.stated_ms = {model: service.service_ms / cluster.speed(model, service.name, "service") for model in self.models}
        self.rows = {model: _spread_out(by_model[model]) for model in self.models}
        self.held = [(model, row) for model in self.models for idx, row in enumerate(self.rows[model]) if _is_held_back(idx)]
        self.fitted = [(model, row) for model in self.models for idx, row in enumerate(self.rows[model]) if not _is_held_back(idx)]

    def calibration(self) -> Calibration:
        """Return what the fit found, with its errors beside those of the stated values."""
        service = self.service
        nothing = ErrorSize(0.0, 0.0, 0.0)
        if not self.models:
            return Calibration(service.name, (), service.service_cv, service.service_cv, 0, nothing, nothing, False, self.ignored)
        lower, upper = self._bounds()
        best = min((self._from(start, lower, upper) for start in self._starts(lower, upper)), key=lambda found: found[0])[1]
        found_ms = {model: exp(best[idx]) for idx, model in enumerate(self.models)}
        found_cv = exp(best[-1])
        times = tuple(FittedTime(model, self.stated_ms[model], found_ms[model], len(self.rows[model])) for model in self.models)
        return Calibration(
            service.name,
            times,
            service.service_cv,
            found_cv,
            len(self.held),
            self._error(self.stated_ms, service.service_cv),
            self._error(found_ms, found_cv),
            bool((best > upper - NEAR).any() or (best[:-1] < lower[:-1] + NEAR).any()),
            self.ignored,
        )

    def _bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounds of the logarithms: within a factor of what is stated, and every fitted row in steady state.

        A row that was measured has had a steady state, so the service time is below what keeps its servers busy in full.
        """
        lowest, highest = [], []
        for model in self.models:
            full_ms = [
                STEADY * 1000.0 * row.replicas * self.service.concurrency / reaching
                for own, row in self.fitted
                if own == model and (reaching := reaching_rps(self.service, row.rate_rps)) > 0
            ]
            most_ms = min([self.stated_ms[model] * FACTOR, *full_ms])
            highest.append(log(most_ms))
            lowest.append(log(min(self.stated_ms[model], most_ms) / FACTOR))
        return np.array([*lowest, log(LEAST_CV)]), np.array([*highest, log(MOST_CV)])

    def _starts(self, lower: NDArray[np.float64], upper: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        # from well below full load: close to it the latency is so steep that a search creeps
        stated = [min(log(self.stated_ms[model]), upper[idx] + log(BELOW_FULL)) for idx, model in enumerate(self.models)]
        cvs = (max(self.service.service_cv, LEAST_CV), *CV_STARTS)
        inside = 1e-6 * (upper - lower)
        return [np.clip(np.array([*stated, log(cv)]), lower + inside, upper - inside) for cv in cvs]

    def _from(
        self, start: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        # scipy.optimize takes its time to import, and without samples nothing needs it
        from scipy.optimize import least_squares

        found = least_squares(self._residuals, start, self._slopes, bounds=(lower, upper), max_nfev=60)
        return float(found.cost), np.asarray(found.x, dtype=np.float64)

    def _residuals(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        times = {model: exp(parameters[idx]) for idx, model in enumerate(self.models)}
        return self._relative(self.fitted, times, exp(parameters[-1]))

    def _slopes(self, parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        """Central differences, float64 [row, parameter]: a latency is known to 1e-6 ms, too rough for the usual step of 1e-8.

        A step beyond the bound of the steady state is still within it.
        """
        steps = STEP * np.eye(len(parameters))
        columns = [self._residuals(parameters + step) - self._residuals(parameters - step) for step in steps]
        return np.array(columns).T / (2.0 * STEP)

    def _relative(
        self, rows: list[tuple[str | None, LatencySample]], times: dict[str | None, float], cv: float
    ) -> NDArray[np.float64]:
        return np.array([self._told_ms(row, times[model], cv) / row.latency_ms - 1.0 for model, row in rows])

    def _told_ms(self, row: LatencySample, service_ms: float, cv: float) -> float:
        """The latency that the model tells for a row; infinite where it has no steady state."""
        servers = row.replicas * self.service.concurrency
        told = latency_ms(service_ms, cv, row.quantile, servers, reaching_rps(self.service, row.rate_rps))
        return inf if told is None else told

    def _error(self, times: dict[str | None, float], cv: float) -> ErrorSize:
        relative = self._relative(self.held, times, cv)
        size = np.sort(np.abs(relative))
        return ErrorSize(
            float(np.quantile(size, 0.5, method="higher")), float(np.quantile(size, 0.9, method="higher")), float(relative.mean())
        )


def _spread_out(rows: list[LatencySample]) -> list[LatencySample]:
    if len(rows) <= MOST_SAMPLES:
        return rows
    return [rows[idx * len(rows) // MOST_SAMPLES] for idx in range(MOST_SAMPLES)]


def _is_held_back(idx: int) -> bool:
    return idx % EVERY == EVERY // 2
