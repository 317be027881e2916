"""Which readings are worth a row."""

from collections.abc import Container

LANDED_EVERY = 10.0


class Landings:
    """One row a key in ten seconds at most, and none for a reading that was landed already."""

    def __init__(self) -> None:
        self._landed: dict[object, tuple[float, object]] = {}

    def due(self, key: object, reading: object, clock: float, *, at_once: bool = False) -> bool:
        """Whether to land it now; if so, notes that it is. ``clock``: monotonic seconds."""
        before = self._landed.get(key)
        if before is not None and (
            before[1] == reading or not (at_once or clock - before[0] >= LANDED_EVERY)
        ):
            return False
        self._landed[key] = clock, reading
        return True

    def keep(self, keys: Container[object]) -> None:
        """Forgets all others."""
        self._landed = {key: landed for key, landed in self._landed.items() if key in keys}
