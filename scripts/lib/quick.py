"""Choose the tests of what changed against main, nearest first.

A test is as near to a changed module as there are imports from it to that module: its own, those of ``tests/support`` and of conftest modules on its
way, and those of the product. A test that runs the product as a process imports nothing of it: the tests in the folder of a changed package come after.
"""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE_ROOTS = ("instrumentation", "agent", "api", "console", "analysis", "demo", "simulate", "injector")
SUPPORT = ROOT / "tests" / "support"
NO_TESTS = len(SOURCE_ROOTS) * 1000
"""Farther than any test is."""


def tests_of_change() -> list[str]:
    """Return the test files that what changed concerns, nearest first, as paths from the root."""
    changed = {ROOT / path for path in changed_files()}
    near = {test: distance(test, changed) for test in sorted((ROOT / "tests").rglob("test_*.py"))}
    chosen = sorted((test for test, far in near.items() if far < NO_TESTS), key=lambda test: near[test])
    return [str(test.relative_to(ROOT)) for test in chosen]


def changed_files() -> list[str]:
    """Return what differs from main, committed or not, and what git does not know yet, as paths from the root."""
    against = base()
    differing = git("diff", "--name-only", against)
    return sorted({*differing, *git("ls-files", "--others", "--exclude-standard")})


def base() -> str:
    """Return the commit at which main was left: of the origin's main, where this is main itself."""
    for main in ("origin/main", "main"):
        found = git("merge-base", "HEAD", main)
        if found:
            return found[0]
    return "HEAD"


def git(*arguments: str) -> list[str]:
    """Return the lines that a command of git prints, none where it fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


def distance(test: Path, changed: set[Path]) -> int:
    """Return how many imports lie between a test and the nearest changed file."""
    seen, ring, far = {test}, {test, *conftests(test)}, 0
    while ring:
        if ring & changed:
            return far
        seen |= ring
        ring = {found for path in ring for found in imported(path)} - seen
        far += 1
    return beside(test, changed)


def beside(test: Path, changed: set[Path]) -> int:
    """Return what comes after all distances by imports for a test in the folder of a changed package, else NO_TESTS."""
    folder = test.relative_to(ROOT / "tests").parts[0]
    roots = {path.relative_to(ROOT).parts[0] for path in changed}
    return NO_TESTS - 1 if folder in roots else NO_TESTS


def conftests(test: Path) -> Iterator[Path]:
    """Yield the conftest modules that apply to a test."""
    for folder in test.parents:
        if (folder / "conftest.py").exists():
            yield folder / "conftest.py"
        if folder.name == "tests":
            return


@cache
def imported(path: Path) -> frozenset[Path]:
    """Return the files of this project that a file imports."""
    if path.suffix != ".py":
        return frozenset()
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found for name in names if (found := file_of(name)) is not None)


@cache
def file_of(module: str) -> Path | None:
    """Return the file of one of this project's modules."""
    place = module.replace(".", "/")
    for root in (*(ROOT / each for each in SOURCE_ROOTS), SUPPORT):
        for found in (root / f"{place}.py", root / place / "__init__.py"):
            if found.exists():
                return found
    return None


if __name__ == "__main__":
    print("\n".join(tests_of_change()))
