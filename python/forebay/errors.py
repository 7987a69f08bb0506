"""The base class of all errors that Forebay raises, and the error that stands for a bug."""

from __future__ import annotations


class Error(Exception):
    """An error in the input, the target description or the environment.

    The message names the problem, its location and a remedy. Subclasses have what the message
    names as attributes: a location, a pool, buffers.
    """

    @property
    def origin(self) -> Error:
        """The error that this one reports, through all steps between: the last of the causes."""
        cause = self.__cause__
        return cause.origin if isinstance(cause, Error) else self

    @property
    def location_text(self) -> str:
        """The location in the input if the message does not begin with it, else an empty text."""
        return ""


class BugError(Error):
    """A bug of Forebay: an exception that no input should cause, which is the cause of this one."""
