"""What a front end says when it cannot take a model."""

from forebay.errors import Error


class ModelRefused(Error):  # noqa: N818 - it names what became of the model
    """A model that a front end did not import; never raised itself, only its two kinds are."""


class MalformedModel(ModelRefused):
    """The file breaks its own format: truncated, corrupted, or contradicting itself."""


class UnsupportedModel(ModelRefused):
    """The file is well formed, and asks for something that the front end does not implement."""
