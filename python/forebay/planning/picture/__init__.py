"""Pictures of plans: bytes over time."""

from forebay.planning.picture.files import write_picture

__all__ = ["write_picture"]
