"""The files of a C project around the printed functions.

`interface` declares what the files share, `api` is the public header and its functions, `pools` and
`devices` are the memory and the driver functions, `build_files` is CMake and Zephyr, `selftest` the
test program. May import `codegen.c`, `formats`, `network` and `ir`. Provides `write_project`, and
`update_constants` for a written project.

Internal: may change without notice.
"""
