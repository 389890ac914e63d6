"""What a live server is asked: the metrics that are known, each with its PromQL, or what a person asks. It asks nothing itself.

Names: github.com/NVIDIA/dcgm-exporter, node_exporter, kube-state-metrics, metrics pages of TF Serving, Triton, vLLM (2026-11).
A name that an expression loses is set anew by label_replace, so that an answer names its series and unit as a saved one does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from schedplan.errors import UsageError

# A rate needs samples: 5 minutes hold some at the usual scrape intervals of 15 s to 1 minute.
_LEAST_RATE_S = 300
_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)\s*=(?![=~])\s*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """name: of the answer in the account, and of a series that has no name. promql: as sent. is_own: a person asked it."""

    name: str
    promql: str
    is_own: bool = False


def known_questions(step_s: int) -> tuple[Question, ...]:
    """Return a question per metric that is known; a rate is taken over a step, at least 5 minutes."""
    over = f"[{max(step_s, _LEAST_RATE_S)}s]"
    requested = '{resource=~"nvidia_com_(gpu|mig_.*)"}'
    raw = (
        "DCGM_FI_DEV_GPU_UTIL",
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_DEV_POWER_USAGE",
        ":tensorflow:serving:request_latency_bucket",
        "nv_inference_first_response_histogram_ms_bucket",
        "vllm:e2e_request_latency_seconds_bucket",
    )
    made = (
        ("node_cpu_busy_cores", f'sum by (instance) (rate(node_cpu_seconds_total{{mode!~"idle|iowait|steal"}}{over}))'),
        ("node_memory_used_bytes", "sum by (instance) (node_memory_MemTotal_bytes - node_memory_MemAvailable_bytes)"),
        ("kube_requested_devices", f"sum by (namespace, resource) (kube_pod_container_resource_requests{requested})"),
        ("kube_allocatable_devices", f"sum by (resource) (kube_node_status_allocatable{requested})"),
        ("tf_serving_requests_per_second", f"sum by (model_name) (rate(:tensorflow:serving:request_count{over}))"),
        ("triton_requests_per_second", f"sum by (model) (rate(nv_inference_request_success{over}))"),
        ("vllm_requests_per_second", f"sum by (model_name) (rate(vllm:request_success_total{over}))"),
    )
    return (*(Question(name, name) for name in raw), *(Question(name, _renamed(promql, name)) for name, promql in made))


def own_questions(texts: tuple[str, ...]) -> tuple[Question, ...]:
    """Return what a person asks by `NAME=PROMQL` or `PROMQL`; UsageError for an empty text or a name that stands twice."""
    found: list[Question] = []
    for number, text in enumerate(texts, start=1):
        match = _NAMED.fullmatch(text.strip())
        name, promql = (match.group(1), match.group(2)) if match else (f"query-{number}", text.strip())
        if not promql:
            raise UsageError("--query is empty", hint="Give it as --query 'sum(up)' or --query NAME='sum(up)'.")
        if any(name == one.name for one in found):
            raise UsageError(f"--query: the name {name} stands twice", hint="Give each question a name of its own.")
        found.append(Question(name, promql, is_own=True))
    return tuple(found)


def _renamed(promql: str, name: str) -> str:
    return f'label_replace({promql}, "__name__", "{name}", "", "")'
