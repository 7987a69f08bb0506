"""The Python API that compiles a model file to a planned network.

The compiler is loaded by the first call, not by the import of this module.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forebay.driver.compiled import Compiled
    from forebay.driver.requested import Choices
    from forebay.driver.user_passes import Passes
    from forebay.pipelines.build import Progress
    from forebay.pipelines.settings import Io
    from forebay.planning.contract.planner import Planner
    from forebay.planning.user import UserFunction
    from forebay.targets import Target


def compile(
    model: str | Path,
    *,
    target: str | Path | Target | None = None,
    place: Choices = (),
    placement: str | Path | None = None,
    order: Sequence[str] = (),
    io: Io = "caller",
    input_pools: Choices = (),
    output_pools: Choices = (),
    constant_pools: Choices = (),
    strict: bool = False,
    planner: str | Path | Planner | UserFunction = "auto",
    slots: int = 2,
    passes: Passes = (),
    shapes: Mapping[str, Sequence[int]] | None = None,
    verify_each: bool = False,
    progress: Progress | None = None,
) -> Compiled:
    """Compile a `.tflite` or `.mlir` file for a target.

    * `target` is a target, its name or its file. Without one, a module that declares devices and
      pools is compiled for these, and any other module for the host alone.
    * `place` lists `OPERATOR=DEVICE` or is a mapping; `placement` is a file with such entries. The
      target's patterns decide about every other operator. `order` lists devices whose own stages
      run first.
    * `io` says whether inputs and outputs are in the caller's memory or in the workspace;
      `input_pools`, `output_pools` and `constant_pools` list `NAME=POOL` or, in order of
      preference, `NAME=POOL+POOL` for single tensors, or are mappings of names to pools.
    * `strict` refuses a program that needs a copy between pools.
    * `planner` is a name that `forebay.planning` knows, a Python file, a `Planner`, or a function
      `plan(buffers, pools)`.
    * `slots` is the most buffers that a tile gets in a loop whose transfers run in queues; 1
      pipelines no loop.
    * `passes` are the user's passes, each `PHASE=PASS`, or a mapping of phases to passes: files,
      texts, classes, objects or functions (see `forebay.driver.user_passes`).
    * `shapes` bounds inputs of dynamic shape by their names.
    * `verify_each` runs the program before and after each pass up to the plan, on drawn inputs, and
      refuses a pass that changes an output or the state.
    * `progress` is called with the name of each stage when it begins.

    Raises `Error` (its subclasses) when the model, the target or the plan is refused.
    """
    from forebay import targets  # noqa: PLC0415
    from forebay.driver.compilation import compile_for  # noqa: PLC0415
    from forebay.driver.requested import settings_of  # noqa: PLC0415

    with targets.once():
        wanted = settings_of(
            target=target,
            place=place,
            placement=placement,
            order=order,
            io=io,
            input_pools=input_pools,
            output_pools=output_pools,
            constant_pools=constant_pools,
            strict=strict,
            planner=planner,
            slots=slots,
            passes=passes,
        )
        return compile_for(
            Path(model),
            wanted,
            is_target_named=target is not None,
            shapes=shapes,
            verify_each=verify_each,
            progress=progress,
        )
