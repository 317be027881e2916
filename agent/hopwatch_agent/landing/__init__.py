"""Turning stored records into Parquet files, exactly once."""
