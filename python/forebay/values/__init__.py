"""What each operator of a model must compute, and where a planned program holds it."""

from forebay.values.model import ModelValues

__all__ = ["ModelValues"]
