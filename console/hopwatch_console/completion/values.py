"""What the values of arguments are, told to shtab: files, folders, programs, agents."""

import argparse
from collections.abc import Iterator
from pathlib import Path

import shtab

from hopwatch_console.addresses import DEFAULT_AGENT
from hopwatch_console.arguments import AGENTS_VARIABLE
from hopwatch_console.words_by_comma import WordsByComma

FILES = frozenset({"ca", "cert", "config", "file", "fragment", "key"})
FOLDERS = frozenset({"data", "dir", "events", "land", "out", "report"})
"""The last words of the names of arguments that take such."""

_AGENTS_IN_BASH = f"""
_hopwatch_agents() {{
  # compgen would run what stands in words
  local known=$(printf '%s' "${{{AGENTS_VARIABLE}-}}" | tr -c '][A-Za-z0-9.:/_-' ' ')
  compgen -W "$known {DEFAULT_AGENT}" -- "$1"
}}"""
_AGENTS_IN_ZSH = f"""
_hopwatch_agents() {{
  local -a known=(${{(s:,:)${{{AGENTS_VARIABLE}-}}// /}} {DEFAULT_AGENT})
  compadd -a known
}}"""
_AGENTS_IN_FISH = f"""
function _hopwatch_agents
  string split -n , -- (string replace -a ' ' '' -- "${AGENTS_VARIABLE}")
  echo {DEFAULT_AGENT}
end"""

AGENTS = {
    "bash": "_hopwatch_agents",
    "zsh": "_hopwatch_agents",
    "fish": "(_hopwatch_agents)",
    "preamble": {"bash": _AGENTS_IN_BASH, "zsh": _AGENTS_IN_ZSH, "fish": _AGENTS_IN_FISH},
}
"""Those that the environment names, and the default."""

PROGRAMS = {
    "bash": "_hopwatch_programs",
    "zsh": "_command_names -e",
    "fish": "(__fish_complete_command)",
    "preamble": {"bash": '\n_hopwatch_programs() {\n  compgen -c -- "$1"\n  compgen -f -- "$1"\n}'},
}


def tell_values(parser: argparse.ArgumentParser) -> None:
    """Marks each argument of the parser, and of those below it, that takes one of these."""
    for action in _actions(parser):
        name = action.dest.rpartition("_")[2]
        complete: object = None
        if action.choices is not None or action.nargs == 0:
            continue
        if isinstance(action.type, WordsByComma):
            complete = _words(action.type.known)
        elif name == "agent":
            complete = AGENTS
        elif name == "program":
            complete = PROGRAMS
        elif name in FILES:
            complete = shtab.FILE
        elif name in FOLDERS or action.type is Path:
            complete = shtab.DIRECTORY
        if complete is not None:
            action.complete = complete  # type: ignore[attr-defined]


def _words(known: tuple[str, ...]) -> object:
    words = " ".join(known)
    return {**shtab.cmd(f"echo {words}"), "zsh": f"({words})", "fish": words}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001 -- argparse has no other way, and shtab goes it too
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for below in action.choices.values():
                yield from _actions(below)
        else:
            yield action
