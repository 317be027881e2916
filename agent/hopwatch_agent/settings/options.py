"""Every setting of the agent, declared once: the flags, the environment and the file all follow from this."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

LogLevel = Literal["debug", "info", "warning", "error"]
LogFormat = Literal["auto", "json", "text"]
OpenToOthers = Literal["nothing", "probes", "metrics"]


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``land_seconds`` is ``--land-seconds`` on the command line, ``HOPWATCH_AGENT_LAND_SECONDS`` in the environment
    and ``land_seconds = 5`` in the file. None: it follows from other settings.
    """

    dir: Annotated[str | None, Meta(description="journal directory (environment: HOPWATCH_DIR)")] = None
    data: Annotated[str | None, Meta(description="the agent's own folder; default: DIR-data")] = None
    land: Annotated[
        str | None,
        Meta(description="folder or object store for Parquet, or nowhere://; default: DATA/landed"),
    ] = None
    land_seconds: Annotated[float, Meta(gt=0, le=86_400, description="how often files land")] = 5.0
    land_rows: Annotated[int, Meta(ge=1, description="land earlier when so many rows wait")] = 100_000
    keep_bytes: Annotated[int, Meta(ge=1_000_000, description="give up the oldest rows when more waits")] = (
        1_000_000_000
    )
    keep_seconds: Annotated[float, Meta(gt=0, description="give up rows that have waited for longer")] = (
        604_800.0
    )
    merge_seconds: Annotated[float, Meta(ge=0, description="how often small files become one; 0: never")] = (
        3600.0
    )
    merge_bytes: Annotated[int, Meta(ge=1, description="size of files that are not made larger")] = 32_000_000
    report: Annotated[
        str | None,
        Meta(
            description="folder or object store that hopwatch analyze writes report.json to: /v1/incidents tells what it says"
        ),
    ] = None
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
    log_format: Annotated[
        LogFormat, Meta(description="json (a line each) or text; auto: text on a terminal")
    ] = "auto"
    token: Annotated[
        str | None, Meta(description="what clients send as Authorization: Bearer ...; never a flag")
    ] = None
    token_file: Annotated[
        str | None, Meta(description="file that holds the token; read again when it changes")
    ] = None
    tls_cert: Annotated[
        str | None, Meta(description="PEM file of the certificate; read again when it changes")
    ] = None
    tls_key: Annotated[str | None, Meta(description="PEM file of its key; default: in the same file")] = None
    tls_client_ca: Annotated[
        str | None, Meta(description="PEM file of the authority that clients' certificates must be of")
    ] = None
    allowed_hosts: Annotated[
        str | None, Meta(description="further names, by comma, by which clients may call this agent")
    ] = None
    insecure: Annotated[
        bool,
        Meta(description="serve other hosts although neither token nor client certificates are asked for"),
    ] = False
    open_to_others: Annotated[
        OpenToOthers,
        Meta(
            description="what other hosts get without a token: probes: /healthz and /readyz; metrics: /metrics too"
        ),
    ] = "nothing"
    start_closed: Annotated[
        bool,
        Meta(
            description="start although the token or the certificate cannot be used, and answer until it can what needs neither"
        ),
    ] = False
    stop_seconds: Annotated[
        float, Meta(gt=0, le=3600, description="how long an orderly end may take; then it ends all the same")
    ] = 20.0
    outlive: Annotated[
        bool,
        Meta(
            description="at its end, wait first for the processes that it reads to end, all of stop_seconds but five, or half of it"
        ),
    ] = False


SECRET = frozenset({"token"})
"""Options whose values are never shown; they are no flags, since every user sees the arguments of a process."""
