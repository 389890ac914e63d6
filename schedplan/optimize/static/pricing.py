"""Pricing: fillings worth much at prices per unit, one node of each type at a time.

A filling is looked for among few columns of the relaxation of one node, those that its optimum prices best, with little search:
good fillings in little time serve the master better than the best one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schedplan.optimize.static.filling import Filling, planned_fillings
from schedplan.optimize.static.instance import Instance, NodeType
from schedplan.optimize.static.ladder import as_type_plan
from schedplan.optimize.static.program import Answer, Floats, Program
from schedplan.optimize.static.relaxation import Relaxation

KEPT_COLUMNS = 60
GLANCE_NODES, GLANCE_GAP = 1, 1e-2


class Pricing:
    """One node of each type as a program of its own, built once."""

    def __init__(self, instance: Instance) -> None:
        self.programs = tuple((one, Relaxation(_alone(instance, one))) for one in instance.types)

    def fillings(self, worth: Floats) -> list[Filling]:
        """Return the best filling found for each type at a worth per unit of each class, float64 [class]."""
        found = (_Priced(relaxation, worth).filling() for _, relaxation in self.programs)
        pairs = zip(found, self.programs, strict=True)
        return [replace(filling, of=one.idx) for filling, (one, _) in pairs if filling is not None]


class _Priced:
    """The program of one node at some prices, poured first."""

    def __init__(self, relaxation: Relaxation, worth: Floats) -> None:
        self.relaxation = relaxation
        self.matrix, self.gain = relaxation.matrix(), relaxation.gain(np.maximum(worth, 0.0))
        _, self.high = relaxation.limits()
        self.poured = Program(self.matrix, self.gain, self.high).solve()
        self.reduced = self.gain - self.matrix.priced(self.poured.prices) if self.poured is not None else self.gain

    def filling(self) -> Filling | None:
        """The best filling that little search finds; None where nothing is worth anything."""
        found = self._glance()
        if found is None or found[1].value <= 0:
            return None
        kept, answer = found
        x = np.zeros(self.matrix.n_columns)
        x[kept] = np.round(answer.x)
        return planned_fillings(self.relaxation, as_type_plan(self.relaxation, x))[0]

    def _glance(self) -> tuple[NDArray[np.intp], Answer] | None:
        kept = np.sort(np.argsort(-self.reduced, kind="stable")[:KEPT_COLUMNS])
        answer = Program(
            self.matrix.columns(kept),
            self.gain[kept],
            self.high,
            integer=np.ones(len(kept), dtype=np.bool_),
            node_limit=GLANCE_NODES,
            gap=GLANCE_GAP,
        ).solve()
        return None if answer is None else (kept, answer)


def _alone(instance: Instance, one: NodeType) -> Instance:
    return replace(
        instance,
        types=(replace(one, idx=0, node_idx=one.node_idx[:1]),),
        needs=tuple((row[one.idx],) for row in instance.needs),
        families=tuple((row[one.idx],) for row in instance.families),
        held=(),
    )
