"""Merging of small landed files into larger ones, a step at a time. Killed between any two steps, it goes on."""

from dataclasses import dataclass

from hopwatch_agent.errors import LandingError, UnmergeableFileError
from hopwatch_agent.landing.batches import BatchStore
from hopwatch_agent.landing.files import FileStore
from hopwatch_agent.landing.landing import Landing

REMOVED_AT_ONCE = 200
READING_SECONDS = 3600.0
"""For so long parts stay where no new files are merged any more."""


@dataclass(frozen=True)
class MergeRule:
    """Every ``seconds`` (0: never) small files become ones of at most ``size`` bytes.

    The parts stay for as long again: readers that have listed them can read them to the end.
    """

    seconds: float
    size: int


class Merger:
    """Merges what the lander has landed. Used by the same thread."""

    def __init__(self, store: BatchStore, landing: Landing, rule: MergeRule) -> None:
        self._files = FileStore(store)
        self._landing = landing
        self._rule = rule

    def run_once(self) -> LandingError | None:
        """Makes one merged file if it is time, and removes some parts of older ones; gives the failure.

        Raises ``StoreError``.
        """
        try:
            if not self._rule.seconds:
                self._files.forget()
            elif self._files.since_planned() >= self._rule.seconds:
                self._files.plan(self._rule.size)
            self._make_one()
            self._remove_some()
        except LandingError as error:
            return error
        return None

    def _make_one(self) -> None:
        whole = self._files.next_merge()
        if whole is None:
            return
        parts = self._files.parts(whole)
        if len(parts) < 2:
            self._files.give_up_merge(whole, None)
            return
        rows = sum(part.rows for part in parts)
        try:
            size = self._landing.merge([part.batch for part in parts], whole, rows)
        except UnmergeableFileError as error:
            # a run before may have made it: without its parts it would stand in the way of other ones
            self._landing.remove(whole)
            self._files.give_up_merge(whole, error.file)
            raise
        self._files.merged(whole, rows, size)

    def _remove_some(self) -> None:
        seconds = self._rule.seconds or READING_SECONDS
        removable = self._files.removable(seconds, REMOVED_AT_ONCE)
        for file in removable:
            self._landing.remove(file)
        if removable:
            self._files.removed(removable)
