"""The receiver's subscription came after the messages."""

from hopwatch_judge import costs
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import FIT, PROOF, Claim
from hopwatch_judge.clues import claims, joining
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.incident import Evidence, Incident
from hopwatch_judge.wording import counted


def _joined(incident: Incident) -> Evidence:
    sent = incident.sent_when_connected
    if sent is None:
        were = "it was" if incident.lost == 1 else "they were"
        text = f"{were} sent before the first message that {incident.receiver} got"
    elif sent == 0:
        text = f"{incident.sender} had sent nothing when the connection of {incident.receiver} came up: the subscription came later"
    else:
        text = f"{incident.sender} had sent {counted(sent, 'message')} when the connection of {incident.receiver} came up"
    return {"kind": "joined", "text": text, "sent_when_connected": sent}


def _advise(incident: Incident) -> list[str]:
    return [
        (
            f"Let {incident.sender} wait until {incident.receiver} has subscribed before it sends: the receiver says on another socket that its first "
            "message has come. (An XPUB reads subscriptions as messages: without ZMQ_XPUB_VERBOSE, on it and on each proxy between, only the first one to a topic.)"
        ),
        f"If a late start is normal, send the current state on request, and the stream from there on{costs.kept(incident)}.",
    ]


def _explain(clues: Clues) -> Claim | None:
    """Sent before the receiver had joined. Proved, where the sender's own count tells."""
    if clues.loss.part == "all":
        if not joining.came_too_late(clues):
            return None
        return PROOF if joining.sent_before_joining(clues) else FIT
    if clues.loss.part != "head" or claims.cut(clues) or joining.joined_before(clues):
        return None
    if not joining.joins(clues):
        return None
    if joining.sent_before_joining(clues):
        return PROOF
    return None if clues.conflates else FIT


CAUSE = Cause(
    name="slow_joiner",
    because="{they} sent before the subscription of {receiver} arrived",
    seen=(_joined,),
    advise=_advise,
    explain=_explain,
)
