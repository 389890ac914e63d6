"""The readers there are, and the choice among them. It reads nothing itself."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from schedplan.errors import InputError, UsageError
from schedplan.ingest.alibaba_gpu_2023 import AlibabaGpu2023
from schedplan.ingest.document import json_document, looks_like_json
from schedplan.ingest.kubernetes.kubernetes import Kubernetes
from schedplan.ingest.markets.availability import SpotAvailability
from schedplan.ingest.markets.aws_api import AwsPricing
from schedplan.ingest.markets.carbon import CARBON
from schedplan.ingest.markets.electricity import ELECTRICITY
from schedplan.ingest.markets.gcp_tables import GcpPriceTables
from schedplan.ingest.markets.price_lists import PRICES
from schedplan.ingest.markets.topology import LINGJUN
from schedplan.ingest.markets.transfer import TransferPrices
from schedplan.ingest.philly import Philly
from schedplan.ingest.reader import Reader
from schedplan.ingest.series.prometheus import Prometheus
from schedplan.ingest.series.recorded import SERIES
from schedplan.ingest.series.requests import GENAI_REQUESTS, LLM_REQUESTS, Mooncake
from schedplan.ingest.slurm.sacct import Sacct
from schedplan.ingest.slurm.sacctmgr import Sacctmgr
from schedplan.ingest.slurm.scontrol import Scontrol
from schedplan.ingest.slurm.sinfo import Sinfo
from schedplan.ingest.slurm.slurm_conf import SlurmConf
from schedplan.ingest.slurm.slurm_json import SlurmJson
from schedplan.ingest.slurm.squeue import Squeue
from schedplan.ingest.table_reader import TableReader
from schedplan.ingest.traces.alibaba_dlrm_2025 import ALIBABA_DLRM_2025
from schedplan.ingest.traces.chronus import CHRONUS
from schedplan.ingest.traces.swf import Swf
from schedplan.tables.faults import Code, FaultList
from schedplan.tables.raw_file import UnreadableError, refuse_foreign

# The canonical tables come last: they are recognised by the end of a name alone.
READERS: tuple[Reader, ...] = (
    AlibabaGpu2023(),
    Philly(),
    ALIBABA_DLRM_2025,
    CHRONUS,
    Swf(),
    Sacct(),
    Squeue(),
    Sinfo(),
    Scontrol(),
    Sacctmgr(),
    SlurmJson(),
    SlurmConf(),
    Prometheus(),
    LLM_REQUESTS,
    GENAI_REQUESTS,
    Mooncake(),
    SERIES,
    PRICES,
    AwsPricing(),
    GcpPriceTables(),
    TransferPrices(),
    ELECTRICITY,
    CARBON,
    SpotAvailability(),
    LINGJUN,
    Kubernetes(),
    TableReader(),
)
AUTO = "auto"
_HOW_TO_CHOOSE = (
    "`schedplan readers` lists what is read and by what it is recognised; --from NAME chooses, such as --from table for rows"
    " of one table."
)


def chosen_reader(path: Path, name: str = AUTO) -> Reader:
    """Return the reader of that name, or the first that takes the file by its looks.

    Raises UsageError for an unknown name, InputError for a file that no reader takes, or that begins as JSON and is none.
    """
    if name == AUTO:
        _refuse_unreadable(path)
        found = next((reader for reader in READERS if reader.sniff(path)), None)
        if found is None:
            if looks_like_json(path):
                json_document(path)  # what is no JSON is told as such
            faults = FaultList(str(path))
            faults.add(Code.UNREADABLE, "no reader takes this file", hint=_HOW_TO_CHOOSE)
            raise InputError.of_faults(faults.all())
        return found
    for reader in READERS:
        if reader.name == name:
            return reader
    names = [reader.name for reader in READERS]
    near = get_close_matches(name, names, n=1)
    raise UsageError(f"there is no reader {name!r}", hint=f"Did you mean {near[0]}?" if near else f"Readers: {', '.join(names)}.")


def _refuse_unreadable(path: Path) -> None:
    """Refuse what is no file, is empty or of a format never read, before any reader looks at it: a pipe would keep it waiting."""
    faults = FaultList(str(path))
    try:
        refuse_foreign(path, faults)
    except UnreadableError:
        raise InputError.of_faults(faults.all()) from None
