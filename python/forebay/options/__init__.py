"""The options of a compilation, for the Python API, the command and the pipelines.

May import `errors`, `support`, `planning`, `targets` and `passes`; loads the last three only when
an option needs them. Gives `Options`, whose fields are the one list of options.

Internal: may change without notice.
"""

from forebay.options.options import Options

__all__ = ["Options"]
