"""Files with a sound footer and damaged pages: too costly to look for in every run, worth it once Spark has failed."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq

from hopwatch_analysis.files.landed import Landed, LandedFile, SkippedFile


def without_damaged(landed: Landed) -> Landed:
    """Read every file whole, page checksums included; those that fail are moved to ``skipped``."""
    with ThreadPoolExecutor(max_workers=8) as pool:
        found = list(pool.map(_damage, landed.files))
    sound = tuple(file for file, damage in zip(landed.files, found, strict=True) if damage is None)
    return replace(landed, files=sound, skipped=landed.skipped + tuple(filter(None, found)))


def _damage(file: LandedFile) -> SkippedFile | None:
    """What is wrong with the file's pages; None for a sound file."""
    try:
        with file.system.open_input_file(file.name) as source:
            whole = pq.ParquetFile(source, page_checksum_verification=True)
            for group in range(whole.num_row_groups):
                whole.read_row_group(group)
    except (OSError, pa.ArrowException) as error:
        refused = isinstance(error, OSError) and error.errno is not None
        reason = " ".join(str(error).split())
        return SkippedFile(file.path, f"damaged: {reason}", lasting=not refused)
    return None
