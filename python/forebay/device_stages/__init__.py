"""A device's own stage: it sees each of its calls with the bytes that are free while it runs."""

from forebay.device_stages.site import CallSite, Reserve, Stage

__all__ = ["CallSite", "Reserve", "Stage"]
