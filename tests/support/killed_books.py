"""Keeps one book of a following job again and again, each time in a process that is killed at a later file operation, then in one that is not.

Run as a program, since it forks: ``killed_books.py FOLDER``. Whoever reads the incidents takes them away after each of the two;
what they took lies in ``FOLDER/<operation>/taken``.
"""

import os
import sys
from pathlib import Path

import pandas as pd  # noqa: F401 (pyarrow would import it in each process anew)
import pyarrow as pa
from hopwatch_analysis.following.books import Book, Books

OPERATIONS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir")
LOST = 7


def turn(folder: Path) -> None:
    """What a start of the job does: goes on from the last book, and writes the first one if there is none."""
    books = Books(folder / "books", folder / "incidents")
    if books.last().number == 0:
        books.write(
            Book(1, known=frozenset({"a.parquet"})),
            pa.table({"lost": [LOST]}),
            lambda aside: (aside / "told").mkdir(),
        )


def killed_at(operation: int, folder: Path) -> bool:
    """Whether a turn came to that operation on its files, at which its process ends without a word."""
    child = os.fork()
    if child == 0:
        counted = 0

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal counted
            if event in OPERATIONS and str(arguments[0]).startswith(str(folder)):
                counted += 1
            if counted == operation:
                os._exit(9)

        sys.addaudithook(count)
        turn(folder)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def take_away(folder: Path, name: str) -> None:
    for place in (folder / "incidents").glob("batch=*"):
        place.rename(folder / "taken" / f"{name} {place.name}")


def main() -> None:
    operation, came_to_it = 0, True
    while came_to_it:
        operation += 1
        folder = Path(sys.argv[1]) / str(operation)
        (folder / "taken").mkdir(parents=True)
        came_to_it = killed_at(operation, folder)
        take_away(folder, "first")
        killed_at(-1, folder)
        take_away(folder, "second")


if __name__ == "__main__":
    main()
