"""Small static functions that generated code calls; each file contains only those that it uses."""

from __future__ import annotations

from msgspec import Struct


class Helper(Struct, frozen=True):
    """A static inline C function that calls no other helper; `calls` are C library functions."""

    text: str
    calls: frozenset[str] = frozenset()


def _minmax(name: str, ctype: str, operator: str) -> Helper:
    return Helper(
        f"static inline {ctype} {name}({ctype} a, {ctype} b)\n"
        f"{{\n    return a {operator} b ? a : b;\n}}\n"
    )


def _integer_helpers(width: int) -> dict[str, Helper]:
    s, u = f"int{width}_t", f"uint{width}_t"
    return {
        f"min_i{width}": _minmax(f"min_i{width}", s, "<"),
        f"max_i{width}": _minmax(f"max_i{width}", s, ">"),
        f"min_u{width}": _minmax(f"min_u{width}", u, "<"),
        f"max_u{width}": _minmax(f"max_u{width}", u, ">"),
        f"clamp_i{width}": Helper(
            f"static inline {s} clamp_i{width}({s} a, {s} low, {s} high)\n"
            "{\n    return a < low ? low : a > high ? high : a;\n}\n"
        ),
        f"abs_i{width}": Helper(
            f"/* Wraps where the result has no {s}. */\n"
            f"static inline {s} abs_i{width}({s} a)\n"
            f"{{\n    return a < 0 ? ({s})(0u - ({u})a) : a;\n}}\n"
        ),
        f"div_floor_i{width}": Helper(
            "/* Rounds towards minus infinity. */\n"
            f"static inline {s} div_floor_i{width}({s} a, {s} b)\n"
            "{\n"
            f"    const {s} quotient = a / b;\n"
            "    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;\n"
            "}\n"
        ),
        f"div_ceil_i{width}": Helper(
            "/* Rounds towards plus infinity. */\n"
            f"static inline {s} div_ceil_i{width}({s} a, {s} b)\n"
            "{\n"
            f"    const {s} quotient = a / b;\n"
            "    return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;\n"
            "}\n"
        ),
        f"div_ceil_u{width}": Helper(
            "/* Rounds up. */\n"
            f"static inline {u} div_ceil_u{width}({u} a, {u} b)\n"
            "{\n    return a / b + (a % b != 0 ? 1u : 0u);\n}\n"
        ),
        f"leading_zeros_i{width}": Helper(
            f"/* Zero bits above the highest set bit; {width} for zero. */\n"
            f"static inline {s} leading_zeros_i{width}({s} a)\n"
            "{\n"
            f"    {u} bits = ({u})a;\n"
            f"    {s} zeros = {width};\n"
            "    while (bits != 0) {\n"
            f"        bits = ({u})(bits >> 1);\n"
            "        --zeros;\n"
            "    }\n"
            "    return zeros;\n"
            "}\n"
        ),
    }


def _float_helpers(ctype: str, suffix: str, width: int) -> dict[str, Helper]:
    f = "f" if ctype == "float" else ""
    bits = f"int{width}_t"
    return {
        f"minimum_{suffix}": Helper(
            "/* IEEE 754 minimum: a NaN propagates, -0.0 is below 0.0. */\n"
            f"static inline {ctype} minimum_{suffix}({ctype} a, {ctype} b)\n"
            "{\n"
            "    if (isunordered(a, b)) {\n        return a + b;\n    }\n"
            f"    return a < b || (!(a > b) && signbit(a)) ? a : b;\n"
            "}\n",
            frozenset(["isunordered", "signbit"]),
        ),
        f"maximum_{suffix}": Helper(
            "/* IEEE 754 maximum: a NaN propagates, 0.0 is above -0.0. */\n"
            f"static inline {ctype} maximum_{suffix}({ctype} a, {ctype} b)\n"
            "{\n"
            "    if (isunordered(a, b)) {\n        return a + b;\n    }\n"
            f"    return a > b || (!(a < b) && signbit(b)) ? a : b;\n"
            "}\n",
            frozenset(["isunordered", "signbit"]),
        ),
        f"at_most_{suffix}": Helper(
            "/* As minimum with a constant other than 0.0: a NaN propagates. */\n"
            f"static inline {ctype} at_most_{suffix}({ctype} a, {ctype} high)\n"
            "{\n    return a >= high ? high : a;\n}\n"
        ),
        f"at_least_{suffix}": Helper(
            "/* As maximum with a constant other than -0.0: a NaN propagates. */\n"
            f"static inline {ctype} at_least_{suffix}({ctype} a, {ctype} low)\n"
            "{\n    return a <= low ? low : a;\n}\n"
        ),
        f"{suffix}_of_bits": Helper(
            f"static inline {ctype} {suffix}_of_bits({bits} bits)\n"
            f"{{\n    {ctype} value;\n"
            "    (void)memcpy(&value, &bits, sizeof value);\n    return value;\n}\n",
            frozenset(["memcpy"]),
        ),
        f"bits_of_{suffix}": Helper(
            f"static inline {bits} bits_of_{suffix}({ctype} value)\n"
            f"{{\n    {bits} bits;\n"
            "    (void)memcpy(&bits, &value, sizeof bits);\n    return bits;\n}\n",
            frozenset(["memcpy"]),
        ),
        f"rsqrt_{suffix}": Helper(
            f"static inline {ctype} rsqrt_{suffix}({ctype} a)\n"
            f"{{\n    return 1.0{f} / sqrt{f}(a);\n}}\n",
            frozenset([f"sqrt{f}"]),
        ),
    }


APPLY_SCALE = Helper(
    "/* value * multiplier / 2^shift, rounded half up (TOSA apply_scale, SINGLE_ROUND). */\n"
    "static inline int32_t apply_scale(int32_t value, int32_t multiplier, int32_t shift)\n"
    "{\n"
    "    const int64_t rounding = (int64_t)1 << (shift - 1);\n"
    "    return (int32_t)(((int64_t)value * multiplier + rounding) >> shift);\n"
    "}\n"
)
APPLY_SCALE_DOUBLE_ROUND = Helper(
    "/* value * multiplier / 2^shift, rounded twice where shift > 31: TOSA's apply_scale with\n"
    "   DOUBLE_ROUND, TensorFlow Lite's MultiplyByQuantizedMultiplier. */\n"
    "static inline int32_t apply_scale_double_round(int32_t value, int32_t multiplier,\n"
    "    int32_t shift)\n"
    "{\n"
    "    int64_t rounding = (int64_t)1 << (shift - 1);\n"
    "    if (shift > 31) {\n"
    "        rounding += value >= 0 ? (1 << 30) : -(1 << 30);\n"
    "    }\n"
    "    return (int32_t)(((int64_t)value * multiplier + rounding) >> shift);\n"
    "}\n"
)
APPLY_SCALE_TWICE = Helper(
    "/* apply_scale_double_round for |value| < 2^30 and shift > 31: a product rounded to 32 bits,\n"
    "   and a shift that rounds halves away from zero. */\n"
    "static inline int32_t apply_scale_twice(int32_t value, int32_t multiplier, int32_t shift)\n"
    "{\n"
    "    const int64_t product = (int64_t)(value * 2) * multiplier + ((int64_t)1 << 31);\n"
    "    const int32_t high = (int32_t)(product >> 32);\n"
    "    return (((high + (high >> 31)) >> (shift - 32)) + 1) >> 1;\n"
    "}\n"
)
_HIGH_AND_HALF = (
    "{\n"
    "    const int64_t product = (int64_t)(value * 2) * multiplier;\n"
    "    const int32_t high = (int32_t)(product >> 32) + (int32_t)((uint32_t)product >> 31);\n"
    "    const int32_t half = (2 * zero_point + 1) * (int32_t)(UINT32_C(1) << (shift - 32));\n"
)
RESCALE = Helper(
    "/* value * multiplier / 2^shift, rounded to 32 bits and once more, halves away from zero,\n"
    "   plus zero_point: for |value| < 2^30, 32 <= shift <= 53, -128 <= zero_point <= 255. */\n"
    "static inline int32_t rescale_i32(int32_t value, int32_t multiplier, int32_t shift,\n"
    "    int32_t zero_point)\n"
    f"{_HIGH_AND_HALF}"
    "    return (high + (high >> 31) + half) >> (shift - 31);\n"
    "}\n"
)
RESCALE_LIMITED = Helper(
    "/* As rescale_i32, but halves below zero are rounded up: for results below zero_point that a\n"
    "   limit replaces. */\n"
    "static inline int32_t rescale_limited_i32(int32_t value, int32_t multiplier, int32_t shift,\n"
    "    int32_t zero_point)\n"
    f"{_HIGH_AND_HALF}"
    "    return (high + half) >> (shift - 31);\n"
    "}\n"
)

COPY_BYTES = Helper(
    "/* As memmove, in words where the addresses and the size, or the processor, allow it:\n"
    "   C libraries for small processors copy one byte after the other. */\n"
    "static inline void copy_bytes(void *to, const void *from, size_t bytes)\n"
    "{\n"
    "#if defined FOREBAY_WORD && UINTPTR_MAX <= 0xffffffffu\n"
    "    const uintptr_t distance = (uintptr_t)to - (uintptr_t)from;\n"
    "    if (distance >= bytes && (((uintptr_t)to | (uintptr_t)from | bytes) & 3u) == 0u) {\n"
    "        FOREBAY_WORD *target = (FOREBAY_WORD *)to;\n"
    "        const FOREBAY_WORD *source = (const FOREBAY_WORD *)from;\n"
    "        size_t words = bytes / 4;\n"
    "        for (; words >= 4; words -= 4) {\n"
    "            const uint32_t a = source[0];\n"
    "            const uint32_t b = source[1];\n"
    "            const uint32_t c = source[2];\n"
    "            const uint32_t d = source[3];\n"
    "            target[0] = a;\n"
    "            target[1] = b;\n"
    "            target[2] = c;\n"
    "            target[3] = d;\n"
    "            source += 4;\n"
    "            target += 4;\n"
    "            FOREBAY_KEEP_LOOP;\n"
    "        }\n"
    "        for (; words != 0; --words) {\n"
    "            *target = *source;\n"
    "            ++source;\n"
    "            ++target;\n"
    "            FOREBAY_KEEP_LOOP;\n"
    "        }\n"
    "        return;\n"
    "    }\n"
    "#if defined FOREBAY_UNALIGNED_WORD\n"
    "    if (distance >= bytes) {\n"
    "        uint8_t *target = (uint8_t *)to;\n"
    "        const uint8_t *source = (const uint8_t *)from;\n"
    "        for (; bytes >= 16; bytes -= 16) {\n"
    "            const FOREBAY_UNALIGNED_WORD *words = (const FOREBAY_UNALIGNED_WORD *)source;\n"
    "            const uint32_t a = words[0];\n"
    "            const uint32_t b = words[1];\n"
    "            const uint32_t c = words[2];\n"
    "            const uint32_t d = words[3];\n"
    "            ((FOREBAY_UNALIGNED_WORD *)target)[0] = a;\n"
    "            ((FOREBAY_UNALIGNED_WORD *)target)[1] = b;\n"
    "            ((FOREBAY_UNALIGNED_WORD *)target)[2] = c;\n"
    "            ((FOREBAY_UNALIGNED_WORD *)target)[3] = d;\n"
    "            source += 16;\n"
    "            target += 16;\n"
    "            FOREBAY_KEEP_LOOP;\n"
    "        }\n"
    "        for (; bytes >= 4; bytes -= 4) {\n"
    "            *(FOREBAY_UNALIGNED_WORD *)target = *(const FOREBAY_UNALIGNED_WORD *)source;\n"
    "            source += 4;\n"
    "            target += 4;\n"
    "            FOREBAY_KEEP_LOOP;\n"
    "        }\n"
    "        for (; bytes != 0; --bytes) {\n"
    "            *target = *source;\n"
    "            ++source;\n"
    "            ++target;\n"
    "            FOREBAY_KEEP_LOOP;\n"
    "        }\n"
    "        return;\n"
    "    }\n"
    "#endif\n"
    "#endif\n"
    "    (void)memmove(to, from, bytes);\n"
    "}\n",
    frozenset(["memmove"]),
)

HELPERS: dict[str, Helper] = {
    "copy_bytes": COPY_BYTES,
    "apply_scale_twice": APPLY_SCALE_TWICE,
    "rescale_i32": RESCALE,
    "rescale_limited_i32": RESCALE_LIMITED,
    "apply_scale": APPLY_SCALE,
    "apply_scale_double_round": APPLY_SCALE_DOUBLE_ROUND,
    **_integer_helpers(32),
    **_integer_helpers(64),
    **_float_helpers("float", "f32", 32),
    **_float_helpers("double", "f64", 64),
}

_DOUBLE_FUNCTIONS = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc
    exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround
    log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow remainder
    remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc""".split()  # noqa: SIM905
MATH_FUNCTIONS = frozenset(
    [name + suffix for name in _DOUBLE_FUNCTIONS for suffix in ("", "f")]
    + ["isunordered", "islessgreater", "signbit"]
)
"""The functions of C99's math.h, also those that no op is printed as yet, and macros of it."""


def helpers_of(called: frozenset[str]) -> list[Helper]:
    """Return the helpers that are called, in a fixed order."""
    return [helper for name, helper in HELPERS.items() if name in called]
