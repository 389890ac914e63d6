"""What happened to services in a replay, as columns of its tables. It writes nothing."""

from __future__ import annotations

from schedplan.model.service_run import ServicesRun
from schedplan.tables.artefact_columns import Cells


def service_columns(run: ServicesRun) -> dict[str, Cells]:
    """Return the columns of services_out.parquet."""
    spans = run.spans
    return {
        "service": [run.names[span.service] for span in spans],
        "start": [span.start_s for span in spans],
        "end": [span.end_s for span in spans],
        "rate_rps": [span.rate_rps for span in spans],
        "wanted": [span.wanted for span in spans],
        "ready": [span.ready for span in spans],
        "backlog_start": [span.backlog_start for span in spans],
        "backlog_end": [span.backlog_end for span in spans],
        "late": [span.late for span in spans],
        "latency_ms": [span.latency_ms for span in spans],
        "busy": [span.busy for span in spans],
    }


def replica_columns(run: ServicesRun, nodes: tuple[str, ...]) -> dict[str, Cells]:
    """Return the columns of replicas_out.parquet; nodes: names of the machine's."""
    replicas = run.replicas
    return {
        "service": [run.names[one.service] for one in replicas],
        "node": [nodes[one.node] for one in replicas],
        "asked": [one.asked_s for one in replicas],
        "taken": [one.taken_s for one in replicas],
        "ready": [one.ready_s for one in replicas],
        "gone": [one.gone_s for one in replicas],
        "devices": [one.amount for one in replicas],
        "reason": [one.end.value for one in replicas],
    }
