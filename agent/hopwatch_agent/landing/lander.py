"""From rows in the database to files: form batches, write each, forget it."""

from collections.abc import Callable

from hopwatch_agent.errors import LandingError, UnlandableBatchError
from hopwatch_agent.landing.batches import Batch, BatchStore
from hopwatch_agent.landing.parquet import Landing


class Lander:
    """Lands what waits. Killed between any two steps, it writes the same files again."""

    def __init__(self, store: BatchStore, landing: Landing) -> None:
        self._store = store
        self._landing = landing

    def unformed(self) -> int:
        """How many rows have not been put into batches yet."""
        return self._store.unformed()

    def run_once(self, forgotten: Callable[[int], None]) -> LandingError | None:
        """Forms batches and lands all there are; gives the failure, if there was one.

        ``forgotten`` is told the number of rows after each batch. Raises ``StoreError``.
        """
        unlandable: LandingError | None = None
        try:
            while True:
                self._store.form()
                for batch in self._store.batches():
                    unlandable = self._land(batch, forgotten) or unlandable
                if unlandable is not None or not self._store.unformed():
                    return unlandable
        except LandingError as error:
            return error

    def _land(self, batch: Batch, forgotten: Callable[[int], None]) -> LandingError | None:
        """Gives the failure if it is this batch's own; raises the others, which concern every batch."""
        try:
            self._landing.write(batch, self.name_of(batch), self._store.rows(batch))
        except UnlandableBatchError as error:
            return error
        forgotten(self._store.forget(batch))
        return None

    def name_of(self, batch: Batch) -> str:
        """The file's name: a function of the batch alone."""
        return f"{self._store.database}-{batch.first:012d}-{batch.last:012d}"

    def close(self) -> None:
        """Closes the database connection."""
        self._store.close()
