"""The thread that looks for a new report: neither ticks nor answers wait for it."""

import threading

from hopwatch_agent.errors import AgentError, NoReportError
from hopwatch_agent.live.board import Board
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.report.content import content_of
from hopwatch_agent.report.file import Mark, ReportFile
from hopwatch_agent.report.findings import analysed

SOURCE = "report"

log = EventLogger(__name__)


class ReportLoop:
    """Shows what the report says, and anew when it is another one. What cannot be used replaces nothing, and is an error; that there
    is none yet is a warning: an analysis takes a while, and the address may be wrong.
    """

    def __init__(self, uri: str | None, board: Board) -> None:
        """Raises ``SettingsError``. Without an address there is nothing to do."""
        file = None if uri is None else ReportFile(uri)
        self._board = board
        self._seen: Mark | None = None
        self._used: Mark | None = None
        self._problem: str | None = None
        self._awaited: str | None = None
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        if file is not None:
            self._thread = threading.Thread(
                target=self._run, args=(file,), name="hopwatch-report", daemon=True
            )

    def start(self) -> None:
        """Begins to look."""
        if self._thread is not None:
            self._thread.start()

    def end(self) -> None:
        """Looks no more. Nobody waits for a place that does not answer."""
        self._ending.set()

    def _run(self, file: ReportFile) -> None:
        while not self._ending.is_set():
            self._look(file)
            self._ending.wait(file.look_seconds)

    def _look(self, file: ReportFile) -> None:
        self._awaited = None
        try:
            self._renew(file)
        except NoReportError as error:
            self._tell_of_none(file, error)
        except AgentError as error:
            self._problem = self._cannot_use(file, str(error))
        except Exception as error:
            log.exception("report_failed")
            self._problem = self._cannot_use(file, f"unexpected: {error!r}")
        self._board.set_error(SOURCE, self._problem)
        self._board.set_warning(SOURCE, self._awaited)

    def _tell_of_none(self, file: ReportFile, error: NoReportError) -> None:
        if self._used is None:
            self._problem = None
            self._awaited = f"no analysis has written {file.shown} yet; {self._meanwhile()}"
        else:
            self._problem = self._cannot_use(file, str(error))

    def _renew(self, file: ReportFile) -> None:
        before, self._seen = self._seen, None
        mark = file.mark()
        if mark == before:
            self._seen = before
            return
        text = file.read(mark)
        # what it says does not get better by being read again
        self._seen = mark
        content = content_of(text)
        self._board.show_report(analysed(content, mark.written_at))
        self._used, self._problem = mark, None
        log.info("report_renewed", file=file.shown, incidents=len(content.incidents))

    def _cannot_use(self, file: ReportFile, why: str) -> str:
        return f"cannot use the analysis' report {file.shown}: {why}; {self._meanwhile()}"

    def _meanwhile(self) -> str:
        if self._used is None:
            return "until one can be used, incidents are the agent's own alone"
        return f"that of {self._used.written_at.isoformat(timespec='seconds')} goes on to be told"
