// RUN: not forebay-opt %s --accel-partition 2>&1 | FileCheck %s --check-prefix=UNATTACHED
// UNATTACHED: error: the module has no target; run accel-attach-target before

// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=place=conv=npu 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: operator 'conv' is placed on 'npu', which is none of the target's devices: cpu, accel

// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=place=con=accel 2>&1 | FileCheck %s --check-prefix=OPERATOR
// OPERATOR: error: there is no operator 'con'; the operators are conv, sum, twice, twice

// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=place=twice=accel 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: 'twice' is the name of 2 operators; give each a location of its own

// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=place=conv 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: error: a value of option 'place' of pass 'accel-partition' is NAME=VALUE, not 'conv'

// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=place=conv=accel 2>&1 | FileCheck %s --check-prefix=CONDITION
// CONDITION: error: loc("conv"): CONV2D 'conv' is placed on 'accel', which does not take it: accel.conv2d needs no dilation

// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=place=sum=accel 2>&1 | FileCheck %s --check-prefix=PATTERN
// PATTERN: error: loc("sum"): ADD 'sum' is placed on 'accel', which does not take it: accel has no pattern for ADD

// RUN: echo '{"operators": [{"name": "conv"}]}' > %t.json
// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=placement=%t.json 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: {{.*}}.json:0:0: error: $.operators[0] ('conv') needs 'device'; `forebay schema placement` prints the format

// RUN: echo '{"operators": [{"device": "cpu"}]}' > %t.json
// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=placement=%t.json 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: {{.*}}.json:0:0: error: $.operators[0] has neither an 'index' nor a 'name'

// RUN: echo '[]' > %t.json
// RUN: not forebay-opt %s --accel-attach-target=target=fetch_conv --accel-partition=placement=%t.json 2>&1 | FileCheck %s --check-prefix=LIST
// LIST: {{.*}}.json:0:0: error: the document must be an object, not []

func.func @main(%x: tensor<1x4x5x3xi8>) -> tensor<1x4x5x5xi8> {
  %w = "tosa.const"() <{values = dense<2> : tensor<5x3x3x3xi8>}> : () -> tensor<5x3x3x3xi8>
  %b = "tosa.const"() <{values = dense<9> : tensor<5xi32>}> : () -> tensor<5xi32>
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = i32, dilation = array<i64: 2, 2>, pad = array<i64: 2, 2, 2, 2>, stride = array<i64: 1, 1>} : (tensor<1x4x5x3xi8>, tensor<5x3x3x3xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x5x5xi32> loc("conv")
  %m = "tosa.const"() <{values = dense<1518500249> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<38> : tensor<1xi8>}> : () -> tensor<1xi8>
  %zi = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %1 = tosa.rescale %0, %m, %s, %zi, %z {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x4x5x5xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x4x5x5xi8> loc("conv")
  %2 = tosa.add %1, %1 : (tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8> loc("sum")
  %3 = tosa.add %2, %1 : (tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8> loc("twice")
  %4 = tosa.add %3, %1 : (tensor<1x4x5x5xi8>, tensor<1x4x5x5xi8>) -> tensor<1x4x5x5xi8> loc("twice")
  return %4 : tensor<1x4x5x5xi8>
}
