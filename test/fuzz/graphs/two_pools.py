"""A host with a small fast workspace and a large slow one; its option is the size of the fast."""

from forebay.targets import Device, Pool, Target

CPU = ("cpu",)


def target(*, fast: int = 1024) -> Target:
    return Target(
        name="two_pools",
        devices=(Device("cpu", kind="cpu", host=True),),
        pools=(
            Pool("fast", "workspace", fast, readers=CPU, writers=CPU),
            Pool("slow", "workspace", readers=CPU, writers=CPU),
            Pool("rom", "constant", readers=CPU),
            Pool("state", "state", reserved=((0, 16),), readers=CPU, writers=CPU),
        ),
    )
