"""Reading of one process's counters files: what has changed, at most once a second."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import ge
from pathlib import Path

from msgspec.structs import replace

from hopwatch_agent.backlog.read import NEVER, Span
from hopwatch_agent.errors import RefusedFileError, UnavailableFileError, UnreadableCountersError
from hopwatch_agent.journal import counters_file
from hopwatch_agent.journal.counters_file import Content, CountersFile, Room
from hopwatch_agent.journal.directory import ProcessFiles
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.limits import share
from hopwatch_agent.live.owners import claim_to_anothers
from hopwatch_agent.live.rows import NO_STREAM, counters_row, lane_row
from hopwatch_agent.live.state import LaneKey, LaneState, ProcessState
from hopwatch_agent.live.updates import note_numbers, with_numbers
from hopwatch_agent.tail import report_once

SAMPLE_SECONDS = 1.0
FILES_READ = 1_000
BYTES_READ = 64 * 1024 * 1024
PROXIED_AT = COUNTERS.index("proxied_at")
MAY_FALL = frozenset({"lost", "pending_sends"})
_ONLY_GROW = tuple(place for place, name in enumerate(COUNTERS) if name not in MAY_FALL)


@dataclass(frozen=True)
class Moment:
    """When a tick is. ``wall`` in nanoseconds since 1970, ``clock`` in monotonic seconds.

    ``forced``: sample all that changed, however short ago the last sample was.
    """

    wall: int
    clock: float
    forced: bool = False


@dataclass
class Readings:
    """What was read of one process; not kept, since it can be read again."""

    sampled: dict[object, float] = field(default_factory=dict)
    sockets: dict[str, tuple[int, ...]] = field(default_factory=dict)
    lanes: dict[LaneKey, tuple[int, ...]] = field(default_factory=dict)
    span: Span = NEVER
    """When these numbers were read."""

    files: dict[int, tuple[tuple[int, int, bool, Room], CountersFile]] = field(default_factory=dict)
    """What each counters file said, by its content's size and hash: most are the same at the next tick."""

    settled: bool = False
    """Whether there is nothing that a sample would add, as long as no file changes and no event comes."""

    def parsed(self, content: Content, process: str, index: int, room: Room) -> CountersFile:
        """What the file says; raises ``UnreadableCountersError``."""
        key = len(content.data), hash(content.data), content.is_copy, room
        before = self.files.get(index)
        if before is not None and before[0] == key:
            return before[1]
        self.settled = False
        file = counters_file.parse(content, process, index, room)
        self.files[index] = (key, file)
        return file

    def begin(self) -> None:
        """Makes room for a new reading; whatever has ended is not in it."""
        ended = self.sampled.keys() - self.sockets.keys() - self.lanes.keys()
        for key in ended:
            del self.sampled[key]
        self.sockets = {}
        self.lanes = {}

    def due(self, key: object, moment: Moment) -> bool:
        """Whether a row for this key may be made now; if so, notes that it is."""
        if not moment.forced and moment.clock - self.sampled.get(key, -SAMPLE_SECONDS) < SAMPLE_SECONDS:
            return False
        self.sampled[key] = moment.clock
        return True


@dataclass(frozen=True)
class CountersReading:
    """The files of a process that could be read, and whether one could not be read just now."""

    process: ProcessState
    files: list[CountersFile]
    unavailable: bool


def read_counters(
    directory: Path, files: ProcessFiles, process: ProcessState, draft: Draft, now: int, readings: Readings
) -> CountersReading:
    """Every counters file that can be read; one fault for each that cannot."""
    read: list[CountersFile] = []
    room = Room(share(draft.limits.sockets), share(draft.limits.lanes))
    unavailable = False
    for index, name in sorted(files.counters.items()):
        if len(read) >= FILES_READ or sum(file.size for file in read) > BYTES_READ:
            text = f"{directory / name}: one of too many counters files"
            process = report_once(name, text, process, draft, now)
            break
        try:
            file = _read_one(directory / name, process.process, index, room, readings)
        except FileNotFoundError:
            unavailable = True
            continue
        except UnavailableFileError as error:
            draft.unavailable.append(str(error))
            unavailable = True
            continue
        if isinstance(file, str):
            process = report_once(name, file, process, draft, now)
        else:
            read.append(file)
            room = room.after(file)
            if not file.whole:
                text = f"{directory / name}: more slots are taken than are read of one process"
                process = report_once("slots", text, process, draft, now)
    return CountersReading(process, read, unavailable)


def _read_one(path: Path, process: str, index: int, room: Room, readings: Readings) -> CountersFile | str:
    """The file, or what is wrong with it. Raises ``FileNotFoundError`` and ``UnavailableFileError``."""
    try:
        return readings.parsed(counters_file.read_content(path), process, index, room)
    except RefusedFileError as error:
        return str(error)
    except UnreadableCountersError as error:
        return f"{path}: {error}"


@dataclass(frozen=True)
class Sampler:
    """Takes samples of one process that lives."""

    readings: Readings
    process: ProcessState
    draft: Draft
    moment: Moment
    claims: list[str] = field(default_factory=list)
    """To sockets of other processes."""

    def sample(self, counters: list[CountersFile]) -> ProcessState:
        """Adds a row for each socket and lane whose numbers have changed."""
        self.readings.begin()
        self.readings.settled = True
        for file in counters:
            for number, words in file.sockets:
                self._socket((file.index, number), words)
            for key, numbers in lanes_of(file):
                self._lane(key, numbers)
        process = with_claims(self.claims, self.process, self.draft, self.moment.wall)
        return with_header(counters, process)

    def _is_anothers(self, socket: str) -> bool:
        claim = claim_to_anothers(socket, self.process, self.draft)
        if claim is not None:
            self.claims.append(claim)
        return claim is not None

    def _socket(self, slot: tuple[int, int], words: tuple[int, ...]) -> None:
        socket = self.draft.sockets.get(f"{words[0]:016x}")
        counts = words[1:]
        # a slot that is being taken over by another socket is not that socket's yet
        if socket is None or self._is_anothers(socket.socket):
            return
        if socket.final or socket.slot != slot or _shrunk(counts, socket.counters):
            return
        self.readings.sockets[socket.socket] = counts
        if _same(counts, socket.counters):
            return
        if not self.readings.due(socket.socket, self.moment):
            self.readings.settled = False
            return
        self.draft.sockets.put(socket.socket, replace(socket, counters=counts))
        self.draft.add(*counters_row(socket.socket, counts, final=False), self.process, self.moment.wall)

    def _lane(self, key: LaneKey, numbers: tuple[int, ...]) -> None:
        socket = self.draft.sockets.get(key[0])
        known = self.draft.lanes.get(key)
        lane = known or LaneState(*key, process=self.process.process)
        # what is counted of no lane may turn out to be of one
        fell = numbers[0] < lane.count and key[1] != NO_STREAM
        if socket is None or self._is_anothers(socket.socket) or socket.final or lane.final or fell:
            return
        if known is None and not self.draft.lanes.put(key, lane):
            self.readings.settled = False
            return
        self.readings.lanes[key] = numbers
        note_numbers(*key[:2], self.draft)
        if numbers == lane.numbers:
            return
        if not self.readings.due(key, self.moment):
            self.readings.settled = False
            return
        self.draft.lanes.put(key, with_numbers(lane, numbers, final=False))
        self.draft.add(*lane_row(*key, "sample", numbers), self.process, self.moment.wall)


def with_header(counters: list[CountersFile], process: ProcessState) -> ProcessState:
    """The process with what the header of its first counters file says."""
    unwritten = max((file.events_unwritten for file in counters if file.index == 0), default=0)
    if unwritten <= process.events_unwritten:
        return process
    return replace(process, events_unwritten=unwritten)


def with_claims(claims: list[str], process: ProcessState, draft: Draft, now: int) -> ProcessState:
    """Adds one fault for all the slots that a process has of others' sockets."""
    if not claims:
        return process
    text = f"process {process.process} has slots of others' sockets, which are passed over: {claims[0]}"
    return report_once("claims", text, process, draft, now)


def lanes_of(file: CountersFile) -> Iterator[tuple[LaneKey, tuple[int, ...]]]:
    """Each lane that has a slot, and words 3 to 7 of it."""
    for _, words in file.lanes:
        yield (f"{words[0]:016x}", f"{words[1]:016x}", words[2]), words[3:]


def _same(counts: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Whether nothing was counted since, though a proxy's counts may have been confirmed: that alone is worth no row."""
    return counts[:PROXIED_AT] == before[:PROXIED_AT] and counts[PROXIED_AT + 1 :] == before[PROXIED_AT + 1 :]


def _shrunk(counts: tuple[int, ...], before: tuple[int, ...]) -> bool:
    """Whether what only grows is less than it was."""
    if all(map(ge, counts, before)):
        return False
    return any(counts[place] < before[place] for place in _ONLY_GROW)
