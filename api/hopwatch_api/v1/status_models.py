"""The JSON of the agent's own state."""

from datetime import datetime

from pydantic import Field

from hopwatch_api.model import Model
from hopwatch_api.v1.kernel_models import MemoryModel, UsageModel


class ErrorModel(Model):
    """Something that does not work at this moment."""

    source: str
    text: str
    since: datetime


class FaultModel(Model):
    """Input that could not be read, or a fault of an instrumentation."""

    at: datetime
    host: str
    process: str | None
    socket: str | None
    text: str


class LagModel(Model):
    """How far behind the journals the agent is."""

    tick_seconds: float = Field(description="how long the last tick took")
    tick_age_seconds: float | None = Field(description="age of the last tick that went well")
    unread_bytes: int = Field(description="bytes of the journals that were not read yet")


class DatabaseModel(Model):
    """The agent's database."""

    rows: int = Field(description="rows that are to be landed")
    bytes: int
    wal_bytes: int = Field(description="bytes of its write-ahead log")


class CostsModel(Model):
    """What the agent itself takes."""

    cpu_seconds: float
    cpu_percent: float = Field(description="of one core, over about the last ten seconds")
    rss_bytes: int
    threads: int
    descriptors: int
    ticking_seconds: float = Field(description="time spent reading journals and keeping what they say")
    landing_seconds: float = Field(description="time spent landing")


class StatusModel(Model):
    """The agent itself."""

    version: str
    host: str
    started_at: datetime
    directory: str = Field(description="the journal directory")
    landing: str = Field(description="where Parquet files are written")
    ready: bool
    processes: int = Field(description="instrumented processes that live")
    sockets: int = Field(description="their sockets that are open")
    lag_seconds: float | None = Field(description="age of the last tick that went well")
    rows_waiting: int = Field(description="rows in the database that are to be landed")
    rows_landed: int = Field(description="rows landed since the agent was started")
    last_landing: datetime | None = Field(description="when everything that waited had been landed")
    events_lost: int = Field(description="events of the processes shown that went before they were read")
    faults: int = Field(description="faults met since the agent's database was made")
    recent_faults: list[FaultModel]
    errors: list[ErrorModel]
    warnings: list[ErrorModel] = Field(description="what works, and is risky")
    lag: LagModel
    database: DatabaseModel
    costs: CostsModel
    versions: dict[str, str]
    settings: dict[str, str | int | float | bool] = Field(description="in force; nothing secret")
    usage: UsageModel | None = Field(description="of the agent's process")
    memory: MemoryModel | None = Field(description="of the agent's cgroup")
    rows_given_up: int = Field(
        description="rows that were never landed, because they were too many or too old, since the database was made"
    )
