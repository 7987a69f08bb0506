"""The files of a C project around the printed functions.

`interface` declares what the files share, `api` is the public header and its functions, `pools` and
`devices` are the memory and the driver functions, `build_files` is CMake and Zephyr, `selftest` the
test program. May import `codegen.c`, `network` and `ir`. Provides `write_project`.

Internal: may change without notice.
"""
