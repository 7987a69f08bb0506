"""Textual pass pipelines, one per phase of the road from a model to C, and how to run one."""

from forebay.pipelines.runner import PipelineError, RunPasses, run, run_together

__all__ = ["PipelineError", "RunPasses", "run", "run_together"]
