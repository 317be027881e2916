"""Every setting of the agent, declared once: the flags, the environment and the file all follow from this."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

LogLevel = Literal["debug", "info", "warning", "error"]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``land_seconds`` is ``--land-seconds`` on the command line, ``HOPWATCH_AGENT_LAND_SECONDS`` in the environment
    and ``land_seconds = 5`` in the file. None: it follows from other settings.
    """

    dir: Annotated[str | None, Meta(description="journal directory (environment: HOPWATCH_DIR)")] = None
    data: Annotated[str | None, Meta(description="the agent's own folder; default: DIR-data")] = None
    land: Annotated[
        str | None, Meta(description="folder or object store for Parquet; default: DATA/landed")
    ] = None
    land_seconds: Annotated[float, Meta(gt=0, le=86_400, description="how often files land")] = 5.0
    land_rows: Annotated[int, Meta(ge=1, description="land earlier when so many rows wait")] = 100_000
    listen: Annotated[str, Meta(description="HOST:PORT of the HTTP API; port 0 takes a free one")] = (
        "127.0.0.1:8735"
    )
    max_processes: Annotated[int, Meta(ge=1, description="processes whose journals are read at once")] = 1_000
    max_sockets: Annotated[int, Meta(ge=1, description="sockets held in memory; of one process, half")] = (
        10_000
    )
    max_lanes: Annotated[
        int, Meta(ge=1, description="lanes held in memory, and connections; of one process, half")
    ] = 100_000
    max_series: Annotated[
        int, Meta(ge=1, description="series of sockets in metrics; sockets beyond them are told of as one")
    ] = 2_000
    log_level: Annotated[LogLevel, Meta(description="least level that is logged")] = "info"


SECRET = frozenset({"token"})
"""Options whose values are never shown."""
