"""Emissions: forms in which a target writes a compiled network, instead of the C project.

May import `dialects`, `ir`, `network` and `support`. Gives `Emission`, which a target lists, and
`CompiledProgram`, which an emission's function is given; `commands` has the commands of a program.

Internal: may change without notice.
"""

from forebay.emissions.emission import (
    CompiledProgram,
    Emission,
    EmittedFiles,
    TargetEmissionError,
    emission_of,
)

__all__ = ["CompiledProgram", "Emission", "EmittedFiles", "TargetEmissionError", "emission_of"]
