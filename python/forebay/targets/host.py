"""A target with the host alone: one workspace, one pool of weights, one pool of state."""

from forebay.api.target import Device, Pool, Target

# Generated code keeps its "state was reset" marker in the first bytes of the state pool.
_RESET_MARKER = (0, 16)

TARGET = Target(
    name="host",
    devices=(Device("host", kind="cpu", host=True),),
    pools=(
        Pool("workspace", "workspace", readers=("host",), writers=("host",)),
        Pool("weights", "constant", readers=("host",)),
        Pool("state", "state", reserved=(_RESET_MARKER,), readers=("host",), writers=("host",)),
    ),
)
