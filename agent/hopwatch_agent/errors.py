"""What can go wrong in the agent.

HopwatchError
    AgentError
        SettingsError               a setting that cannot be used: the agent does not start
        DataDirectoryError          the agent's own folder cannot be used, or another agent has it
        UnreadableLineError         a journal line that is none
        ForeignFormatError          a journal of a format that this agent does not read
        UnreadableCountersError     a counters file of a foreign version, or none at all
        RefusedFileError            a symbolic link or something else that is no regular file
            ForbiddenFileError      one that the agent may not read: what it says is not known
        UnavailableFileError        a journal file that cannot be read now, and may be later
        DirectoryInUseError         another agent reads the journal directory
        ForeignDirectoryError       another user decides what the journal directory is
        CleaningError               journal files that are not needed any more cannot be unlinked
        StoreError                  the database refused: nothing of the step was kept
        LandingError                a batch could not be written to its place
            UnlandableBatchError    its rows fit no table: other batches may land
            UnmergeableFileError    a landed file is not as it was landed: others may be merged
        KernelError                 the kernel does not tell what it is asked for: everything else goes on
        ReportError                 the analysis' report cannot be used: the last good one goes on to be told
            NoReportError           there is none: none has been written yet, or it is gone
        TelemetryError              what happened, or metrics, could not be exported: everything else goes on
"""

from hopwatch.errors import HopwatchError


class AgentError(HopwatchError):
    """Root of the agent's errors."""


class SettingsError(AgentError):
    """Settings that cannot be used: one text each."""

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)


class DataDirectoryError(AgentError):
    """The folder of the agent's database cannot be used."""


class UnreadableLineError(AgentError):
    """A journal line that cannot be read; the text says why."""


class ForeignFormatError(AgentError):
    """The journal is of a format that this agent does not read."""


class UnreadableCountersError(AgentError):
    """A counters file that cannot be read; the text says why."""


class RefusedFileError(AgentError):
    """Not a regular file."""


class ForbiddenFileError(RefusedFileError):
    """A file that the agent may not read."""


class UnavailableFileError(AgentError):
    """A file that cannot be read now, and may be later."""


class DirectoryInUseError(AgentError):
    """Another agent reads the journal directory."""


class ForeignDirectoryError(AgentError):
    """Another user decides what the journal directory is; the text names it and its owner."""


class CleaningError(AgentError):
    """Files that are not needed any more cannot be unlinked."""


class StoreError(AgentError):
    """The database refused a step; nothing of it was kept."""


class LandingError(AgentError):
    """A batch could not be written to its place."""


class UnlandableBatchError(LandingError):
    """The rows of a batch fit no table."""


class KernelError(AgentError):
    """The kernel does not tell what it is asked for; the text says why."""


class UnmergeableFileError(LandingError):
    """A landed file is not there any more, or is not what was landed; ``file`` is its name without ``.parquet``."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text)
        self.file = file


class TelemetryError(AgentError):
    """Nothing could be exported; the text says why."""


class ReportError(AgentError):
    """The analysis' report cannot be used; the text names the file and says why."""


class NoReportError(ReportError):
    """There is no such file."""
