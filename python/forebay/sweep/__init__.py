"""Compile networks under many configurations, and collect the results in a table.

    sweep.yaml -> study: configurations -> evaluate, in processes or on a cluster -> table

`evaluate` is pure: it depends on its configuration alone, whose hash is the key in the cache. May
import `driver`, `mcu`, `formats`, `options`, `targets` and `support`. What needs the extra
`forebay[sweep]` is imported where it is used.

Internal: may change without notice.
"""
