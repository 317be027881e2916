"""The exit status: what scripts go by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from hopwatch_console.states import LOSING, PRESSED

if TYPE_CHECKING:
    from hopwatch_console.fleet.picture import AgentPicture, Picture

EXIT_UNANSWERED = 1
EXIT_CONDITION = 3


def _some_socket(*states: str) -> Callable[[AgentPicture], bool]:
    def holds(agent: AgentPicture) -> bool:
        from hopwatch_console.fleet.standing import standing_of

        return any(standing_of(socket).state in states for socket in agent.sockets)

    return holds


def _has_lost(agent: AgentPicture) -> bool:
    return bool(agent.incidents) or any(socket.missing for socket in agent.sockets)


def _has_errors(agent: AgentPicture) -> bool:
    return agent.status is not None and bool(agent.status.errors)


CONDITIONS: dict[str, Callable[[AgentPicture], bool]] = {
    LOSING: _some_socket(LOSING),
    PRESSED: _some_socket(LOSING, PRESSED),
    "lost": _has_lost,
    "findings": lambda agent: bool(agent.findings),
    "errors": _has_errors,
}
"""What ``--fail-on`` names: losing now; that or pressed; lost anything that is still shown; any finding; an error of the agent's own."""


def exit_status(picture: Picture, fail_on: Iterable[str]) -> int:
    """What was seen comes before what is not known: of an agent without an answer, or one that has not read its journals, or not for a while."""
    if any(CONDITIONS[name](agent) for name in fail_on for agent in picture.agents):
        return EXIT_CONDITION
    return 0 if all(map(_is_known, picture.agents)) else EXIT_UNANSWERED


def _is_known(agent: AgentPicture) -> bool:
    status = agent.status
    return agent.contact.trouble is None and status is not None and status.tells_of_now
