"""Static memory planning: every buffer gets a named pool and an offset in it. Imports no MLIR."""

from forebay.planning.bounds import Bound, lower_bound
from forebay.planning.buffer import Buffer, Interval, Kind, Lifetime, live
from forebay.planning.certificate import PoolCertificate, certify, certify_pool
from forebay.planning.effort import Effort
from forebay.planning.errors import (
    FormatError,
    PlanInfeasibleError,
    PlannerFailedError,
    PlanningError,
    PlanRefusedError,
    ProblemError,
    UnknownPlannerError,
)
from forebay.planning.formats import read_problem, write_plan, write_problem
from forebay.planning.plan import Placement, Plan
from forebay.planning.planner import Planner
from forebay.planning.pool import ByteRange, Pool
from forebay.planning.problem import Problem
from forebay.planning.registry import find_planner, plan, planner_names
from forebay.planning.separation import Separation
from forebay.planning.verify import verify

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
