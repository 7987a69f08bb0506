"""What each operator of a model must compute, and where a planned program holds it."""

from forebay.values.model import ModelValues, values_of

__all__ = ["ModelValues", "values_of"]
