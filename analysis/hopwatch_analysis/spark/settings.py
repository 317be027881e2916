"""Spark's settings: those that results depend on, and those that suit the size of the input, which users may choose otherwise."""

from pathlib import Path

from hopwatch_analysis.spark.frames import ONE

NAME = "hopwatch analyze"

REQUIRED = {
    "spark.sql.session.timeZone": "UTC",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
}
"""Whatever anybody says: times are told in UTC, and a damaged page is an error."""

USUAL = {
    "spark.ui.enabled": "false",
    # else each expression asks for the place in our code that it stands at, which takes a third of a small analysis
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.dataFrameQueryContext.enabled": "false",
    # each sort of a step keeps a page, and up to 64 MB are Spark's own choice: steps of twenty sorts would not get one each. With Java's
    # header of 16 bytes a page is 4 MiB: a byte more, and G1 gives it another of its regions, which are as large as that where Spark has 5 GB
    "spark.buffer.pageSize": "4194288b",
    # else Spark looks at each landed file in a task of its own
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "8",
}

# with either, Spark would leave out what it cannot read, and nobody would be told
NOTHING_PASSED_OVER = {
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}

# pyspark starts Java as that of a shell, which has it drawn
AS_NO_SHELL = {"spark.ui.showConsoleProgress": "false"}
LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
LOCAL = {
    "spark.default.parallelism": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}

# Spark's own values, but for adaptive execution also where a cluster has it off
OF_LARGE = {
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.ui.explainMode": "formatted",
    "spark.sql.adaptive.enabled": "true",
    # else adaptive execution has a task take 64 MB as they were moved, a million losses with all that is known of each: sorted, several
    # gigabytes, of which one sort keeps so much that the one which feeds it gets nothing
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "8m",
    "spark.sql.autoBroadcastJoinThreshold": "10MB",
    "spark.sql.optimizer.disableHints": "false",
    "spark.sql.requireAllClusterKeysForCoPartition": "true",
    "spark.sql.execution.usePartitionEvaluator": "false",
}
# what compiling code for each step costs, small inputs do not win back
OF_SMALL = OF_LARGE | {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # else Spark reads the class of each join's code for whether it may be sent to another process
    "spark.sql.execution.usePartitionEvaluator": "true",
    # the text of each plan, for an interface that is not shown
    "spark.sql.ui.explainMode": "simple",
}
SMALL_ROWS = 1_000_000
# one task does it all: an analysis of few rows is spent on moving them between tasks, in hundreds of jobs
OF_TINY = OF_SMALL | {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    # a frame that a hint has sent to each task costs a job of its own
    "spark.sql.optimizer.disableHints": "true",
    # what is in one partition is taken to be hashed by no key (estimates.py), and is joined as it is
    "spark.sql.requireAllClusterKeysForCoPartition": "false",
}
TINY_ROWS = 100_000
# Spark's own 200 tasks for each of many steps take minutes, whatever there is to do
LEAST_PARTITIONS = 2
ROWS_A_PARTITION = 500_000

# with one compiler the JVM reserves 48 MB for code, which an analysis fills; then it stops compiling, and says so at length
QUICK_START = ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m")


def by_size(rows: int) -> dict[str, str]:
    """What suits an input of so many rows; all of it can be changed while a session is there."""
    if rows < TINY_ROWS:
        return OF_TINY | {"spark.sql.shuffle.partitions": ONE}
    partitions = str(max(LEAST_PARTITIONS, rows // ROWS_A_PARTITION))
    sized = OF_SMALL if rows < SMALL_ROWS else OF_LARGE
    return sized | {"spark.sql.shuffle.partitions": partitions}


def of_java(master: str | None, rows: int, *, lasting: bool) -> dict[str, str]:
    """What the Java process has to be started with, where no spark-submit of the user's has started it."""
    if master is None or not master.startswith("local"):
        return AS_NO_SHELL
    options = [f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"]
    if rows < SMALL_ROWS and not lasting:
        options += QUICK_START
    return AS_NO_SHELL | {"spark.driver.extraJavaOptions": " ".join(options)}


def at_start(master: str | None, rows: int) -> dict[str, str]:
    """What a session is made with, where users do not say otherwise."""
    local = LOCAL if master is not None and master.startswith("local") else {}
    return USUAL | by_size(rows) | local


def required(master: str | None) -> dict[str, str]:
    """What holds, whatever users say; no master: spark-submit's."""
    return REQUIRED if master is None else REQUIRED | {"spark.master": master, "spark.app.name": NAME}
