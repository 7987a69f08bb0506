"""List scheduling of straight sequences of transfers and calls into the queues of devices.

`items` and `dependences` read a sequence from IR, `room` its memory; `tasks` is the same sequence
as numbers, which `list_schedule` orders without IR; `write` rewrites the block. May import `ir`,
`device_stages`, `dialects`, `planning`, `reference` and `scheduling`.

Internal: may change without notice.
"""
