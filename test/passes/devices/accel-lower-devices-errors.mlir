// RUN: forebay-opt %s --verify-diagnostics --accel-lower-devices="target=%S/../../common/machines/tiled.py order=gpu"

// expected-error @+1 {{cannot lower the device 'gpu' of the order, which target 'tiled' does not have; its devices beside the host: 'npu', 'dsp'}}
module {
}
