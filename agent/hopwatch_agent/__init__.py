"""The hopwatch agent: journals in, database, Parquet out."""
