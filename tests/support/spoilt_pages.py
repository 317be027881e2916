"""Parquet files with a sound footer, and pages that nobody can read."""

from pathlib import Path

import pyarrow.parquet as pq


def damage(file: Path, column: str) -> None:
    """Spoil the pages of one column."""
    names = pq.ParquetFile(file).schema_arrow.names
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(names.index(column))
    raw = bytearray(file.read_bytes())
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    for position in range(start, start + chunk.total_compressed_size):
        raw[position] ^= 0x55
    file.write_bytes(raw)
