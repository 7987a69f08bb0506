"""Device stages: code of a device that lowers each of its calls.

A stage sees one call and the bytes of each pool that are free while the call runs.
"""

from forebay.device_stages.site import CallSite, Reserve, Stage

__all__ = ["CallSite", "Reserve", "Stage"]
