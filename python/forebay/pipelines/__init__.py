"""Textual pass pipelines, one per phase of the compilation from a model to C, and their runner.

May import `frontends`, `ir`, `network`, `passes`, `planning`, `reports` and `support`. Gives `run`,
`run_together`, the pipelines in `stages` and `build`, which runs them all.

Internal: may change without notice.
"""

from forebay.pipelines.runner import PipelineError, RunPasses, run_pipeline, run_together

__all__ = ["PipelineError", "RunPasses", "run_pipeline", "run_together"]
