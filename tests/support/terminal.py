"""A real terminal: a pseudo-terminal with a program on it, and the screen as pyte, a terminal emulator, shows it."""

import errno
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyte
from agent_process import eventually
from console_command import without_hopwatch
from preloaded import HOPWATCH, start_on_terminal


@dataclass
class Terminal:
    """A program on a terminal of its own."""

    process: "subprocess.Popen[str]"
    master: int
    screen: pyte.Screen
    before: list[object]
    """The terminal's settings before the program had begun."""
    raw: bytearray = field(default_factory=bytearray)
    """All that was written to the terminal."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def lines(self) -> list[str]:
        """The screen, without blanks at the ends of lines."""
        columns, lines = range(self.screen.columns), range(self.screen.lines)
        with self.lock:
            # not its display, which fails where one half of a wide character is drawn over
            rows = [[self.screen.buffer[line][column].data for column in columns] for line in lines]
        return ["".join(row).rstrip() for row in rows]

    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines())

    def press(self, keys: str) -> None:
        """Types."""
        os.write(self.master, keys.encode())

    def shows(self, text: str, seconds: float = 60.0) -> str:
        """Waits until a text is on the screen; gives the screen."""
        return self.becomes(lambda screen: text in screen, seconds, text)

    def becomes(self, condition: Callable[[str], bool], seconds: float = 60.0, what: str = "") -> str:
        """Waits until the screen is so; gives it."""
        try:
            eventually(lambda: condition(self.text()), seconds)
        except AssertionError as error:
            raise AssertionError(f"{what!r} is not on the screen:\n{self.text()}") from error
        return self.text()

    def resize(self, columns: int, lines: int) -> None:
        """As if somebody drew the window larger or smaller."""
        with self.lock:
            self.screen.resize(lines, columns)
        _set_size(self.master, columns, lines)

    def settings(self) -> list[object]:
        """The terminal's own: echo, line mode, and so on."""
        return settings_of(self.master)


def settings_of(terminal: int) -> list[object]:
    """Echo, line mode, and so on."""
    return list(termios.tcgetattr(terminal))


@contextmanager
def terminal(
    *arguments: object, columns: int = 80, lines: int = 24, variables: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """`hopwatch` with these arguments on a new terminal, which is killed at the end if it has not ended."""
    with on_terminal(
        [str(HOPWATCH), *map(str, arguments)], columns=columns, lines=lines, variables=variables
    ) as shown:
        yield shown


@contextmanager
def on_terminal(
    command: list[str], *, columns: int = 80, lines: int = 24, variables: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """Any program."""
    master, slave = pty.openpty()
    _set_size(master, columns, lines)
    before = settings_of(master)
    process = _started(command, slave, variables or {})
    shown = Terminal(process, master, pyte.Screen(columns, lines), before)
    stop = threading.Event()
    reader = threading.Thread(target=_read, args=(shown, stop))
    reader.start()
    try:
        yield shown
    finally:
        process.kill()
        process.wait()
        stop.set()
        reader.join()
        os.close(slave)
        os.close(master)


def _started(command: list[str], terminal: int, variables: Mapping[str, str]) -> "subprocess.Popen[str]":
    env = {**without_hopwatch(), "TERM": "xterm-256color", "LANG": "C.UTF-8", **variables}
    return start_on_terminal(command, env, terminal)


def _read(shown: Terminal, stop: threading.Event) -> None:
    stream = pyte.ByteStream(shown.screen)
    while not stop.is_set():
        ready, _, _ = select.select([shown.master], [], [], 0.05)
        if not ready:
            continue
        try:
            data = os.read(shown.master, 65536)
        except OSError as error:
            if error.errno == errno.EIO:
                return
            raise
        with shown.lock:
            shown.raw += data
            stream.feed(data)


def _set_size(master: int, columns: int, lines: int) -> None:
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
