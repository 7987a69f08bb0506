"""The TensorFlow Lite front end: a `.tflite` file becomes TOSA, bit-exact with TFLite Micro."""

from forebay.frontends.errors import MalformedModel, ModelRefused, UnsupportedModel
from forebay.frontends.tflite.importer import import_model

__all__ = ["MalformedModel", "ModelRefused", "UnsupportedModel", "import_model"]
