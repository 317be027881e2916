"""What the checks and the tests run with, whatever somebody has set for other runs."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
STEERING = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "SHELLCHECK_OPTS",
    "HYPOTHESIS_PROFILE",
    "SCENARIO_BARE",
    "LC_ALL",
)
"""What somebody may have set for other runs, and what would leave checks out of this one."""


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return what a command runs with, the same language on any machine: the programs beside this interpreter come first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    inherited = {name: value for name, value in os.environ.items() if name not in STEERING}
    return {**inherited, "PATH": path, "LANG": "C.UTF-8", **more}
