"""Installs into /opt/hopwatch, for an image, without what only builds and tests need, and compiled ahead.

    install.py needs EXTRA,EXTRA     what hopwatch with these extras needs, as images/pyproject.toml says
    install.py hopwatch              hopwatch itself, of the folder that this is started in

A read-only file system keeps no bytecode, so that what is not compiled here is compiled at each start.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import tomllib

HOME = Path("/opt/hopwatch")
PROJECT = Path("images/pyproject.toml")
JARS = Path("images/jars")
"""Further jars for Spark, of who builds the image."""
NOT_NEEDED = (
    "pyarrow/include",
    "pyarrow/src",
    "pyarrow/tests",
    "pyarrow/*flight*",
    "pandas/tests",
    "numpy/_core/include",
    "numpy/**/tests",
    "pyspark/examples",
    "pyspark/data",
    "pyspark/jars/connect-repl",
)
"""Patterns of headers, tests and examples, and of what serves others: Arrow's network protocol, Spark's shell for its clients."""


def main(what: str, extras: str = "") -> None:
    """Install, take away, compile; ends with the first command's error."""
    if what == "needs":
        install(*needs(extras.split(",")))
    else:
        install("--no-deps", ".")
    (packages,) = HOME.glob("lib/python3*/site-packages")
    for pattern in NOT_NEEDED:
        for found in packages.glob(pattern):
            remove(found)
    for jar in JARS.glob("*.jar"):
        shutil.copy(jar, packages / "pyspark" / "jars")
    python = HOME / "bin" / "python"
    compiling = ["compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash", packages]
    subprocess.run([python, "-m", *compiling], check=True)


def needs(extras: list[str]) -> list[str]:
    """Requirements, as pip takes them."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(one for extra in extras for one in optional[extra])]


def install(*what: str) -> None:
    """Have pip install it; raises CalledProcessError."""
    pip = [sys.executable, "-m", "pip", "--python", HOME / "bin" / "python"]
    subprocess.run([*pip, "install", *what], check=True)


def remove(found: Path) -> None:
    """A file, or a folder with all that is in it."""
    if found.is_dir():
        shutil.rmtree(found)
    else:
        found.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
