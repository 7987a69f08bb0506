"""The base class of all errors that Forebay raises about a user's input."""


class Error(Exception):
    """An error in the input, the target description or the environment.

    The message names the problem, its location and a remedy.
    """
