"""The root of everything that Forebay raises about a user's input."""


class Error(Exception):
    """Something about the input, the target or the environment stops the work.

    The message says what, where, and the way out.
    """
