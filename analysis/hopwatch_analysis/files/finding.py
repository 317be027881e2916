"""Finds landed files; one that cannot be used is named and left out.

Every file's footer is checked here before Spark sees it, so that all that can be wrong with the input
is found, and told in our words, at this one boundary.
"""

from collections.abc import Collection, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from hopwatch_analysis.errors import NothingLandedError, UnusableInputError
from hopwatch_analysis.files import footers
from hopwatch_analysis.files.landed import Landed, LandedFile, ListedFile, SkippedFile
from hopwatch_analysis.files.merged import overlapping, without_parts
from hopwatch_analysis.files.output import results_among
from hopwatch_analysis.files.places import host_of, parsed
from hopwatch_analysis.files.schemas import KINDS

LISTINGS = 5
SUFFIX = ".parquet"
WENT_AWAY = "went away while the files were looked at, again and again"
NOT_THERE = "is not there: no such folder"

Checked = MutableMapping[ListedFile, LandedFile | SkippedFile | None]
"""What came of looking at files, so that none is looked at twice whose bytes were seen."""


def find_landed(uris: Sequence[str], checked: Checked | None = None) -> Landed:
    """Check every Parquet file under the given URIs or folders; a folder that cannot be listed is named and left out.

    Where files go while they are looked at (agents remove the parts of what they merged), all is listed again. What
    ``checked`` knows is not looked at again; what is learned is added to it.
    Raises UnusableInputError if no file at all can be used, of which NothingLandedError if there is none.
    """
    known: Checked = {} if checked is None else checked
    for _ in range(LISTINGS):
        landed, gone = _find_landed(uris, known)
        if not gone:
            break
    landed = Landed(landed.files, landed.skipped + gone)
    if not landed.files:
        raise _nothing_usable(uris, landed.skipped)
    return landed


def _find_landed(uris: Sequence[str], checked: Checked) -> tuple[Landed, tuple[SkippedFile, ...]]:
    """What can be used and what cannot, and what went away meanwhile."""
    listed = [_list(uri) for uri in uris]
    unlisted = tuple(item for item in listed if isinstance(item, SkippedFile))
    candidates = {found.path: found for item in listed if not isinstance(item, SkippedFile) for found in item}
    contrary = tuple(
        SkippedFile(path, f"contradictory: its blocks overlap those of {other}, and neither has all of both")
        for path, other in overlapping(candidates).items()
    )
    for item in contrary:
        del candidates[item.file]
    new = [found for path, found in sorted(candidates.items()) if found not in checked]
    with ThreadPoolExecutor(max_workers=8) as pool:
        checked.update(zip(new, pool.map(_check, new), strict=True))
    results = [checked[candidates[path]] for path in sorted(candidates)]
    gone = tuple(SkippedFile(found.path, WENT_AWAY) for found in new if checked[found] is None)
    for found in [found for found, was in checked.items() if found.path not in candidates or not _lasts(was)]:
        del checked[found]
    files = tuple(item for item in results if isinstance(item, LandedFile))
    skipped = tuple(item for item in results if isinstance(item, SkippedFile))
    return Landed(files, unlisted + contrary + skipped), gone


def _lasts(was: LandedFile | SkippedFile | None) -> bool:
    """Whether the file would look the same again."""
    return isinstance(was, LandedFile) or (was is not None and was.lasting)


def require_folder(uri: str) -> None:
    """Raises UnusableInputError if the folder is not there, or cannot be listed."""
    listed = _list(uri)
    if isinstance(listed, SkippedFile):
        raise UnusableInputError(f"{listed.file} {listed.reason}")


def _nothing_usable(uris: Sequence[str], skipped: tuple[SkippedFile, ...]) -> UnusableInputError:
    where = ", ".join(uris)
    if not skipped:
        return NothingLandedError(
            f"no landed Parquet files (kind=.../date=.../host=.../*.parquet) under {where}: is that the folder that hopwatch agent "
            "lands in? It says where when it starts, and chooses by --land"
        )
    first = skipped[0]
    error = NothingLandedError if all(item.reason == NOT_THERE for item in skipped) else UnusableInputError
    if len(skipped) == len(uris) == 1 and first.file == uris[0]:
        return error(f"{first.file} {first.reason}")
    return error(f"none of {len(skipped)} inputs under {where} can be used; {first.file}: {first.reason}")


def _list(uri: str) -> list[ListedFile] | SkippedFile:
    """Each Parquet file, but those whose rows are all in another one, and the results of analyses; and those among them whose names say that they were landed files once."""
    try:
        system, root, prefix = parsed(uri)
        if system.get_file_info(root).type == fs.FileType.NotFound:
            return SkippedFile(uri, NOT_THERE)
        found = system.get_file_info(fs.FileSelector(root, recursive=True))
    except (OSError, pa.ArrowInvalid) as error:
        return SkippedFile(uri, f"cannot be listed: {error}")
    files = {info.path: info for info in found if info.type == fs.FileType.File}
    results = results_among(files)
    names = [name for name in files if name not in results and not Path(name).name.startswith((".", "_"))]
    whole = without_parts(name for name in names if name.endswith(SUFFIX))
    others = [name for name in names if _is_renamed(name, files) and _lies_among_landed(name, root)]
    return [
        ListedFile(prefix + name, name, system, files[name].size, files[name].mtime_ns)
        for name in (*whole, *others)
    ]


def _is_renamed(name: str, files: Collection[str]) -> bool:
    """Whether it may have been a landed file, and the one that it was is not beside it."""
    before = name.rpartition(SUFFIX)[0]
    return bool(before) and not name.endswith(SUFFIX) and f"{before}{SUFFIX}" not in files


def _lies_among_landed(name: str, root: str) -> bool:
    path = PurePosixPath(name)
    is_hidden = any(part.startswith((".", "_")) for part in path.relative_to(root).parts)
    return not is_hidden and any(part.startswith("kind=") for part in path.parts)


def _check(found: ListedFile) -> LandedFile | SkippedFile | None:
    """Whether the file can be used; None if it is not there any more."""
    system, path, name = found.system, found.path, found.name
    kind = next((part[5:] for part in name.split("/") if part.startswith("kind=")), None)
    if kind not in KINDS or not name.endswith(SUFFIX):
        return SkippedFile(path, _named_wrongly(kind), landed=name.endswith(SUFFIX))
    try:
        with system.open_input_file(name) as source:
            footer = pq.ParquetFile(source)
            problem = footers.problem(kind, footer, host_of(name))
            if problem:
                return SkippedFile(path, problem)
            return LandedFile(
                path, kind, system, name, footer.metadata.num_rows, *footers.time_bounds(footer.metadata)
            )
    except FileNotFoundError:
        return None
    except OSError as error:  # also of bytes that make no footer: pyarrow does not tell the two apart
        return SkippedFile(path, _unreadable(error), lasting=False)
    except (ValueError, ArithmeticError, pa.ArrowException) as error:
        # the latter ones: a name that is no UTF-8, a time behind the year 9999
        return SkippedFile(path, _unreadable(error))


def _named_wrongly(kind: str | None) -> str:
    if kind in KINDS:
        return f"its name does not end in {SUFFIX}"
    return f"kind {kind!r} is unknown" if kind else "no kind=... in its path"


def _unreadable(error: Exception) -> str:
    return f"no readable Parquet file: {error}"
