"""Where files land: the address as a user gives it, as it may be shown, and what is asked of an object store."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from hopwatch_agent.errors import SettingsError

NOWHERE = "nowhere://"
"""The address of who wants no files: rows are let go once the agent has shown and counted them."""
SCHEMES = ("file", "s3", "gs", "gcs", "abfs", "hdfs", "nowhere")
_FLAGS = frozenset({"allow_bucket_creation", "force_virtual_addressing"})
_TEXTS = frozenset({"endpoint_override", "region", "scheme", "tls_ca_file_path"})


@dataclass(frozen=True)
class S3Address:
    """``options`` are arguments of pyarrow's ``S3FileSystem``; ``root`` is the bucket and the folder in it."""

    options: dict[str, str | bool]
    root: str


def without_secret(uri: str) -> str:
    """The URI as it may be shown: object stores take a key and its secret before the bucket."""
    scheme, separator, rest = uri.partition("://")
    if not separator or scheme == "file":
        return uri
    # a secret that nobody escaped may hold any character, so that only the last @ is known to end it
    place, mark, query = rest.rpartition("@")[2].partition("?")
    return f"{scheme}{separator}{place}{mark}{'&'.join(map(_shown, query.split('&')))}"


def secrets_in(uri: str) -> list[str]:
    """What of the URI must not be shown, in every way that a text may have it, the longest first."""
    scheme, _, rest = uri.partition("://")
    if not rest or scheme == "file":
        return []
    given, _, place = rest.rpartition("@")
    values = [part.partition("=")[2] for part in place.partition("?")[2].split("&") if _shown(part) != part]
    found = {given, given.partition(":")[2], *values}
    return sorted({text for each in found for text in (each, unquote(each)) if text}, key=len, reverse=True)


def _shown(part: str) -> str:
    """A part of a query; the value of one that is not known may be anything."""
    name, equals, _ = part.partition("=")
    return part if name in _FLAGS | _TEXTS or not equals else f"{name}=(not shown)"


def check_scheme(uri: str) -> None:
    """Raises ``SettingsError`` for an address that no file system of ours has."""
    if "://" in uri and uri.partition("://")[0] not in SCHEMES:
        raise SettingsError(f"cannot land at {without_secret(uri)}: the scheme is not known")
    if uri.startswith("s3://"):
        s3_address(uri, {})


def s3_address(uri: str, environ: Mapping[str, str]) -> S3Address:
    """The parts of ``s3://KEY:SECRET@BUCKET/FOLDER?region=...``; raises ``SettingsError``.

    The endpoint may be in the environment, as AWS's own tools take it.
    """
    shown = without_secret(uri)
    try:
        parts = urlsplit(uri)
        key, secret = parts.username, parts.password
        bucket = parts.netloc.rpartition("@")[2]
        query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise SettingsError(f"cannot land at {shown}: it is no address of an object store") from error
    if not bucket or "@" in parts.path or (key is None) != (secret is None):
        raise SettingsError(
            f"cannot land at {shown}: it must be s3://BUCKET/FOLDER or s3://KEY:SECRET@BUCKET/FOLDER,"
            " with / in the secret as %2F, + as %2B and @ as %40"
        )
    options = _endpoint(environ) | {name: _value(name, value, shown) for name, value in query}
    if key is not None and secret is not None:
        options |= {"access_key": unquote(key), "secret_key": unquote(secret)}
    return S3Address(options, f"{bucket}{unquote(parts.path)}".rstrip("/"))


def _endpoint(environ: Mapping[str, str]) -> dict[str, str | bool]:
    url = environ.get("AWS_ENDPOINT_URL_S3") or environ.get("AWS_ENDPOINT_URL")
    if not url:
        return {}
    scheme, separator, endpoint = url.rstrip("/").partition("://")
    return {"scheme": scheme, "endpoint_override": endpoint} if separator else {"endpoint_override": url}


def _value(name: str, value: str, shown: str) -> str | bool:
    if name in _FLAGS and value in {"true", "false"}:
        return value == "true"
    if name in _TEXTS:
        return value
    raise SettingsError(
        f"cannot land at {shown}: {name} cannot be that; there are {', '.join(sorted(_FLAGS | _TEXTS))}"
    )
