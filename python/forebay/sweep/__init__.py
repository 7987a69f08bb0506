"""Compiles a network under many configurations, and collects the results as a table.

    sweep.yaml -> study: configurations -> evaluate, in processes or on a cluster -> table

`evaluate` is pure: it depends on its configuration alone, whose hash is the key in the cache. May
import `driver`, `mcu`, `formats`, `options`, `targets` and `support`. What needs the extra
`forebay[sweep]` is imported where it is used.

Internal: may change without notice.
"""
