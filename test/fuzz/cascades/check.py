"""Draws one cascade and judges lifetimes, plan, both checks of the plan, and moved rows."""

from __future__ import annotations

from collections import Counter
from random import Random

from common.programs.cascades import Cascade, Tensor
from common.programs.planned_modules import Planned
from mlir import ir

from forebay.ir.liveness.liveness import liveness_of
from forebay.ir.module import module_of
from forebay.options import Options
from forebay.pipelines import PipelineError, run_pipeline, stages
from fuzz.cases import Wrong

MOVES = 6


def check(seed: int) -> Counter[str]:
    """Judge one case; raises `Wrong` with what is not as the oracle says."""
    rng = Random(seed)
    program = draw(rng)
    counts = Counter[str]()
    if not program.operators:
        return counts
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(program.text())
        _check_lifetimes(module, program)
        try:
            run_pipeline(module, "builtin.module(memref-pool-plan,memref-pool-verify-plan)")
            _check_moves(module, program, rng, counts)
            run_pipeline(module, stages.materialization(Options()))
        except PipelineError as error:
            raise Wrong(f"a right program is refused: {error}") from error
    counts["cascades"] += 1
    return counts


def draw(rng: Random) -> Cascade:
    """Up to eight operators, each on one of the newest tensors."""
    program = Cascade(rng.randrange(6, 24), rng.randrange(1, 6))
    made = [program.input]
    for _ in range(rng.randrange(1, 9)):
        source = rng.choice(made[-3:])
        other = _partner(program, made, source, rng)
        if other is not None and rng.random() < 0.3:
            total = program.add(other, source)
            made = [*(tensor for tensor in made if tensor.name != source.name), total]
        elif source.name != "input" and rng.random() < 0.15:
            made.append(program.copy(source))
        else:
            made += _window(program, source, rng)
    return program


def _window(program: Cascade, source: Tensor, rng: Random) -> list[Tensor]:
    kernel, dilation = rng.randrange(1, 5), rng.choice((1, 1, 1, 2))
    stride, pad = rng.choice((1, 1, 2, 3)), rng.randrange(kernel)
    if source.height + 2 * pad <= dilation * (kernel - 1) + stride:
        return []
    return [program.window(source, kernel, stride, pad, dilation)]


def _partner(program: Cascade, made: list[Tensor], source: Tensor, rng: Random) -> Tensor | None:
    """A tensor like the newest one, into which nothing but a sum may write any more."""
    is_read = any(source.name == each.name for o in program.operators for each in o.sources)
    if is_read or source is not made[-1] or not source.is_rows:
        return None
    shape = (source.height, source.width, source.rate, True)
    alike = [
        tensor
        for tensor in made[:-1]
        if (tensor.height, tensor.width, tensor.rate, tensor.is_rows) == shape
    ]
    return rng.choice(alike) if alike else None


def _check_lifetimes(module: ir.Module, program: Cascade) -> None:
    liveness = liveness_of(module_of(module))
    found = {
        (liveness.buffers[number].name, row): (lifetime[0].start, lifetime[-1].end)
        for number, rows in liveness.row_lifetimes.items()
        for row, lifetime in enumerate(rows)
    }
    for key, lifetime in program.lifetimes().items():
        if found.get(key) != lifetime:
            raise Wrong(f"{key} lives over {lifetime}, but the analysis says {found.get(key)}")


def _check_moves(module: ir.Module, program: Cascade, rng: Random, counts: Counter[str]) -> None:
    """Move a buffer or a row onto another one, a few times."""
    ours = Planned(module)
    names = list(ours.places)
    for _ in range(MOVES):
        one, other = rng.choice(names), rng.choice(names)
        places = {name: place.offset for name, place in ours.places.items()}
        places[one] = places[other]
        is_misaligned = any(at % 16 for name, at in places.items() if "[" not in name)
        is_wrong = is_misaligned or program.reads_wrong_rows(places)
        refusal = ours.refusal({one: ours.places[other]})
        if bool(refusal) != is_wrong:
            raise Wrong(f"{one} at the place of {other}: {refusal or 'accepted'}")
        counts["places refused" if is_wrong else "places accepted"] += 1
