"""From rows in the database to files: form batches, write each, forget it."""

from collections.abc import Callable

from hopwatch_agent.errors import LandingError, UnlandableBatchError
from hopwatch_agent.landing.batches import BEFORE_ALL, Batch, BatchStore
from hopwatch_agent.landing.landing import Landing


class Lander:
    """Lands what waits. Killed between any two steps, it writes the same files again."""

    def __init__(self, store: BatchStore, landing: Landing) -> None:
        self._store = store
        self._landing = landing
        self._unlandable: dict[str, UnlandableBatchError] = {}

    def run_once(self, forgotten: Callable[[int], None]) -> LandingError | None:
        """Forms batches and lands all there are; gives the failure, if there was one.

        ``forgotten`` is told the number of rows after each batch. Raises ``StoreError``.
        """
        unlandable: LandingError | None = None
        place = BEFORE_ALL
        try:
            while True:
                self._store.form()
                while (batch := self._store.next_batch(place)) is not None:
                    unlandable = self._land(batch, forgotten) or unlandable
                    place = batch.place
                if not self._store.unformed():
                    return unlandable
        except LandingError as error:
            return error

    def _land(self, batch: Batch, forgotten: Callable[[int], None]) -> LandingError | None:
        """Gives the failure if it is this batch's own; raises the others, which concern every batch."""
        if batch.name in self._unlandable:
            # another try would cost as much and end no better, but for another version of the agent
            return self._unlandable[batch.name]
        try:
            size = self._landing.write(batch, batch.name, self._store.rows(batch))
        except UnlandableBatchError as error:
            self._unlandable[batch.name] = error
            return error
        forgotten(self._store.forget(batch, size))
        return None

    def close(self) -> None:
        """Closes the database connection."""
        self._store.close()
