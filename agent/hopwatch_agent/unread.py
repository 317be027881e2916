"""What this agent cannot read of processes that are gone: kept for another agent, up to a bound."""

from collections.abc import Mapping
from operator import itemgetter

from msgspec.structs import replace

from hopwatch_agent.journal.directory import ProcessFiles
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import ProcessState


def unread(files: ProcessFiles, state: ProcessState) -> list[str]:
    """Names of a process's files that are kept although all that could be read of them was."""
    if state.unread_given_up:
        return []
    names = files.all_but_lock()
    return names if state.refusal is not None else [name for name in names if name in state.reported]


class UnreadFiles:
    """Holds them within the bound."""

    def __init__(self) -> None:
        self._given_up = 0

    def give_up(self, listing: Mapping[str, ProcessFiles], draft: Draft, now: int) -> str | None:
        """Lets the files of the processes that went first be unlinked, where too many left some; gives what to tell."""
        kept = [
            (state.gone_at, state, names)
            for process, files in listing.items()
            if (state := draft.processes.get(process)) is not None and state.gone_at is not None
            if (names := unread(files, state))
        ]
        most = draft.limits.processes
        kept.sort(key=itemgetter(0))
        for _, state, names in kept[: max(0, len(kept) - most)]:
            text = f"{names[0]}: unlinked unread, {len(names)} files in all of a process that is gone: no more than {most} such processes' are kept"
            draft.add_fault(text, state, now)
            draft.processes.put(state.process, replace(state, unread_given_up=True))
            self._given_up += 1
        if not self._given_up or len(kept) < most:
            return None
        return (
            f"{most} processes that are gone left files that cannot be read, and those of {self._given_up} more were"
            " unlinked unread (max_processes)"
        )
