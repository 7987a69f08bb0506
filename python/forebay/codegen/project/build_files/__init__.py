"""Files for tools (CMake, Zephyr, the memory map) and safe replacement of an output directory.

May import `interface`, `devices`, `pools` and `network`.

Internal: may change without notice.
"""
