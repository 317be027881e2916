"""A ROUTER had no such peer, or no frame to send to it."""

from hopwatch_judge import costs
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import Claim
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.incident import PEERS_NAMED, Evidence, Incident

NO_FRAME = "routing_id_alone"


def _swallowed(incident: Incident) -> Evidence:
    named = incident.peers[:PEERS_NAMED]
    ids = ", ".join(map(_routing_id, named)) + (" and others" if len(incident.peers) > PEERS_NAMED else "")
    if incident.reasons == (NO_FRAME,):
        text = f"{incident.sender} sent the routing id and no frame behind it, which libzmq swallows: {ids}"
    elif not incident.peers:
        text = (
            f"{incident.sender} counted them as swallowed, and its process ended before it had told of each"
        )
    elif NO_FRAME in incident.reasons:
        text = (
            f"{incident.sender} had no peer of the routing id it sent to, or sent no frame behind that: {ids}"
        )
    else:
        text = f"{incident.sender} had no peer of the routing id it sent to, each time as libzmq said: {ids}"
    return {"kind": "unroutable", "text": text, "peers": list(named), "reasons": list(incident.reasons)}


def _routing_id(peer: str) -> str:
    """A routing id as its owner wrote it, where that can be printed; else in hex."""
    text = bytes.fromhex(peer).decode("ascii", "replace")
    return repr(text) if text.isprintable() and "\ufffd" not in text else f"0x{peer}"


def _advise(incident: Incident) -> list[str]:
    if incident.reasons == (NO_FRAME,):
        return [
            f"Let {incident.sender} send at least one frame behind the routing id, an empty one if need be."
        ]
    return [
        f"Set ROUTER_MANDATORY on {incident.sender} and handle EHOSTUNREACH: it then knows which messages have no taker, and can keep them{costs.kept(incident)}.",
        (
            "Give the peers fixed routing ids (ROUTING_ID), so that they keep theirs over a reconnection, and let a peer say hello "
            "after each one before it is sent to."
        ),
    ]


def _explain(_clues: Clues) -> Claim | None:
    """None of the numbers that receivers lack: a ROUTER tells of each message that it swallowed."""
    return None


CAUSE = Cause(
    name="unroutable",
    because="{sender} is a ROUTER and had nowhere to send {them} to, and a ROUTER swallows what it cannot route",
    seen=(_swallowed,),
    advise=_advise,
    explain=_explain,
)
