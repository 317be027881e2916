"""hopwatch: which hop of a ZeroMQ system lost which messages, how many, why, and what to change.

socket = hopwatch.wrap(context.socket(zmq.PUB), name="quotes", sequence="stamp")
"""

from hopwatch import sequences
from hopwatch.errors import HopwatchError, JournalError, UsageError
from hopwatch.finding import Finding
from hopwatch.installing import install, uninstall
from hopwatch.proxying import proxy
from hopwatch.wrapping import findings, unwrap, wrap

__all__ = [
    "Finding",
    "HopwatchError",
    "JournalError",
    "UsageError",
    "findings",
    "install",
    "proxy",
    "sequences",
    "uninstall",
    "unwrap",
    "wrap",
]
