"""Where each socket and each proxy came from: what tells one from another of the same name."""

from collections import Counter
from dataclasses import fields
from datetime import datetime, timezone

from hopwatch_judge import Place
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.report.labels import Identity

ORIGIN = ("name", "type", "host", "process")


def identities(tables: Tables) -> dict[str, Identity]:
    """Every socket and every proxy that was landed, by its id."""
    opened = (
        tables["socket"].where("state = 'opened'").select(sf.col("socket").alias("node"), "at", "n", *ORIGIN)
    )
    proxies = tables["proxy"].select(
        sf.col("proxy").alias("node"), "at", "n", "name", sf.lit("PROXY").alias("type"), "host", "process"
    )
    first = sf.struct("at", "n")
    rows = (
        opened.unionByName(proxies)
        .groupBy("node")
        .agg(sf.min(first).alias("opened"), *[sf.min_by(name, first).alias(name) for name in ORIGIN])
        .join(_processes(tables["process"]), on="process", how="left")
        .join(_places(tables["place"]), on="process", how="left")
        .join(_endpoints(tables["endpoint"]), on="node", how="left")
        .join(_sides(tables["proxy"]), on="node", how="left")
        .orderBy("opened.at", "opened.n", "node")
        .collect()
    )
    numbers: Counter[tuple[str | None, ...]] = Counter()
    found = {}
    for row in rows:
        alike = (row["process"], row["type"], row["name"])
        numbers[alike] += 1
        found[row["node"]] = Identity(
            row["node"],
            row["name"] or f"{row['type']} {row['node'][:6]}",
            row["type"],
            row["host"],
            row["pid"],
            row["command"],
            utc(row["opened"]["at"]),
            row["endpoint"],
            numbers[alike],
            row["proxy"],
            Place(**row["place"].asDict()) if row["place"] else None,
        )
    return found


def utc(value: datetime | None) -> datetime | None:
    """Spark hands out naive times in this machine's zone."""
    return None if value is None else value.astimezone(timezone.utc)


def _processes(rows: DataFrame) -> DataFrame:
    return rows.groupBy("process").agg(sf.max("pid").alias("pid"), sf.max("command").alias("command"))


def _places(rows: DataFrame) -> DataFrame:
    parts = sf.struct(*[field.name for field in fields(Place)])
    return rows.groupBy("process").agg(sf.max(parts).alias("place"))


def _endpoints(rows: DataFrame) -> DataFrame:
    told = rows.where(sf.col("action").isin("bind", "connect", "endpoint"))
    return told.groupBy(sf.col("socket").alias("node")).agg(
        sf.min_by("endpoint", sf.struct("at", "n")).alias("endpoint")
    )


def _sides(proxies: DataFrame) -> DataFrame:
    sides = sf.explode(sf.array("frontend", "backend")).alias("node")
    return proxies.select(sides, "proxy").groupBy("node").agg(sf.min("proxy").alias("proxy"))
