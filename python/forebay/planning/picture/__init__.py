"""Pictures of plans, which show bytes over time, as SVG, HTML or PNG.

May import `planning.model`, `planning.contract` and `forebay.support`.

Internal: may change without notice.
"""

from forebay.planning.picture.files import write_picture

__all__ = ["write_picture"]
