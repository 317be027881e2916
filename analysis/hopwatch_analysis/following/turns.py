"""A turn of the job: the batch analysis over the files known by now, and of what it finds, what is closed and untold."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

from hopwatch_judge import counted
from pyspark.sql import DataFrame, SparkSession

from hopwatch_analysis.errors import UnusableInputError
from hopwatch_analysis.files.finding import Checked, find_landed
from hopwatch_analysis.files.landed import Landed, SkippedFile
from hopwatch_analysis.files.output import to_write
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.following.books import Book, Books, keep_carry
from hopwatch_analysis.following.cut import carried_in, carried_over, tables_from
from hopwatch_analysis.following.known import Arrivals, arrivals, still_missed
from hopwatch_analysis.following.landing import landed_rows
from hopwatch_analysis.following.settings import Following
from hopwatch_analysis.following.told import Closing, News, news, sums
from hopwatch_analysis.incidents.incidents import incidents, with_largest_burst_of_all
from hopwatch_analysis.links import clocks
from hopwatch_analysis.page import page
from hopwatch_analysis.pipeline import find_losses
from hopwatch_analysis.recovery import Progress, on_sound_files, tell, tell_set_aside
from hopwatch_analysis.report.identities import identities
from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.report_json import report, write_page, write_report
from hopwatch_analysis.report.summary import summarize
from hopwatch_analysis.spark.session import suited_to
from hopwatch_analysis.topology import Scope

END_OF_TIME = datetime.max.replace(tzinfo=timezone.utc)
"""By then everything has ended."""


class _FolderAwayError(Exception):
    """A folder that is followed cannot be listed now."""


class Turns:
    """All turns of a process, one after the other."""

    def __init__(self, spark: SparkSession, job: Following, progress: Progress, checked: Checked) -> None:
        self._spark, self._job, self._progress = spark, job, progress
        self._books = Books(job.checkpoint / "books", job.out / "incidents")
        self._book = self._books.last()
        self._checked = checked
        self._named: set[str] = set()
        self.newest: Analysis | None = None
        """What the last turn found."""
        self.waits = False
        """A folder was away, so that no turn was taken."""

    def take(self, *, quiet: bool = False) -> bool:
        """Analyse if there are new files, and land what is new; whether anything has come. ``quiet``: nothing has come for so long
        that whatever has ended is closed. No turn is taken while a folder is away: all that was told of its files would look otherwise.

        Raises AnalysisError.
        """
        self.waits = False
        try:
            landed = self._listed()
            return landed is not None and self._taken(landed, quiet=quiet)
        except _FolderAwayError as error:
            self._progress(f"{error}; waiting for it")
            self.waits = True
            return False

    def _taken(self, landed: Landed, *, quiet: bool) -> bool:
        arrived = arrivals(landed.files, self._book.known, self._book.away)
        if arrived.any_came or quiet:
            came = counted(len(arrived.new) + len(arrived.returned), "new file")
            self._progress(f"{came} of {len(landed.files)}")
            with suited_to(self._spark, landed.rows):
                on_sound_files(
                    landed,
                    lambda files: self._analyze(files, quiet=quiet),
                    out=self._job.out,
                    listed_again=self._found,
                    progress=self._progress,
                )
        return arrived.any_came

    def _listed(self) -> Landed | None:
        try:
            landed = self._found()
        except UnusableInputError as error:
            self._progress(f"{error}; waiting for files to land")
            return None
        tell([item for item in landed.skipped if item.file not in self._named], self._progress)
        self._named |= {item.file for item in landed.skipped}
        return landed

    def _found(self) -> Landed:
        landed = find_landed(self._job.events, self._checked)
        for item in landed.skipped:
            if item.file in self._job.events:
                raise _FolderAwayError(f"{item.file} {item.reason}")
        return landed

    def _analyze(self, landed: Landed, *, quiet: bool) -> None:
        self._remember_damaged(landed)
        if landed.latest is None:
            self._progress("no row says when it is of: nothing to analyse yet")
            return
        newest = min(landed.latest, datetime.now(timezone.utc))  # a clock that is ahead closes nothing early
        arrived = arrivals(landed.files, self._book.known, self._book.away)
        cut, told = self._from_where(arrived, newest)
        landed, as_told = tables_from(self._spark, landed, cut, carried_in(self._book.carry))
        tell_set_aside(landed.set_aside, self._progress)
        differences = clocks.differences(as_told)
        ahead = clocks.steady(clocks.ahead_by(differences), self._book.clocks)
        tables = clocks.by_one_clock(as_told, ahead)
        ends_at = min(newest, landed.latest_by(ahead) or newest)
        compared = clocks.compared_by(differences)
        begins = cut or landed.earliest
        heard_until = landed.heard_until(ahead)
        scope = Scope(ends_at, self._job.guard, cut, begins, compared, landed.unreadable_hosts, heard_until)
        results = find_losses(tables, scope, self._progress)
        closing = self._closing(newest, quiet=quiet)
        found = news(results["lost_runs"], told, closing)
        known = identities(tables)
        number = self._book.number + 1
        fresh = incidents(found.fresh, results["meanwhile"]).transform(
            with_largest_burst_of_all, results["lost_runs"]
        )
        rows = landed_rows(number, fresh.collect(), found.corrections.collect(), known)
        found_all, all_incidents = summarize(results, known, landed, scope)
        analysis = replace(found_all, clocks=ahead)
        self.newest = analysis
        write_report(report(analysis, all_incidents), self._job.out)
        write_page(page(analysis), self._job.out)
        paths = frozenset(file.path for file in landed.files)
        away = still_missed(arrived.gone, paths)
        next_cut = self._next_cut(cut, landed, arrived, newest)
        book = Book(number, next_cut, closing.tells_through, paths | away, away, ahead)
        self._book = self._books.write(book, rows, self._filling(book, cut, landed, as_told, found, newest))
        self._progress(_said(number, rows.num_rows if rows else 0, analysis.incident_count))

    def _closing(self, newest: datetime, *, quiet: bool) -> Closing:
        horizon, longest = self._job.horizon(newest), self._job.longest
        told_through = self._book.told_through
        through = max(horizon - timedelta(seconds=longest), told_through)
        return Closing(END_OF_TIME if quiet else horizon, longest, told_through, through)

    def _from_where(self, arrived: Arrivals, newest: datetime) -> tuple[datetime | None, DataFrame]:
        """Where samples are read from, and what is told of as seen from there: further back, if late files reach back so far.

        What was told of files that were removed stays told, and is not told again when they are back.
        """
        cut, told = self._book.cut, self._book.told(self._spark)
        reached = arrived.reach_back_to(cut) if cut else None
        if reached is not None:
            self._progress(
                f"files that came late tell of {reached:%Y-%m-%d %H:%M:%S} on: reading back to there"
            )
            cut = reached - timedelta(seconds=self._job.wait)
        if reached is not None or arrived.old_ones_differ:
            seen = replace(self._book, cut=cut)
            early = self._book.early(self._spark)
            told = self._sums(Landed(arrived.old, ()), seen, told, early, newest, self._book.carry)
        return cut, told

    def _sums(
        self,
        landed: Landed,
        book: Book,
        told: DataFrame,
        early: DataFrame,
        newest: datetime,
        carry: Path | None,
    ) -> DataFrame:
        """What is told of, as it is seen in these files by a book's clocks and from its cut on."""
        landed, tables = tables_from(self._spark, landed, book.cut, carried_in(carry))
        compared = clocks.compared_by(clocks.differences(tables))
        tables = clocks.by_one_clock(tables, book.clocks)
        begins = book.cut or landed.earliest
        heard_until = landed.heard_until(book.clocks)
        scope = Scope(
            newest, self._job.guard, book.cut, begins, compared, landed.unreadable_hosts, heard_until
        )
        return sums(find_losses(tables, scope, _silent)["lost_runs"], told, early, book.told_through)

    def _next_cut(
        self, cut: datetime | None, landed: Landed, arrived: Arrivals, newest: datetime
    ) -> datetime | None:
        """The window's beginning, once it is well behind the cut."""
        if cut and arrived.reach_back_to(self._book.cut or cut):
            return cut
        begins = newest - timedelta(seconds=self._job.window)
        since = cut or landed.earliest or begins
        return begins if (begins - since).total_seconds() >= self._job.longest else cut

    def _filling(
        self,
        book: Book,
        cut: datetime | None,
        landed: Landed,
        tables: Tables,
        found: News,
        newest: datetime,
    ) -> Callable[[Path], None]:
        """Writes what is told, and where the cut moves on, what is carried over it and what is told as seen from there."""

        def fill(folder: Path) -> None:
            told = found.told
            if book.cut is not None and book.cut != cut:
                self._progress(f"samples from before {book.cut:%Y-%m-%d %H:%M:%S} are summed up")
                for kind, frame in carried_over(tables, book.cut).items():
                    _write(frame, folder / "carry" / kind)
                told = self._sums(landed, book, told, found.early, newest, folder / "carry")
            else:
                keep_carry(self._book, folder)
            _write(told, folder / "told")
            _write(found.early, folder / "early")

        return fill

    def _remember_damaged(self, landed: Landed) -> None:
        """Files that cost a failure of Spark to be found out are not read again, unless they are written anew."""
        found = {item.file: item for item in landed.skipped if item.lasting}
        for listed, was in list(self._checked.items()):
            if listed.path in found and not isinstance(was, SkippedFile):
                self._checked[listed] = found[listed.path]
                self._named.add(listed.path)


def _write(frame: DataFrame, folder: Path) -> None:
    frame.coalesce(1).write.parquet(to_write(folder))


def _said(number: int, rows: int, reported: int) -> str:
    closed = f"{counted(rows, 'incident')} landed as batch {number}" if rows else "nothing new is closed"
    return (
        f"{closed}; the report tells of {counted(reported, 'incident')}, those that are still open included"
    )


def _silent(_line: str) -> None:
    """Progress of what is done once more."""
