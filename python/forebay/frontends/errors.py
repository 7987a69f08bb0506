"""What a front end says when it cannot take a model."""


class ModelError(Exception):
    """A model that a front end did not import; never raised itself, only its two kinds are."""


class MalformedModel(ModelError):
    """The file breaks its own format: truncated, corrupted, or contradicting itself."""


class UnsupportedModel(ModelError):
    """The file is well formed, and asks for something that the front end does not implement."""
