"""A Slurm of its own on this machine: a controller and emulated nodes, which run batch jobs that sleep."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

NEEDED = ("slurmctld", "slurmd", "sbatch", "scontrol", "sinfo")
BACKFILL_S = 2
"""Interval of backfill scheduling."""
CORES = 8
"""Cores of each node."""
CONFIGURATION = """
ClusterName=emulated
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={first_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval={backfill_s},sched_interval={backfill_s},batch_sched_delay=0
PriorityType=priority/basic
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MinJobAge=3600
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first_node_port}-{last_port}] CPUs={cores} \
Boards=1 SocketsPerBoard=1 CoresPerSocket={cores} ThreadsPerCore=1 RealMemory=1000
PartitionName=all Nodes=n[1-{nodes}] Default=YES State=UP MaxTime=UNLIMITED
"""


@dataclass(frozen=True, slots=True)
class Sleep:
    """A batch job: on so many whole nodes, for so many seconds, with a limit of so many minutes."""

    name: str
    nodes: int
    seconds: int
    limit_minutes: int


class Slurm:
    """A controller with emulated nodes, from `start` to `stop`."""

    def __init__(self, folder: Path, nodes: int) -> None:
        self.folder = folder
        self.nodes = nodes
        self.running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start it and wait until all nodes are idle. TimeoutError where they don't get there in a minute."""
        first = _free_ports(self.nodes + 1)
        text = CONFIGURATION.format(
            host=socket.gethostname().split(".")[0],
            folder=self.folder,
            first_port=first,
            first_node_port=first + 1,
            last_port=first + self.nodes,
            nodes=self.nodes,
            cores=CORES,
            backfill_s=BACKFILL_S,
        )
        (self.folder / "slurm.conf").write_text(text, encoding="utf-8")
        (self.folder / "state").mkdir()
        self._run("slurmctld", "-D")
        for idx in range(1, self.nodes + 1):
            (self.folder / "spool" / f"n{idx}").mkdir(parents=True)
            self._run("slurmd", "-D", "-N", f"n{idx}")
        self._await(lambda: self.ask("sinfo", "-h", "-N", "-o", "%t").split() == ["idle"] * self.nodes)

    def submit(self, job: Sleep) -> None:
        """Hand a job in."""
        shape = ("--exclusive", "-N", str(job.nodes), "-t", str(job.limit_minutes), "-J", job.name)
        self.ask("sbatch", *shape, "-o", "/dev/null", "--wrap", f"sleep {job.seconds}")

    def wait(self) -> None:
        """Wait until nothing runs or waits any more, five minutes at most."""
        self._await(lambda: not self.ask("squeue", "-h").strip(), limit_s=300)

    def ask(self, *command: str) -> str:
        """Return what a command of Slurm prints."""
        return subprocess.run(
            command, env=self._environment(), check=True, capture_output=True, text=True, timeout=60, cwd=self.folder
        ).stdout

    def stop(self) -> None:
        """End all of it."""
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            process.wait(timeout=30)

    def _run(self, *command: str) -> None:
        with (self.folder / "output.log").open("ab") as output:
            self.running.append(subprocess.Popen(command, env=self._environment(), stdout=output, stderr=output, cwd=self.folder))

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "TZ": "UTC", "SLURM_TIME_FORMAT": "standard"}

    def _await(self, is_so: object, limit_s: float = 60) -> None:
        assert callable(is_so)
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            try:
                if is_so():
                    return
            except subprocess.CalledProcessError:
                pass  # the controller does not answer yet
            time.sleep(0.2)
        raise TimeoutError(f"waited {limit_s} s: {(self.folder / 'output.log').read_text(encoding='utf-8')[-2000:]}")


def is_installed() -> bool:
    """Whether this machine has all of Slurm that is needed."""
    return all(shutil.which(name) for name in NEEDED)


def _free_ports(count: int) -> int:
    """Return the first of so many free ports in a row."""
    for first in range(17_800, 30_000, count):
        sockets = []
        try:
            for port in range(first, first + count):
                one = socket.socket()
                sockets.append(one)
                one.bind(("127.0.0.1", port))
        except OSError:
            continue
        else:
            return first
        finally:
            for one in sockets:
                one.close()
    raise OSError("no free ports")
