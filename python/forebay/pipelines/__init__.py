"""Textual pass pipelines, one per phase of the road from a model to C, and how to run one."""

from forebay.pipelines.runner import PipelineError, run

__all__ = ["PipelineError", "run"]
