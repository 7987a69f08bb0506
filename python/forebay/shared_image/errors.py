"""The error of networks that cannot share an image."""

from forebay.errors import Error


class SharingError(Error):
    """A folder that is no compiled network, or networks that cannot be in one image."""
