"""Extras: which of them brings which package, and how to install it from wherever hopwatch itself came from."""

import json
import shlex
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

PACKAGES = ("msgspec", "pyarrow", "fastapi", "pydantic", "uvicorn", "pyspark", "py4j", "pandas", "jinja2")
"""Packages that extras bring, and that hopwatch imports: all but those of the commands for a terminal."""

CONSOLE_PACKAGES = ("httpx", "rich", "shtab", "textual")
"""Those."""

BROUGHT_BY = {"py4j": "pyspark", "rich": "textual"}
"""Packages that nobody installs by their own names."""

EXTRAS_OF_COMMAND = {
    "agent": "agent,api",
    "analyze": "analysis",
    "completion": "console",
    "injector": "agent,api",
    "status": "console",
    "top": "console",
}
"""The commands that do with less than all extras."""


def require(packages: Iterable[str] = PACKAGES) -> None:
    """Raises ModuleNotFoundError, which names it, for the first package that is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)


def missing_extra(command: str, error: ModuleNotFoundError) -> str | None:
    """The line that says what a command needs and how to get it; None where no extra brings it."""
    package = (error.name or "").split(".")[0]
    if package not in (*PACKAGES, *CONSOLE_PACKAGES):
        return None
    extras = EXTRAS_OF_COMMAND.get(command)
    less = f" (or only [{extras}])" if extras else ""
    return (
        f"hopwatch {command} needs the package {BROUGHT_BY.get(package, package)}: {_install_command()}{less}"
    )


def _install_command() -> str:
    """How to install hopwatch with all its extras, from the folder, the archive or the index it was installed from."""
    try:
        origin = json.loads(distribution("hopwatch").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url = str(origin.get("url", ""))
    if not url:
        return "pip install 'hopwatch[all]'"
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}"
    if not url.startswith("file:"):
        return f"pip install {shlex.quote(f'hopwatch[all] @ {url}')}"
    source = Path(unquote(urlsplit(url).path))
    if not source.exists():
        return "install it again with its extra [all], as in: pip install '.[all]' in its folder"
    editable = "-e " if origin.get("dir_info", {}).get("editable") else ""
    return f"pip install {editable}{shlex.quote(f'{source}[all]')}"
