"""The one place that reaches under pyspark, for its Java process: to ask it for less, and to leave it so that nothing is sent to one that ends."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from py4j.clientserver import SHUTDOWN_FINALIZER_WORKER, FinalizerWorker
from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.traceback_utils import SCCallSiteSync

SECONDS_FOR_ONE_COMMAND = 5.0
COMPUTED_ROWS = "org.apache.spark.sql.execution.LogicalRDD"
DATASET = "org.apache.spark.sql.classic.Dataset"
OPTION = "scala.Option"
TO_SEQ = "org.apache.spark.api.python.PythonUtils"
HASHED = "org.apache.spark.sql.catalyst.plans.physical.HashPartitioning"
ASKED_FOR_OFTEN = {
    "org.apache.spark.sql.functions": (
        "col",
        "lit",
        "coalesce",
        "when",
        "max",
        "min",
        "sum",
        "struct",
        "not",
        "unix_micros",
    ),
    "org.apache.spark.sql.api.python.PythonSQLUtils": ("fn", "lambdaFunction"),
    TO_SEQ: ("toSeq",),
    "org.apache.spark.sql.expressions.Window": ("partitionBy",),
    COMPUTED_ROWS: (),
    HASHED: (),
    DATASET: ("ofRows",),
    OPTION: ("empty",),
}
"""Classes and their static methods, as pyspark and we name them in each expression or step."""


def java_classes(session: SparkSession) -> Any:
    """Java's classes by their names; pyspark has no public way to them."""
    return session._jvm  # noqa: SLF001


def java_frame(frame: DataFrame) -> Any:
    """What a frame is in Java; pyspark has no public way to it."""
    return frame._jdf  # noqa: SLF001


def remember_classes(session: SparkSession) -> None:
    """Ask Java for these once. Else py4j does so at each use, and Java looks through each of its jars."""
    jvm = java_classes(session)
    for name, members in ASKED_FOR_OFTEN.items():
        with suppress(Py4JError):  # another version of Spark may not have it, and nobody asks for it then
            java_class = getattr(jvm, name)
            for member in members:
                setattr(java_class, member, getattr(java_class, member))
            setattr(jvm, name, java_class)
            setattr(jvm, name.rpartition(".")[2], java_class)


@contextmanager
def steps_called(name: str, session: SparkSession) -> Iterator[None]:
    """Have Spark call each step so for a while. Else Java looks through its stack for the step's place in the program, which takes a tenth of a small
    analysis; and pyspark makes it do so from the first ``collect`` on, unless that is within another's call.
    """
    untyped: Any = SCCallSiteSync
    within = untyped(session.sparkContext)
    within.__enter__()
    try:
        for form in ("callSite.short", "callSite.long"):
            session.sparkContext.setLocalProperty(form, name)
        yield
    finally:
        with suppress(Py4JError, OSError):  # a Java process that died calls nothing
            within.__exit__(None, None, None)


def leave(threads: Iterable[threading.Thread]) -> None:
    """Stop those threads in which py4j tells Java of every Python object that is gone.

    Such a thread logs a traceback if the Java process ends meanwhile, and has no need to tell it anything by then.
    """
    for thread in threads:
        if isinstance(thread, FinalizerWorker):
            thread.deque.clear()
            thread.deque.append(SHUTDOWN_FINALIZER_WORKER)
            thread.join(SECONDS_FOR_ONE_COMMAND)
