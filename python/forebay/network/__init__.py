"""A compiled network as data: ports, pools, buffers, constants, and their names in C.

Code generation, engines and emulator share these records. May import `cascade.steps`, `ir`,
`planning`, `pools` and `frontends.tensors`. Provides `ModelInfo` and the functions that read its
parts from a module.

Internal: may change without notice.
"""
