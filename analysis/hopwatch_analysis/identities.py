"""Where each socket and each proxy came from: what tells one from another of the same name."""

from datetime import datetime, timezone

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.labels import Identity
from hopwatch_analysis.reading import Tables

ORIGIN = ("name", "type", "host", "process")


def identities(tables: Tables) -> dict[str, Identity]:
    """Every socket and every proxy that was landed, by its id."""
    opened = tables["socket"].where("state = 'opened'").select(sf.col("socket").alias("node"), "at", *ORIGIN)
    proxies = tables["proxy"].select(
        sf.col("proxy").alias("node"), "at", "name", sf.lit("PROXY").alias("type"), "host", "process"
    )
    rows = (
        opened.unionByName(proxies)
        .groupBy("node")
        .agg(sf.min("at").alias("at"), *[sf.min_by(name, "at").alias(name) for name in ORIGIN])
        .join(_processes(tables["process"]), on="process", how="left")
        .collect()
    )
    return {
        row["node"]: Identity(
            row["node"],
            row["name"] or f"{row['type']} {row['node'][:6]}",
            row["type"],
            row["host"],
            row["pid"],
            row["command"],
            utc(row["at"]),
        )
        for row in rows
    }


def utc(value: datetime | None) -> datetime | None:
    """Spark hands out naive times in this machine's zone."""
    return None if value is None else value.astimezone(timezone.utc)


def _processes(rows: DataFrame) -> DataFrame:
    return rows.groupBy("process").agg(sf.max("pid").alias("pid"), sf.max("command").alias("command"))
