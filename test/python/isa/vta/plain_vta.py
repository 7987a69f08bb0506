"""VTA in plain loops over raw words, with a decoder written from the programming model alone.

It runs the instructions in the order of the program, so it is an oracle for programs whose tokens
order everything in that order.
"""

from __future__ import annotations

MOVE = {
    "opcode": (2, 0),
    "memory": (9, 7),
    "sram": (25, 10),
    "dram": (57, 26),
    "rows": (79, 64),
    "columns": (95, 80),
    "stride": (111, 96),
    "pad_up": (115, 112),
    "pad_down": (119, 116),
    "pad_left": (123, 120),
    "pad_right": (127, 124),
}
LOOPS = {
    "opcode": (2, 0),
    "uop_begin": (20, 8),
    "uop_end": (34, 21),
    "outer": (48, 35),
    "inner": (62, 49),
    "dst_outer": (74, 64),
    "dst_inner": (85, 75),
    "src_outer": (96, 86),
    "src_inner": (107, 97),
}
FIELDS = {
    "VtaLoad": MOVE,
    "VtaStore": MOVE,
    "VtaGemm": {**LOOPS, "reset": (7, 7), "wgt_outer": (117, 108), "wgt_inner": (127, 118)},
    "VtaAlu": {**LOOPS, "op": (110, 108), "use_immediate": (111, 111), "immediate": (127, 112)},
    "VtaFinish": {"opcode": (2, 0)},
}
NAMES = {0: "VtaLoad", 1: "VtaStore", 2: "VtaGemm", 3: "VtaFinish", 4: "VtaAlu"}
TOKENS = {"pop_prev": 3, "pop_next": 4, "push_prev": 5, "push_next": 6}


def decoded(low: int, high: int) -> tuple[str, dict[str, int], dict[str, int]]:
    """Return the name, the fields and the dependency bits."""
    word = high * 2**64 + low
    name = NAMES[word % 8]
    fields = {
        field: word // 2**first % 2 ** (last - first + 1)
        for field, (last, first) in FIELDS[name].items()
    }
    if "immediate" in fields and fields["immediate"] >= 2**15:
        fields["immediate"] -= 2**16
    return name, fields, {bit: word // 2**at % 2 for bit, at in TOKENS.items()}


def int32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def combined(op: int, left: int, right: int) -> int:
    if op == 3:
        return int32(left >> right if right >= 0 else left << -right)
    return int32([min(left, right), max(left, right), left + right, 0, left * right][op])


class PlainVta:
    def __init__(self, base: int, memory: bytes) -> None:
        self.base, self.memory = base, bytearray(memory)
        self.srams = {0: {}, 1: {}, 2: {}, 3: {}}

    def run(self, words) -> bytes:
        for low, high in words:
            name, f, _ = decoded(low, high)
            if name == "VtaLoad":
                self.load(f)
            elif name == "VtaStore":
                self.store(f)
            elif name in {"VtaGemm", "VtaAlu"}:
                self.loops(name, f)
        return bytes(self.memory)

    def load(self, f) -> None:
        size, count = {0: (4, 1), 1: (1, 256), 2: (1, 16), 3: (4, 16), 5: (1, 16)}[f["memory"]]
        sram = self.srams[3 if f["memory"] == 5 else f["memory"]]
        at = f["sram"]
        for y in range(-f["pad_up"], f["rows"] + f["pad_down"]):
            for x in range(-f["pad_left"], f["columns"] + f["pad_right"]):
                inside = 0 <= y < f["rows"] and 0 <= x < f["columns"]
                start = (f["dram"] + y * f["stride"] + x) * size * count - self.base
                sram[at] = [
                    int.from_bytes(
                        self.memory[start + k * size : start + (k + 1) * size],
                        "little",
                        signed=True,
                    )
                    if inside
                    else 0
                    for k in range(count)
                ]
                at += 1

    def store(self, f) -> None:
        at = f["sram"]
        for y in range(f["rows"]):
            for x in range(f["columns"]):
                start = (f["dram"] + y * f["stride"] + x) * 16 - self.base
                self.memory[start : start + 16] = bytes(v % 256 for v in self.srams[3][at])
                at += 1

    def loops(self, name: str, f) -> None:
        acc = self.srams[3]
        for o in range(f["outer"]):
            for i in range(f["inner"]):
                for u in range(f["uop_begin"], f["uop_end"]):
                    word = self.srams[0][u][0] % 2**32
                    d = word % 2**11 + o * f["dst_outer"] + i * f["dst_inner"]
                    s = word // 2**11 % 2**11 + o * f["src_outer"] + i * f["src_inner"]
                    if name == "VtaAlu":
                        right = [f["immediate"]] * 16 if f["use_immediate"] else acc[s]
                        acc[d] = [
                            combined(f["op"], a, b) for a, b in zip(acc[d], right, strict=True)
                        ]
                    elif f["reset"]:
                        acc[d] = [0] * 16
                    else:
                        w = word // 2**22 + o * f["wgt_outer"] + i * f["wgt_inner"]
                        x, m = self.srams[2][s], self.srams[1][w]
                        acc[d] = [
                            int32(acc[d][n] + sum(x[k] * m[16 * n + k] for k in range(16)))
                            for n in range(16)
                        ]
