"""The tab of agents: which answer, what each has, and what does not work."""

from collections.abc import Iterator

from hopwatch_console.fleet.contact_words import contact_words
from hopwatch_console.fleet.picture import AgentPicture, Phase, Picture
from hopwatch_console.frames import Problem, Status
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.top.columns import Column
from hopwatch_console.top.views.view import View
from hopwatch_console.words import clock, counted, day_and_clock, number


def _status(agent: AgentPicture) -> Status:
    return agent.status or Status("", "", 0, 0)


def _troubles(agent: AgentPicture) -> str:
    status = _status(agent)
    return plain(
        "; ".join(f"{problem.source}: {problem.text}" for problem in (*status.errors, *status.warnings))
    )


def _details(agent: AgentPicture, picture: Picture, width: int) -> Iterator[Line]:
    yield from wrapped(agent.address.url, width, style="head")
    yield from wrapped(contact_words(agent.contact, picture.at), width, later="  ", style=_style(agent))
    trouble = agent.contact.trouble
    if trouble is not None:
        yield from wrapped(plain(trouble.text), width, later="  ")
        yield from wrapped(plain(trouble.advice), width, first="→ ", later="  ")
    status = agent.status
    if status is None:
        return
    yield Line()
    for name, value in _facts(status):
        yield from wrapped(f"{name:<13}{value}", width, later=" " * 13)
    yield from _problems("does not work", status.errors, width, "bad")
    yield from _problems("works, and is risky", status.warnings, width, "warn")


def _facts(status: Status) -> Iterator[tuple[str, str]]:
    yield "host", plain(status.host)
    yield "hopwatch", plain(status.version)
    yield "started", f"{day_and_clock(status.started_at)} UTC"
    yield "journals", plain(status.directory)
    yield "lands at", plain(status.landing)
    yield "last landing", f"{day_and_clock(status.last_landing)} UTC"
    rows = status.rows_landed, status.rows_waiting, status.rows_given_up
    yield "rows", "{} landed, {} wait, {} given up".format(*map(number, rows))
    processes = counted(status.processes, "process", "processes")
    yield "watches", f"{processes}, {counted(status.sockets, 'socket')}"
    yield "events lost", number(status.events_lost)
    yield "faults", number(status.faults)


def _problems(title: str, problems: tuple[Problem, ...], width: int, style: str) -> Iterator[Line]:
    for problem in problems:
        yield Line()
        yield from wrapped(
            f"{title}: {plain(problem.source)}: {plain(problem.text, 2000)} (since {day_and_clock(problem.since)} UTC)",
            width,
            later="  ",
            style=style,
        )


def _line(agent: AgentPicture) -> str:
    trouble = agent.contact.trouble
    return _troubles(agent) if trouble is None else f"{trouble.text}. {trouble.advice}"


def _style(agent: AgentPicture) -> str:
    return {Phase.HERE: "good", Phase.AWAY: "bad", Phase.ASKED: "dim"}[agent.contact.phase]


COLUMNS = (
    Column[AgentPicture]("Agent", 16, lambda agent: agent.name, lambda agent: agent.name, weight=1),
    Column[AgentPicture](
        "Answers",
        8,
        lambda agent: {Phase.HERE: "yes", Phase.AWAY: "away", Phase.ASKED: "asked"}[agent.contact.phase],
        lambda agent: agent.contact.phase is not Phase.AWAY,
        style=_style,
    ),
    Column[AgentPicture](
        "Since", 11, lambda agent: clock(agent.contact.since), lambda agent: agent.contact.since, place=2
    ),
    Column[AgentPicture](
        "Host",
        10,
        lambda agent: plain(_status(agent).host, 80),
        lambda agent: _status(agent).host,
        place=1,
        weight=1,
    ),
    Column[AgentPicture](
        "Processes",
        9,
        lambda agent: number(_status(agent).processes),
        lambda agent: _status(agent).processes,
        place=3,
        right=True,
        falling=True,
    ),
    Column[AgentPicture](
        "Sockets",
        8,
        lambda agent: number(_status(agent).sockets),
        lambda agent: _status(agent).sockets,
        place=4,
        right=True,
        falling=True,
    ),
    Column[AgentPicture](
        "Version",
        9,
        lambda agent: plain(_status(agent).version, 12),
        lambda agent: _status(agent).version,
        place=7,
    ),
    Column[AgentPicture]("Does not work, or is risky", 26, _troubles, place=5, weight=3, style="warn"),
    Column[AgentPicture](
        "Lands at",
        16,
        lambda agent: plain(_status(agent).landing),
        lambda agent: _status(agent).landing,
        place=8,
        weight=1,
    ),
)

AGENTS = View[AgentPicture](
    "Agents",
    COLUMNS,
    lambda picture: picture.agents,
    count=lambda picture: len(picture.agents),
    key=lambda agent: agent.address.url,
    details=_details,
    searched=lambda agent: f"{agent.name} {_status(agent).host} {_troubles(agent)}",
    line=_line,
    empty="no agents",
)
