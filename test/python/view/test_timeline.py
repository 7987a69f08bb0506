from common.documents.memory_maps import memory_map

from forebay.driver.trace import trace_of
from forebay.emulator.machine.timeline import Timeline, Work
from forebay.view.from_memory_map import data_of_memory_map
from forebay.view.timeline import with_timeline


def test_spans_find_their_operator_by_location() -> None:
    run, plan = Timeline(), data_of_memory_map(memory_map())
    run.call(Work("@npu.conv", "net.tflite: op #1", 40), "npu")
    run.wait(run.start(Work("@npu.load", "elsewhere", 10, 64), "npu.queue"), Work("wait", "here"))
    data = with_timeline(plan, trace_of(run, "net"))
    timeline = data.timeline
    assert timeline is not None
    assert timeline.lanes == ("host", "npu", "npu.queue")
    assert timeline.busy == (0, 40, 10)  # the host only waits
    (call,) = [span for span in timeline.spans if span.lane == 1]
    assert (call.operator, call.waits) == (1, False)
    assert [span.bytes for span in timeline.spans if span.lane == 2] == [64]
    assert [operator.cycles for operator in data.operators] == [None, 40]
