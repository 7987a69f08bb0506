"""With a deliberate miscompilation switched on in a pass, `--verify-each` refuses that pass.

Programs are drawn; of each that a pass changes, every copy is lost, moved and redirected in turn
behind the pass. Whether that matters is for the plain interpreter of the fuzzer to say, which
shares no code with the emulator: what changes an output on the inputs of the validator must be
refused.
"""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest
from common.mutants.lost_copies import Mutant, mutants_of
from common.sweep import sweep
from fuzz.programs.draw import Program
from fuzz.programs.interpret import Interpreter, NotInterpretedError
from mlir import ir

from forebay.options import Options
from forebay.pipelines import PipelineError, run_pipeline, stages
from forebay.validation import ValidationError, Validator
from forebay.validation.draws import DRAWS

OPTIONS = Options()
PASSES = (
    "memref-pool-adopt",
    "memref-pool-forward-results",
    "memref-pool-hoist-stores",
    "accel-lower-copies",
    "accel-hoist-transfers",
    "accel-pipeline-loops",
    "accel-overlap-calls",
)
MUTANTS = 10
"""Of each pass, those that matter."""
LINES = 150
"""Larger programs take more time and show no more."""


@dataclass(frozen=True)
class Case:
    """A program in front of a pass that changes it, and behind it, as bytecode."""

    before: bytes
    after: bytes


def cases_of(name: str) -> Iterator[Case]:
    """Programs that the pass changes, in the order of their numbers."""
    for seed in range(4000, 6000):
        program = Program(seed)
        if program.text.count("\n") > LINES:
            continue
        module = ir.Module.parse(program.text)
        texts = stages.bufferization_passes(OPTIONS)
        for text in texts[texts.index("symbol-dce") :]:
            before = written(module)
            try:
                run_pipeline(module, f"builtin.module({text})")
            except PipelineError:
                break
            if text.split("{")[0] == name:
                if written(module) != before:
                    yield Case(before, written(module))
                break


def written(module: ir.Module) -> bytes:
    found = io.BytesIO()
    module.operation.write_bytecode(found)
    return found.getvalue()


def outputs_of(module: ir.Module) -> list[list[np.ndarray]] | None:
    """What the plain interpreter computes on the validator's inputs; None where it cannot."""
    try:
        return [_outputs(module, number) for number in range(len(DRAWS))]
    except (AssertionError, NotInterpretedError, ValueError):
        return None


def _outputs(module: ir.Module, number: int) -> list[np.ndarray]:
    interpreter = Interpreter(module)
    functions = [op for op in module.body.operations if op.operation.name == "func.func"]
    if any(op.attributes["sym_name"].value == "reset" for op in functions):
        interpreter.call("reset", [])
    (main,) = (op for op in functions if op.attributes["sym_name"].value == "main")
    marks = zip(main.arguments, main.attributes["arg_attrs"], strict=True)
    types = [argument.type for argument, mark in marks if "bufferize.result" not in mark]
    return interpreter.call("main", _drawn(types, number))


def _drawn(types: Sequence[ir.Type], number: int) -> list[np.ndarray]:
    """The validator's inputs of the first run."""
    draw = DRAWS[number]
    generator = np.random.default_rng((draw.seed, 1))
    arrays: list[np.ndarray] = []
    for type_ in types:
        dtype = np.dtype(f"int{type_.element_type.width}")
        limits = np.iinfo(dtype)
        shape = tuple(type_.shape)
        if draw.small:
            arrays.append(generator.integers(0, 4, shape).astype(dtype))
        else:
            arrays.append(generator.integers(limits.min, limits.max, shape, dtype, endpoint=True))
    return arrays


def refusal(case: Case, name: str, mutant: Mutant) -> str | None:
    """What `--verify-each` says of the pass with the mutation behind it."""
    module = ir.Module.parse(case.before)

    def change(module: ir.Module) -> None:
        after = ir.Module.parse(case.after)
        assert mutant.change(after)
        for op in list(module.body.operations):
            op.operation.erase()
        for op in after.body.operations:
            op.operation.clone(ir.InsertionPoint(module.body))

    try:
        Validator().run_one(module, name, change)
    except ValidationError as error:
        assert error.name == name
        return str(error)
    return None


def matters(case: Case, mutant: Mutant, right: list[list[np.ndarray]]) -> bool:
    """Whether the mutation changes an output."""
    module = ir.Module.parse(case.after)
    if not mutant.change(module):
        return False
    wrong = outputs_of(module)
    return wrong is not None and not all(
        np.array_equal(a, b)
        for one, other in zip(right, wrong, strict=True)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("name", sweep(PASSES))
def test_every_miscompilation_that_matters_is_refused(name: str) -> None:
    draw = random.Random(7)
    kinds: Counter[str] = Counter()
    missed: list[str] = []
    with ir.Context(), ir.Location.unknown():
        for case in cases_of(name):
            after = ir.Module.parse(case.after)
            mutants, right = list(mutants_of(after)), outputs_of(after)
            if right is None:
                continue
            found = (m for m in draw.sample(mutants, len(mutants)) if matters(case, m, right))
            for mutant in islice(found, 3):
                kinds[mutant.kind] += 1
                if refusal(case, name, mutant) is None:
                    missed.append(mutant.kind)
            if kinds.total() >= MUTANTS:
                break
    print(name, dict(kinds))
    assert missed == []
    assert kinds.total() >= MUTANTS
    assert len(kinds) >= 2
