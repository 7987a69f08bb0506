"""The errors of a front end that cannot import a model."""

from forebay.errors import Error


class ModelRefused(Error):  # noqa: N818 - the name says what happened to the model
    """A model that was not imported; only the two subclasses are raised.

    `what` is the reason without the name of the `file`, which the message begins with.
    """

    def __init__(self, what: str, file: str = "") -> None:
        super().__init__(f"{file}: {what}" if file else what)
        self.what = what
        self.file = file


class MalformedModel(ModelRefused):
    """A file that violates its own format: truncated, corrupted or inconsistent."""


class UnsupportedModel(ModelRefused):
    """A well-formed file that needs something that the front end does not implement."""
