"""Padded copies of the sources of convolutions, so that no window reaches over a border.

May import `cpus`, `dialects`, `ir`, `planning` and the schedules of `lowering`. Gives
`source_padding_of`, which says what a kernel needs, `gains_of`, `fitting`, and `pad_source`, which
makes the copy and the kernel on it.

Internal: may change without notice.
"""
