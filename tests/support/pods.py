"""Pods of many kinds."""

from pods_to_inject import TO_INJECT
from pods_to_leave import TO_LEAVE

KINDS = TO_INJECT | TO_LEAVE
