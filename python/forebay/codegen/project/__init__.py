"""The files of a C project around the printed functions.

`interface` declares what files share, `api` is the public header and its functions, `pools` and
`devices` the memory and the driver functions, `build_files` CMake and Zephyr, `selftest` the test
program. May import `codegen.c`, `network` and `ir`. Gives `write_project`.
"""
