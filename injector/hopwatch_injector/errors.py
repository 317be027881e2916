"""What can be wrong with a request or with what is to be injected."""

from hopwatch.errors import HopwatchError


class ReviewError(HopwatchError):
    """A request is no AdmissionReview that can be answered; the text says what is wrong and where."""


class FragmentError(HopwatchError):
    """The file that says what is added to pods cannot be used."""


class WishError(HopwatchError):
    """An annotation of a pod cannot be followed: the pod is left alone, and whoever made it is told why."""
