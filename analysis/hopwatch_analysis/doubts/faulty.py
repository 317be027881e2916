"""Sockets with a fault of the instrumentation: their messages go on, and what tells of them stands still."""

from pyspark.sql import DataFrame


def faulty_sockets(faults: DataFrame) -> DataFrame:
    """Sockets that had one: socket. The others are of what an agent read, or of a process's monitors."""
    return faults.where("socket is not null").select("socket").distinct()
