"""Operators that users add to the TFLite front end, each with its lowering and its NumPy form.

`load` finds them in files, `checked` calls their lowerings and checks what these return, `compare`
compares a lowering with its NumPy form on drawn operands.

Internal: may change without notice.
"""
