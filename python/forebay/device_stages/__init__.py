"""Device stages: code of a device that lowers each call of its intrinsics.

A stage sees one call and the bytes of each pool that are free while the call runs. May import
`dialects`, `ir`, `pipelines` and `planning`. Gives the types of stages; `probe` finds the free
bytes by a trial plan, and `grants` records them on the functions that stages build.

Internal: may change without notice.
"""

from forebay.device_stages.call_site import CallSite, Reserve, Stage

__all__ = ["CallSite", "Reserve", "Stage"]
