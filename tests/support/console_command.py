"""``hopwatch`` as a person or a script runs it."""

import os
import subprocess
from collections.abc import Callable, Mapping

from agent_process import AgentProcess
from preloaded import HOPWATCH, run_to_end, start

Starting = Callable[..., AgentProcess]
"""Starts an agent with settings of the environment."""


def without_hopwatch() -> dict[str, str]:
    """The environment without any variable of hopwatch, and without what says how terminals are used."""
    left_out = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"}
    return {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_") and k not in left_out}


def hopwatch(*arguments: object, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Runs it to its end, piped."""
    return run_to_end([HOPWATCH, *map(str, arguments)], {**without_hopwatch(), **variables})


def started(*arguments: object, variables: Mapping[str, str]) -> "subprocess.Popen[str]":
    """Starts it, piped."""
    return start(
        [HOPWATCH, *map(str, arguments)],
        {**without_hopwatch(), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
