from forebay.mcu import boards
from forebay.mcu.board import BoardMemory
from forebay.mcu.image.linker_script import LinkerRegion, fixed_in_order, write_linker_script

BOARD = boards.load("mps3-an547")
MEMORIES = {memory.name: memory for memory in BOARD.memories}


def data_memory() -> BoardMemory:
    return next(m for m in BOARD.memories if m.name != BOARD.code and m.size > 0x10000)


def at(offset: int, name: str, memory: BoardMemory, size: int = 16) -> LinkerRegion:
    return LinkerRegion(f".{name}", memory, name, address=memory.address + offset, size=size)


def test_sections_at_addresses_leave_the_larger_part_of_their_memory_free() -> None:
    memory = data_memory()
    low, high, middle = (
        at(0, "low", memory),
        at(memory.size - 16, "high", memory),
        at(64, "m", memory),
    )
    movable = LinkerRegion(".free", memory, "free")
    first, last = fixed_in_order(list(enumerate([high, movable, middle, low])), BOARD)
    assert first == [(3, low), (2, middle)]
    assert last == [(0, high)]


def test_nothing_lies_before_the_vectors() -> None:
    code = MEMORIES[BOARD.code]
    region = at(0x100, "early", code)
    assert fixed_in_order([(0, region)], BOARD) == ([], [(0, region)])


def test_guards_are_directly_around_their_pool() -> None:
    memory = data_memory()
    regions = [LinkerRegion(".pool.ws", memory, "pool 'ws'", align=256, guard="ws")]
    text = write_linker_script(BOARD, regions, 2048, "give it more")
    names = [".guard.below.ws", ".pool.ws", ".guard.above.ws"]
    heads = [line.split()[0] for line in text.splitlines() if " (NOLOAD) : ALIGN(" in line]
    assert [name for name in heads if name in names] == names
    # the pool begins where the bytes below it end, because these are a multiple of its alignment
    assert "{ guard_below_ws = .; . += 256; guard_below_ws_end = .; }" in text
    assert ".guard.above.ws (NOLOAD) : ALIGN(1)" in text
    assert "{ guard_above_ws = .; . += 64; guard_above_ws_end = .; }" in text
    without = write_linker_script(BOARD, regions, 2048, "give it more", guard=0)
    assert without == text.replace(". += 256", ". += 0").replace(". += 64", ". += 0")


def test_a_script_has_every_section_once_in_its_memory() -> None:
    memory = data_memory()
    regions = [
        LinkerRegion(".pool.ws", memory, "pool 'ws'", align=64, is_zeroed=True),
        LinkerRegion(".pool.rom", MEMORIES[BOARD.rodata], "pool 'rom'", is_rom=True),
        at(32, "fixed", memory, size=48),
    ]
    text = write_linker_script(BOARD, regions, 2048, "give it more")
    assert text.count("    .pool.ws (NOLOAD) : ALIGN(64)\n") == 1
    assert f"{{ KEEP(*(.pool.ws)) }} > {memory.name} AT > {memory.name} :region0" in text
    assert f"    .fixed {memory.address + 32:#010x} (NOLOAD)" in text
    assert "{ KEEP(*(.fixed)) . = 48; }" in text
    # the start code fills what is zeroed, and only that
    assert "LONG(ADDR(.pool.ws)) LONG(SIZEOF(.pool.ws))" in text
    assert "LONG(ADDR(.fixed))" not in text
    assert ". += 2048;" in text
    limits = [line for line in text.splitlines() if line.startswith("ASSERT(ADDR")]
    assert len(limits) == len({memory.name, BOARD.rodata})
    assert all("give it more" in line for line in limits)
