"""Events to changes of the current state, and to rows."""

from itertools import islice

from msgspec.structs import replace

from hopwatch_agent import records
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.limits import ADVICE_LIMIT, OPTIONS_KEPT, kept, kept_or_none
from hopwatch_agent.live.rows import counters_row, process_row, role_of, rows_of, socket_row
from hopwatch_agent.live.series import series_of
from hopwatch_agent.live.state import (
    Finding,
    LaneState,
    ProcessState,
    SocketState,
    Values,
)
from hopwatch_agent.live.steps import Step, update
from hopwatch_agent.live.updates_of_connections import let_go, unreached

FINDINGS_KEPT = 50
ENDPOINTS_KEPT = 100
UNSUBSCRIBED_KEPT = 100


_MANY = (records.Gap, records.Late, records.Onset, records.Unroutable)
"""Events that come in floods, and change nothing but the record."""


def apply_event(event: records.AnyEvent, process: ProcessState, draft: Draft) -> ProcessState:
    """Adds the event's rows and changes to the draft; gives the process as it is after it."""
    if isinstance(event, _MANY):
        for kind, values in rows_of(event):
            draft.add(kind, values, process, event.t, event.n)
        return process
    step = Step(process, draft)
    if isinstance(event, records.Opened):
        socket = _opened(event, step)
        draft.add(*socket_row("opened", socket), process, event.t, event.n)
        if not draft.sockets.put(socket.socket, _held(socket, step)):
            draft.left_out["sockets"] += 1
    elif isinstance(event, records.Closed):
        _closed(event, step)
    elif isinstance(event, records.Exit):
        draft.add(*process_row("exited"), process, event.t, event.n)
        return replace(process, exited_at=event.t)
    else:
        for kind, values in rows_of(event):
            draft.add(kind, values, process, event.t, event.n)
        update(event, step)
    return process


def _opened(event: records.Opened, step: Step) -> SocketState:
    return SocketState(
        socket=event.socket,
        process=step.process.process,
        name=event.name,
        type=event.type,
        sequence=event.sequence,
        probed=event.probed,
        proxy=event.proxy,
        options=event.options,
        slot=event.slot,
        opened_at=event.t,
    )


def _held(socket: SocketState, step: Step) -> SocketState:
    # a journal that opens a socket twice must not make its series count less
    step.draft.keep_counts(socket.socket)
    return replace(
        socket,
        series=step.draft.join_series(series_of(socket, step.process), socket.opened_at),
        name=kept(socket.name),
        type=kept(socket.type),
        sequence=kept_or_none(socket.sequence),
        options={kept(name): value for name, value in islice(socket.options.items(), OPTIONS_KEPT)},
    )


def _closed(event: records.Closed, step: Step) -> None:
    counts = tuple(event.counters.get(name, 0) for name in COUNTERS)
    socket = step.draft.sockets.get(event.socket)
    if socket is not None:
        step.draft.add(*socket_row("closed", socket, event.unread), step.process, event.t, event.n)
        ended = replace(socket, closed_at=event.t, unread=event.unread, counters=counts, final=True)
        step.draft.sockets.put(event.socket, ended)
    else:
        row: Values = {"socket": event.socket, "state": "closed", "unread": event.unread}
        step.draft.add("socket", row, step.process, event.t, event.n)
    step.draft.add(*counters_row(event.socket, counts, final=True), step.process, event.t, event.n)


@update.register
def _(event: records.OptionSet, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    if socket is None or not isinstance(event.value, int) or abs(event.value) > records.INT64_MAX:
        return
    if event.option in socket.options or len(socket.options) < OPTIONS_KEPT:
        options = {**socket.options, kept(event.option): event.value}
        step.draft.sockets.put(event.socket, replace(socket, options=options))


@update.register(records.Bind)
@update.register(records.Connect)
@update.register(records.Endpoint)
def _(event: records.EndpointEvent, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    endpoint = kept(event.endpoint)
    if socket is None or endpoint in socket.endpoints or len(socket.endpoints) >= ENDPOINTS_KEPT:
        return
    step.draft.sockets.put(event.socket, replace(socket, endpoints=(*socket.endpoints, endpoint)))


@update.register(records.Unbind)
@update.register(records.Disconnect)
def _(event: records.EndpointEvent, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    if socket is not None:
        endpoints = tuple(endpoint for endpoint in socket.endpoints if endpoint != kept(event.endpoint))
        step.draft.sockets.put(event.socket, replace(socket, endpoints=endpoints))
        step.draft.connections.drop(unreached(event.socket, event.endpoint))
    if isinstance(event, records.Disconnect):
        let_go(event, step)


@update.register
def _(event: records.ProbingStopped, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    if socket is not None:
        step.draft.sockets.put(event.socket, replace(socket, probing_stopped=True))


@update.register
def _(event: records.ProxyStarted, step: Step) -> None:
    for side in (event.frontend, event.backend):
        socket = step.draft.sockets.get(side)
        if socket is not None and socket.process == step.process.process:
            step.draft.sockets.put(side, replace(socket, proxy=event.proxy))


@update.register
def _(event: records.Unsubscribe, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    if socket is not None:
        prefix, others = (
            event.topic,
            [left for left in socket.unsubscribed if not left[0].startswith(event.topic)],
        )
        if len(others) >= UNSUBSCRIBED_KEPT:
            prefix, others = "", []  # which ones is not kept any more: any topic may have been left
        left = (*others, (prefix, event.t))
        step.draft.sockets.put(event.socket, replace(socket, unsubscribed=left))


@update.register
def _(event: records.LaneAnnounced, step: Step) -> None:
    key = (event.socket, event.stream, event.lane)
    lane = step.draft.lanes.get(key) or LaneState(*key, process=step.process.process)
    if not step.draft.lanes.put(key, replace(lane, topic=kept(event.topic), gave_way=False)):
        step.draft.left_out["lanes"] += 1
    note_numbers(event.socket, event.stream, step.draft)


@update.register
def _(event: records.Lanes, step: Step) -> None:
    for stream, number, *numbers in event.lanes:
        key = (event.socket, stream, number)
        lane = step.draft.lanes.get(key) or LaneState(*key, process=step.process.process)
        told = with_numbers(lane, tuple(numbers), final=event.final or lane.final)
        step.draft.lanes.put(key, replace(told, gave_way=not event.final and stream != event.socket))
        note_numbers(event.socket, stream, step.draft)


def note_numbers(socket: str, stream: str, draft: Draft) -> None:
    """A lane has been seen at this socket, whether it was announced or not."""
    known = draft.sockets.get(socket)
    if known is not None and not known.gets_numbers and role_of(socket, stream) == "receive":
        draft.sockets.put(socket, replace(known, gets_numbers=True))


def with_numbers(lane: LaneState, numbers: tuple[int, ...], *, final: bool) -> LaneState:
    """The lane with words 3 to 7 of its slot."""
    count, frames, first, following, newest = numbers
    return replace(
        lane,
        count=count,
        frames=frames,
        first=first,
        next=following,
        newest_sent_at=newest,
        final=final,
    )


@update.register
def _(event: records.FindingMade, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket)
    finding = Finding(kept(event.rule), kept(event.text, ADVICE_LIMIT), kept(event.advice, ADVICE_LIMIT))
    if socket is None or finding in socket.findings:
        return
    findings = list(socket.findings)
    told = [place for place, known in enumerate(findings) if known.rule == finding.rule]
    if told:  # how often it was found is told again when it is more
        findings[told[0]] = finding
    elif len(findings) < FINDINGS_KEPT:
        findings.append(finding)
    step.draft.sockets.put(event.socket, replace(socket, findings=tuple(findings)))


@update.register
def _(event: records.FaultCaught, step: Step) -> None:
    socket = step.draft.sockets.get(event.socket) if event.socket else None
    if socket is not None:
        step.draft.sockets.put(socket.socket, replace(socket, instrumentation_fault=kept(event.text)))
