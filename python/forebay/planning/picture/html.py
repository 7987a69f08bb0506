"""The picture as an HTML page: the drawing and a list of certificates below it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from forebay.planning.contract.certificate import PoolCertificate


def html(drawing: str, certificates: Sequence[PoolCertificate], title: str) -> str:
    """Return a page that does not refer to other files."""
    rows = "\n".join(f"<li>{escape(str(certificate))}</li>" for certificate in certificates)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>\n'
        f'<body style="font-family: Helvetica, Arial, sans-serif">\n{drawing}<ul>\n{rows}\n'
        f"</ul></body></html>\n"
    )
