"""The front end for `.onnx` files: float networks, and networks quantised by QDQ or QLinear.

`model` reads the file and finds the integer operators after QuantizeLinear and DequantizeLinear,
`operators` lowers each operator with the shared code in `lowering`, and `main_function` builds
`@main`. Needs the package `onnx`, the extra `forebay[onnx]`.

Internal: may change without notice.
"""
