"""The lines above the tabs: how it stands at a glance, and with each agent."""

from collections import Counter

from rich.text import Text

from hopwatch_console.fleet.contact_words import NOT_COUNTED, contact_words
from hopwatch_console.fleet.picture import AgentPicture, Phase, Picture
from hopwatch_console.fleet.standing import standing_of
from hopwatch_console.plain import fitted, plain
from hopwatch_console.states import LOSING, PRESSED, STATES, STYLES
from hopwatch_console.top.styles import style_of
from hopwatch_console.words import clock, counted, lasting, number

MARKS = {Phase.HERE: ("●", "good"), Phase.AWAY: ("✗", "bad"), Phase.ASKED: ("…", "dim")}


def summary(picture: Picture, width: int, agent_lines: int, *, paused: bool) -> Text:
    """The first line, and so many for agents at most: those that are away come first."""
    lines = [_glance(picture, width, paused=paused)]
    ordered = sorted(picture.agents, key=lambda agent: agent.contact.phase is not Phase.AWAY)
    shown = ordered if len(ordered) <= agent_lines else ordered[: agent_lines - 1]
    lines += [_agent(agent, picture, width) for agent in shown]
    if len(shown) < len(ordered):
        lines.append(_others(ordered[len(shown) :], width))
    return Text("\n").join(lines)


def _glance(picture: Picture, width: int, *, paused: bool) -> Text:
    states = Counter(standing_of(socket).state for agent in picture.agents for socket in agent.sockets)
    line = Text(no_wrap=True)
    line.append("hopwatch " if width >= 60 else "", style_of("head"))
    for state in STATES:
        if states[state] or state in {LOSING, PRESSED}:
            line.append(
                f" {number(states[state])} {state} ", style_of(STYLES[state] if states[state] else "")
            )
    right = f"PAUSED at {clock(picture.at)} " if paused else f"{clock(picture.at)} UTC "
    left = width - line.cell_len - len(right)
    if left >= 0:
        line.append(" " * left)
        line.append(right, style_of("key" if paused else ""))
    elif paused:
        line = Text("PAUSED ", style=style_of("key"), no_wrap=True).append_text(line)
    line.truncate(width)
    return line


def _agent(agent: AgentPicture, picture: Picture, width: int) -> Text:
    mark, style = MARKS[agent.contact.phase]
    line = Text(no_wrap=True)
    line.append(f"{mark} ", style_of(style))
    line.append(f"{agent.name}  ")
    line.append(contact_words(agent.contact, picture.at), style_of(style))
    trouble = agent.contact.trouble
    if trouble is not None:
        line.append(f": {plain(trouble.text)}. {plain(trouble.advice)}")
    elif agent.status is not None:
        status = agent.status
        line.append(
            f"  {plain(status.host, 40)}  {counted(status.processes, 'process', 'processes')}  {counted(status.sockets, 'socket')}"
        )
        if not status.ready:
            line.append("  does not read its journals", style_of("bad"))
        if status.is_behind:
            line.append(f"  looked {lasting(status.lag_seconds or 0)} ago", style_of("warn"))
        if status.errors:
            line.append(f"  does not work: {plain(status.errors[0].source)}", style_of("bad"))
        if agent.counts_no_losses:
            line.append(f"  {NOT_COUNTED}", style_of("warn"))
    line.truncate(width, overflow="ellipsis")
    return line


def _others(agents: list[AgentPicture], width: int) -> Text:
    away = sum(agent.contact.phase is Phase.AWAY for agent in agents)
    text = (
        f"  and {number(len(agents))} more agents, {number(away)} of them away"
        if away
        else f"  and {number(len(agents))} more agents"
    )
    return Text(fitted(text, width), style=style_of("bad" if away else ""))
