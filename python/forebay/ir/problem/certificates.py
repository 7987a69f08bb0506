"""Certificates of plans as attributes of pools."""

from __future__ import annotations

from forebay.dialects.memref_pool import CertificateAttr
from forebay.planning import PoolCertificate


def certificate_attribute(planner: str, found: PoolCertificate) -> CertificateAttr:
    """Return all facts about the plan in one pool; `proof` is set only where it is optimal."""
    return CertificateAttr.get(
        planner,
        found.peak,
        found.lower_bound,
        found.argument if found.optimal else "",
        found.at_bound,
        found.step,
        [bound for hole in found.holes for bound in hole],
    )
