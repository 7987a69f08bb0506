"""The headers of instruction sets: functions on vectors, with a portable form beside each."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from forebay.cpus import schedule_of

_ELEMENTS = (
    "forebay_add_i32x8",
    "forebay_subtract_i32x8",
    "forebay_multiply_i32x8",
    "forebay_add_each_i32x8",
    "forebay_multiply_each_i32x8",
    "forebay_rescale_i32x8",
    "forebay_scale_i32x8",
)
"""Arithmetic on 8 neighbouring elements, which each of these instruction sets has."""
_FLOATS = ("load", "store", "splat", "add", "multiply", "at_least", "at_most")
"""What the functions on neighbouring floats do."""
INSTRUCTION_SET_HEADERS = {
    "forebay_dsp.h": (
        "forebay_load_i8x4",
        "forebay_load_between_i8x4",
        "forebay_splat_i8x4",
        "forebay_store_i8x4",
        "forebay_max_i8x4",
        "forebay_min_i8x4",
        "forebay_dot_i8x4",
        "forebay_lane_i8x4",
        "forebay_rescale_i32",
        "forebay_rescale_limited_i32",
        "forebay_saturate_i8",
    ),
    "forebay_mve.h": (
        "forebay_load_i8x16",
        "forebay_load_first_i8x16",
        "forebay_load_between_i8x16",
        "forebay_splat_i8x16",
        "forebay_store_i8x16",
        "forebay_store_first_i8x16",
        "forebay_max_i8x16",
        "forebay_min_i8x16",
        "forebay_dot_i8x16",
        "forebay_of_i32x4",
        "forebay_get_i32x4",
        "forebay_splat_i32x4",
        "forebay_splat_i32x8",
        "forebay_splat_i16x8",
        "forebay_load_i32x4",
        "forebay_load_i32x8",
        "forebay_extend_i32x4",
        "forebay_extend_i16x8",
        "forebay_extend_i32x8",
        "forebay_add_i32x4",
        "forebay_subtract_i32x4",
        "forebay_multiply_i32x4",
        "forebay_add_each_i32x4",
        "forebay_multiply_each_i32x4",
        "forebay_multiply_add_i32x8",
        "forebay_rescale_i32x4",
        "forebay_scale_i32x4",
        "forebay_store_rescaled_i32x4",
        "forebay_store_rescaled_i32x8",
        "forebay_store_scaled_i32x4",
        "forebay_store_scaled_i32x8",
    ),
    "forebay_avx2.h": (
        "forebay_load_i8x4",
        "forebay_load_i8x16",
        "forebay_load_first_i8x16",
        "forebay_splat_i8x16",
        "forebay_store_i8x16",
        "forebay_store_first_i8x16",
        "forebay_max_i8x16",
        "forebay_min_i8x16",
        "forebay_load_i8x32",
        "forebay_load_first_i8x32",
        "forebay_load_between_i8x32",
        "forebay_load_between_i8x4",
        "forebay_load_between_i8x16",
        "forebay_of_i32x8",
        "forebay_get_i32x8",
        "forebay_splat_i32x8",
        "forebay_splat_i16x8",
        "forebay_load_i32x8",
        "forebay_extend_i32x8",
        "forebay_extend_i16x8",
        "forebay_multiply_add_i32x8",
        "forebay_dots_i32x8_i8x16",
        "forebay_dots_i32x8_i8x32",
        "forebay_dots_i32x8_i8x4",
        "forebay_total_i32x8",
        "forebay_add_totals_i32x8",
        "forebay_store_rescaled_i32x8",
        "forebay_store_scaled_i32x8",
    ),
    "forebay_avx2_elements.h": _ELEMENTS,
    "forebay_avx2_floats.h": tuple(f"forebay_{name}_f32x8" for name in _FLOATS),
    "forebay_avx512_floats.h": tuple(f"forebay_{name}_f32x16" for name in _FLOATS),
    "forebay_avx512.h": (
        "forebay_load_i8x64",
        "forebay_load_i32x16",
        "forebay_splat_i32x16",
        "forebay_splat_i16x16",
        "forebay_extend_i32x16",
        "forebay_extend_i16x16",
        "forebay_multiply_add_i32x16",
        "forebay_dot_each_i32x16",
        "forebay_dot_each_i32x8",
        "forebay_store_rescaled_i32x16",
        "forebay_store_scaled_i32x16",
    ),
    "forebay_neon.h": (
        "forebay_load_i8x16",
        "forebay_load_first_i8x16",
        "forebay_load_between_i8x16",
        "forebay_splat_i8x16",
        "forebay_store_i8x16",
        "forebay_store_first_i8x16",
        "forebay_max_i8x16",
        "forebay_min_i8x16",
        "forebay_of_i32x4",
        "forebay_splat_i32x4",
        "forebay_get_i32x8",
        "forebay_splat_i32x8",
        "forebay_splat_i16x8",
        "forebay_load_i32x4",
        "forebay_load_i32x8",
        "forebay_extend_i32x4",
        "forebay_extend_i32x8",
        "forebay_extend_i16x8",
        "forebay_multiply_add_i32x8",
        "forebay_load_i8x4",
        "forebay_load_between_i8x4",
        "forebay_splat_i8x4",
        "forebay_dots_i32x4_i8x16",
        "forebay_dots_i32x4_i8x4",
        "forebay_total_i32x4",
        "forebay_add_totals_i32x4",
        "forebay_store_rescaled_i32x4",
        "forebay_store_rescaled_i32x8",
        "forebay_store_scaled_i32x4",
        "forebay_store_scaled_i32x8",
    ),
    "forebay_neon_elements.h": _ELEMENTS,
}
"""The functions of each header; the headers are in `codegen.project.interface.runtime`."""
_INCLUDED = {
    "forebay_avx2_elements.h": "forebay_avx2.h",
    "forebay_avx512.h": "forebay_avx2.h",
    "forebay_neon_elements.h": "forebay_neon.h",
}
"""The header that another one includes for its vectors."""
_ARM = ("forebay_dsp.h", "forebay_mve.h")
_AVX2 = ("forebay_avx2.h", "forebay_avx2_elements.h", "forebay_avx2_floats.h")
_FLOATS16 = "forebay_avx512_floats.h"
_OF_PROCESSORS = {
    "x86-64-v3": _AVX2,
    "x86-64-v4": (*_AVX2, _FLOATS16),
    "cascadelake": (*_AVX2, "forebay_avx512.h", _FLOATS16),
    "cortex-a76": ("forebay_neon.h", "forebay_neon_elements.h"),
}
"""The headers by the processor of a function, `accel.cpu`; `_ARM` for all others."""


class ScalarFunctions(Struct, frozen=True):
    """The functions for sums and results of 8 bits on one processor; empty names for none.

    `rescale` requantises a sum and adds a zero point. `rescale_limited` does so where a limit
    replaces all results below the zero point. `saturate_i8` limits a value to 8 bits. With
    `limits_without_sign` values that are limited to 8 bits have 128 added before: 0 and 255 are
    immediate operands of comparisons, and Arm's compilers limit to them by one instruction.
    """

    rescale: str = ""
    rescale_limited: str = ""
    saturate_i8: str = ""
    limits_without_sign: bool = False


_DSP = ScalarFunctions("forebay_rescale_i32", "forebay_rescale_limited_i32", "forebay_saturate_i8")
_PORTABLE = ScalarFunctions("rescale_i32", "rescale_limited_i32", limits_without_sign=True)
_SCALAR_FUNCTIONS = {"cortex-m4": _DSP, "cortex-m55": _DSP}
"""By the processor of a function, `accel.cpu`."""


def scalar_functions(cpu: str | None) -> ScalarFunctions:
    """Return the functions for a processor, those of portable C if it has no vectors.

    Compilers make vectors of the helpers for other processors, so these call no other functions.
    """
    if cpu is None or not schedule_of(cpu).vectors:
        return _PORTABLE
    return _SCALAR_FUNCTIONS.get(cpu, ScalarFunctions())


def instruction_set_headers(called: Iterable[str], cpu: str | None) -> tuple[str, ...]:
    """Return the headers of functions that a processor's code calls, in a fixed order."""
    names = frozenset(called)
    headers = _ARM if cpu is None else _OF_PROCESSORS.get(cpu, _ARM)
    found = {header for header in headers if names & {*INSTRUCTION_SET_HEADERS[header]}}
    found |= {_INCLUDED[header] for header in found if header in _INCLUDED}
    return tuple(header for header in headers if header in found)
