"""What follows when the application sets an option of an instrumented socket."""

from typing import Any

import zmq

from hopwatch import finding
from hopwatch.native_state import XPUB_MANUAL_LAST_VALUE
from hopwatch.rules.setup import Kind
from hopwatch.sockets.state import SocketState

SUBSCRIPTION_OPTIONS = {int(zmq.SUBSCRIBE): "subscribe", int(zmq.UNSUBSCRIBE): "unsubscribe"}

OPTION_NUMBERS = frozenset(int(option) for option in zmq.SocketOption)


def option_set(state: SocketState, option: int, value: Any) -> None:
    """Journal an option that was set, and do what it asks of the instrumentation."""
    if option == zmq.CONFLATE and value:
        state.conflates()
    if option == zmq.ROUTER_RAW and value:
        state.stop_stamping(finding.stamp_refused("with ZMQ_ROUTER_RAW its peers are no ZeroMQ sockets"))
    action = SUBSCRIPTION_OPTIONS.get(option)
    if action is not None and state.subscriptions is not None:
        subscription_changed(state, action, bytes(value))
    elif isinstance(value, int | str):
        name = zmq.SocketOption(option).name.lower() if option in OPTION_NUMBERS else str(option)
        state.note("option", option=name, value=int(value) if isinstance(value, int) else value)
        if isinstance(value, int):
            state.consider(Kind.OPTION, name, int(value))


def decides_probing(state: SocketState, option: int, value: Any) -> bool:
    """Whether an option rules out probing: the application handles refusals itself, or a refused send changes the next one's receivers."""
    if state.type_name == "ROUTER":
        return option in (zmq.ROUTER_MANDATORY, zmq.ROUTER_RAW) and bool(value)
    return option in (zmq.XPUB_NODROP, XPUB_MANUAL_LAST_VALUE)


def subscription_changed(state: SocketState, action: str, topic: bytes) -> None:
    """Follow and journal one subscription more or less."""
    if state.subscriptions is None:
        return
    if action == "subscribe":
        state.subscriptions.add(topic)
        state.receiving.subscribed()
        state.consider(Kind.SUBSCRIBED, value=len(state.subscriptions))
    else:
        state.subscriptions.remove(topic)
        state.receiving.unsubscribed()
    state.note(action, topic=topic.hex())
