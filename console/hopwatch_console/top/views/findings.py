"""The tab of findings: what is wrong or risky in the set-up of sockets."""

from collections.abc import Iterator
from dataclasses import dataclass

from hopwatch_console.fleet.picture import AgentPicture, Picture
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.records import Finding
from hopwatch_console.top.columns import Column
from hopwatch_console.top.views.losses import finding_lines
from hopwatch_console.top.views.view import View


@dataclass(frozen=True)
class FindingItem:
    """One finding, with its agent."""

    agent: AgentPicture
    finding: Finding


def _items(picture: Picture) -> list[FindingItem]:
    return [FindingItem(agent, finding) for agent in picture.agents for finding in agent.findings]


def _details(item: FindingItem, _picture: Picture, width: int) -> Iterator[Line]:
    finding = item.finding
    pid = "" if finding.process.pid is None else f" pid {finding.process.pid}"
    yield from wrapped(
        f"{plain(finding.socket_name, 200)} ({plain(finding.type, 12)})", width, later="  ", style="head"
    )
    yield from wrapped(f"{plain(finding.host, 80)}{pid} {plain(finding.process.command)}", width, later="  ")
    yield Line()
    yield from finding_lines(finding.rule, finding.text, finding.advice, width)


def _searched(item: FindingItem) -> str:
    told = item.finding
    return f"{told.socket_name} {told.type} {told.rule} {told.text} {told.host} {item.agent.name}"


COLUMNS = (
    Column[FindingItem](
        "Socket",
        12,
        lambda item: plain(item.finding.socket_name, 80),
        lambda item: item.finding.socket_name,
        weight=1,
    ),
    Column[FindingItem](
        "Type", 6, lambda item: plain(item.finding.type, 8), lambda item: item.finding.type, place=2
    ),
    Column[FindingItem](
        "Finding",
        16,
        lambda item: plain(item.finding.text),
        lambda item: item.finding.rule,
        weight=4,
        style="warn",
    ),
    Column[FindingItem]("Advice", 20, lambda item: plain(item.finding.advice), place=3, weight=4),
    Column[FindingItem](
        "Host", 8, lambda item: plain(item.finding.host, 80), lambda item: item.finding.host, place=4
    ),
    Column[FindingItem](
        "Agent", 15, lambda item: item.agent.name, lambda item: item.agent.name, of_several=True, place=5
    ),
)

FINDINGS = View[FindingItem](
    "Findings",
    COLUMNS,
    _items,
    count=lambda picture: sum(len(agent.findings) for agent in picture.agents),
    key=lambda item: (
        f"{item.agent.address.url} {item.finding.socket} {item.finding.rule} {item.finding.text}"
    ),
    details=_details,
    searched=_searched,
    line=lambda item: f"{item.finding.text} → {item.finding.advice}",
    empty="no findings",
)
