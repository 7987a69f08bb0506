"""C identifiers from the names of models, tensors and values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from msgspec import Struct, field

from forebay.network.model import ModelInfo, Port

# Keywords of C99 to C23 and C++11 to C++20, including those of compilers, and names of the headers
# that the generated code includes.
RESERVED = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class co_await co_return co_yield compl concept const consteval constexpr constinit
    const_cast continue decltype default delete do double dynamic_cast else enum explicit
    export extern false final float for friend goto if inline int long mutable namespace new
    noexcept not not_eq nullptr operator or or_eq override private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
    struct switch template this thread_local throw true try typedef typeid typename typeof
    typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq main NULL
    INFINITY NAN
    abs acos asin atan ceil cos cosh erf exp fabs floor fma fmod index j0 j1 jn log pow rint round
    sin sinh sqrt tan tanh trunc y0 y1 yn gamma signgam isnan isinf memcpy memmove memcmp memset
    linux unix errno assert offsetof bool size_t ptrdiff_t uintptr_t
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t INT32_MIN INT64_MIN""".split()  # noqa: SIM905
)

INTEGER_TYPE = re.compile(r"u?int(_fast|_least)?\d+_t|u?int(ptr|max)_t")

HEADERS = frozenset(
    """alloca assert complex ctype endian errno features fenv float forebay_avx2
    forebay_avx2_elements forebay_avx2_floats forebay_avx512 forebay_avx512_floats forebay_dsp
    forebay_mve forebay_neon forebay_neon_elements forebay_runtime
    inttypes iso646 limits locale malloc math memory sched setjmp signal stdalign stdarg stdatomic
    stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings syslimits tgmath threads
    time uchar unistd wchar wctype""".split()  # noqa: SIM905
)
"""C's and POSIX's headers, and the runtime's own, without `.h`."""

LONGEST_PORT = 40
"""With prefix and macro suffix, ports still differ in the first 63 characters, C99's limit."""

# Names that the public functions use; no port, pool or value may have one of them.
ENTRY_POINT_NAMES = (
    "pools",
    "status",
    "error",
    "run",
    "init",
    "reset",
    "status_name",
    "device_error",
    "devices",
    "default_devices",
    "failed",
    "default_pools",
    "weights_layout",
    "marker",
    "names",
    "check_pools",
    "run_network",
    "reset_state",
    "run_network",
    "reset_state",
    "needs_bool_of_1",
    "needs_double_of_8",
    "needs_float_of_4",
)


def identifier(name: str, fallback: str = "value") -> str:
    """Return a C identifier like `name`, never reserved, never starting with an underscore.

    Names of integer types, such as `uint_fast8_t`, are reserved for every width.
    """
    text = re.sub(r"[^0-9A-Za-z_]+", "_", name)
    text = re.sub(r"_{2,}", "_", text).strip("_") or fallback
    if text[0].isdigit():
        text = f"{fallback}_{text}"
    return f"{text}_" if text in RESERVED or INTEGER_TYPE.fullmatch(text) else text


def struct_of(kind: str) -> str:
    """Return the C type behind a handle of a device of this kind, which only drivers define."""
    return f"struct {identifier(kind, 'device')}"


def port_identifier(name: str) -> str:
    """Return an identifier for a port: TensorFlow's `serving_default_x:0` is `x`."""
    short = re.sub(r":0$", "", name.removeprefix("serving_default_")).lower()
    return identifier(identifier(short, "port")[:LONGEST_PORT], "port")


class NameScope(Struct):
    """Names in use, innermost block last; a new name is unique among all visible names."""

    blocks: list[set[str]] = field(default_factory=lambda: [set()])
    _visible: set[str] = field(default_factory=set[str])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])
    """By wanted name a number: this name with each smaller number is in use."""

    def __post_init__(self) -> None:
        self._visible.update(*self.blocks)

    def push(self) -> None:
        """Enter a block."""
        self.blocks.append(set())

    def pop(self) -> None:
        """Leave a block; its names may be used again."""
        for name in self.blocks.pop():
            self._visible.discard(name)
            text = name.rstrip("0123456789")
            for wanted in (name, text, text.removesuffix("_")):
                self._numbers.pop(wanted, None)

    def reserve(self, names: Collection[str]) -> None:
        """Add names that are in use in the innermost block."""
        self.blocks[-1].update(names)
        self._visible.update(names)

    def unique(self, wanted: str) -> str:
        """Reserve and return `wanted`, with a number appended if it is in use."""
        number = self._numbers.get(wanted, 1)
        while (name := _numbered(wanted, number)) in self._visible:
            number += 1
        self._numbers[wanted] = number
        self.reserve((name,))
        return name


def _numbered(wanted: str, number: int) -> str:
    if number == 1:
        return wanted
    return f"{wanted}_{number}" if wanted[-1].isdigit() else f"{wanted}{number}"


class Naming(Struct, frozen=True):
    """The public names of a project: prefix, and one identifier per port, pool and handle."""

    prefix: str
    ports: dict[str, str]
    pools: dict[str, str]
    devices: dict[str, str]

    @property
    def macro(self) -> str:
        """Return the prefix of macros."""
        return self.prefix.upper()

    def pool_macro(self, pool: str) -> str:
        """Return the prefix of a pool's macros, such as `RESNET8_WORKSPACE`."""
        return f"{self.macro}_{self.pools[pool].upper()}"

    def port_macro(self, port: str) -> str:
        """Return the prefix of a port's macros, such as `RESNET8_INPUT_1`."""
        return f"{self.macro}_{self.ports[port].upper()}"


def _pool_name(wanted: str, scope: NameScope) -> str:
    """Reserve a name together with those derived from it: its size and its internal array."""
    name = scope.unique(wanted)
    while any(made in block for made in _made_from(name) for block in scope.blocks):
        name = scope.unique(wanted)
    scope.reserve(_made_from(name))
    return name


def _port_name(port: Port, scope: NameScope) -> str:
    """Reserve the name of a port; for an input by rows, together with that of its structure."""
    wanted = port_identifier(port.name)
    name = scope.unique(wanted)
    while port.by_rows and any(f"{name}_rows" in block for block in scope.blocks):
        name = scope.unique(wanted)
    if port.by_rows:
        scope.reserve((f"{name}_rows",))
    return name


def _made_from(pool: str) -> set[str]:
    return {f"{pool}_size", f"own_{pool}"}


def pool_identifiers(pools: Iterable[str]) -> dict[str, str]:
    """Return the identifier of each pool of a project; they depend on the pools alone."""
    return _pool_identifiers(pools, NameScope([set(ENTRY_POINT_NAMES)]))


def _pool_identifiers(pools: Iterable[str], scope: NameScope) -> dict[str, str]:
    return {name: _pool_name(identifier(name, "pool").lower(), scope) for name in pools}


def naming_of(model: ModelInfo) -> Naming:
    """Return the names of a project; names that collide after sanitising get a number."""
    scope = NameScope([set(ENTRY_POINT_NAMES)])
    pools = _pool_identifiers([pool.name for pool in model.pools], scope)
    scope.reserve({f"load_{pools[pool.name]}" for pool in model.at_init_pools})
    scope.reserve({f"default_{pools[pool.name]}" for pool in model.by_host_pools})
    ports = {p.name: _port_name(p, scope) for p in model.ports}
    own = NameScope()
    devices = {d.name: own.unique(identifier(d.name, "device").lower()) for d in model.handles}
    return Naming(prefix_of(model.name), ports, pools, devices)


def prefix_of(model_name: str) -> str:
    """Return the prefix of a project's files and public functions.

    `<prefix>.h` must not hide a header that generated code, or one of its headers, includes.
    """
    prefix = identifier(model_name.lower(), "model")
    return f"{prefix}_model" if prefix in HEADERS else prefix
