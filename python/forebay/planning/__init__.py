"""Static memory planning: assigns a named pool and an offset in that pool to every buffer.

May import `forebay.errors`, `forebay.pools` and `forebay.support`; imports no MLIR.
Gives the problem and plan data types, the planners, plan verification and lower bounds.

Public as `forebay.api.planner`; the rest may change without notice.
"""

from typing import TYPE_CHECKING

from forebay.planning.contract.bounds import Bound, lower_bound
from forebay.planning.contract.certificate import PoolCertificate, certify, certify_pool
from forebay.planning.contract.effort import Effort
from forebay.planning.contract.planner import Planner
from forebay.planning.contract.verify import verify
from forebay.planning.model.buffer import (
    Buffer,
    Interval,
    Kind,
    Lifetime,
    live,
)
from forebay.planning.model.errors import (
    FormatError,
    PlanInfeasibleError,
    PlannerFailedError,
    PlanningError,
    PlanRefusedError,
    ProblemError,
    UnknownPlannerError,
)
from forebay.planning.model.plan import Placement, Plan
from forebay.planning.model.problem import Problem
from forebay.planning.model.separation import Separation
from forebay.planning.registry import find_planner, plan, planner_names
from forebay.pools import ByteRange, Pool

if TYPE_CHECKING:
    from forebay.planning.formats import read_problem, write_plan, write_problem


def _picture_html(shown: Plan) -> str:
    from forebay.planning.picture.files import picture_html  # noqa: PLC0415  (seldom shown)

    return picture_html(shown)


Plan.picture = staticmethod(_picture_html)


def __getattr__(name: str) -> object:
    if name in {"read_problem", "write_plan", "write_problem"}:
        from forebay.planning import formats  # noqa: PLC0415  (seldom used)

        return getattr(formats, name)
    raise AttributeError(f"module 'forebay.planning' has no attribute '{name}'")


__all__ = [
    "Bound",
    "Buffer",
    "ByteRange",
    "Effort",
    "FormatError",
    "Interval",
    "Kind",
    "Lifetime",
    "Placement",
    "Plan",
    "PlanInfeasibleError",
    "PlanRefusedError",
    "Planner",
    "PlannerFailedError",
    "PlanningError",
    "Pool",
    "PoolCertificate",
    "Problem",
    "ProblemError",
    "Separation",
    "UnknownPlannerError",
    "certify",
    "certify_pool",
    "find_planner",
    "live",
    "lower_bound",
    "plan",
    "planner_names",
    "read_problem",
    "verify",
    "write_plan",
    "write_problem",
]
