"""Plans as JSON, in the format of `forebay.formats.memory_plan`."""

from __future__ import annotations

from msgspec import UNSET

from forebay.formats.memory_plan import MemoryPlan, PlannedPlacement, PoolQuality
from forebay.formats.writing import json_text
from forebay.planning.contract.certificate import PoolCertificate, certify
from forebay.planning.model.plan import Plan


def print_json_plan(plan: Plan) -> str:
    """Print the placements and the certificates of a plan."""
    has_penalty = bool(plan.problem.separations)
    document = MemoryPlan(
        planner=plan.planner,
        cost=plan.cost,
        penalty=plan.penalty if has_penalty else UNSET,
        pools=tuple(_quality(certificate, has_penalty) for certificate in certify(plan)),
        placements={
            buffer.name: PlannedPlacement(*plan.placements[buffer.name])
            for buffer in plan.problem.buffers
        },
    )
    return json_text(document)


def _quality(certificate: PoolCertificate, has_penalty: bool) -> PoolQuality:
    return PoolQuality(
        pool=certificate.pool,
        peak=certificate.peak,
        lower_bound=certificate.lower_bound,
        optimal=certificate.optimal,
        argument=certificate.argument,
        at_bound=certificate.at_bound,
        step=certificate.step,
        holes=certificate.holes,
        penalty=certificate.penalty if has_penalty else UNSET,
    )
