"""List scheduling of straight-line sequences of transfers and calls into the queues of devices.

`items` and `dependences` read a sequence from IR, `memory_limits` its memory; `tasks` is the same
sequence as numbers, which `list_schedule` orders without IR; `write` rewrites the block. May import
`ir`, `device_stages`, `dialects`, `planning`, `reference` and `scheduling`.

Internal: may change without notice.
"""
