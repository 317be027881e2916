"""What every message carries, so that the truth can be told without hopwatch: sender, topic and number."""

PADDING = b"x" * 100_000


def encode(sender: str, topic: str, number: int, size: int) -> list[bytes]:
    """Frames of a message: the topic as a frame of its own where there is one, then the numbered payload."""
    head = f"{sender} {topic or '-'} {number} ".encode()
    body = head + PADDING[: max(0, size - len(head))]
    return [topic.encode(), body] if topic else [body]


def decode(frames: list[bytes]) -> tuple[str, str, int]:
    sender, topic, number, _ = frames[-1].split(b" ", 3)
    return sender.decode(), topic.decode(), int(number)
