"""The TensorFlow Lite front end: a `.tflite` file becomes TOSA, bit-exact with TFLite Micro.

`file` reads the file, `operators` lowers each operator with the shared code in `lowering`, and
`main_function` builds `@main`. May import `dialects`, `ir` and `support`. Gives `import_model`,
`import_request` and their errors.

Internal: may change without notice.
"""

from forebay.frontends.errors import MalformedModel, ModelRefused, UnsupportedModel
from forebay.frontends.tflite.importer import import_model, import_request

__all__ = ["MalformedModel", "ModelRefused", "UnsupportedModel", "import_model", "import_request"]
