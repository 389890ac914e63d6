"""Settings from flags, variables of the environment, the project file and defaults, in this order of precedence.

All that is wrong is collected and told in one error, each fault with where the value was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schedplan.config.build import settings_of
from schedplan.config.document import FILE_NAME, read_entries
from schedplan.config.given import GivenValues
from schedplan.config.keys import KEYS
from schedplan.config.override import Override
from schedplan.config.settings import Settings
from schedplan.errors import ConfigError

VARIABLE_PREFIX = "SCHEDPLAN_"
SHORT_VARIABLES = {"SCHEDPLAN_SEED": ("solver", "seed"), "SCHEDPLAN_THREADS": ("solver", "threads")}
OTHER_VARIABLES = frozenset(VARIABLE_PREFIX + name for name in ("CONFIG", "OUTPUT", "COLOR", "PROGRESS", "LOG_FORMAT", "DATA"))


def load_settings(file: Path | None, overrides: tuple[Override, ...] = (), environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings of a project; ConfigError with every fault found.

    file: the project file, or the folder that holds it; None: no file, only defaults. overrides: flags, a later one wins.
    environ: variables, None for none; SCHEDPLAN_SOLVER_SEED gives solver.seed, as does SCHEDPLAN_SEED.
    """
    file = file / FILE_NAME if file is not None and file.is_dir() else file
    variables, warnings = _variables(environ or {})
    given = GivenValues()
    if file is not None:
        for entry in read_entries(file):
            given.add_entry(entry, file)
    for override in (*variables, *overrides):
        given.add_override(override)
    settings = settings_of(given, file, warnings)
    if given.faults:
        raise ConfigError.of_faults(tuple(given.faults))
    return settings


def _variables(environ: Mapping[str, str]) -> tuple[tuple[Override, ...], tuple[str, ...]]:
    """Return the overrides that variables give, the short names first, and a warning for each that looks like one and is none."""
    paths = SHORT_VARIABLES | {key.variable: path for path, key in KEYS.items()}
    overrides = tuple(Override(".".join(path), environ[name], name) for name, path in paths.items() if environ.get(name))
    known = paths.keys() | OTHER_VARIABLES
    strange = sorted(name for name in environ if name.startswith(VARIABLE_PREFIX) and name not in known)
    return overrides, tuple(f"the variable {name} names no key of the configuration and is not used" for name in strange)
