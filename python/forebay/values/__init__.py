"""The values that each operator of a model must compute, and where a planned program holds them.

Internal: may change without notice.
"""

from forebay.values.model import ModelValues

__all__ = ["ModelValues"]
