"""Why messages were lost, what shows it and what to change: plain Python on the standard library alone."""

from hopwatch_judge.cause import Cause
from hopwatch_judge.causes.registry import CAUSES, advice, evidence, meaning
from hopwatch_judge.incident import NO_PEER, NOBODY, Brief, Evidence, Incident, KilledForMemory
from hopwatch_judge.place import Place
from hopwatch_judge.wording import counted

__all__ = [
    "CAUSES",
    "NOBODY",
    "NO_PEER",
    "Brief",
    "Cause",
    "Evidence",
    "Incident",
    "KilledForMemory",
    "Place",
    "advice",
    "counted",
    "evidence",
    "meaning",
]
