// RUN: not forebay-opt %s --accel-overlap-calls=in-flight=0 2>&1 | FileCheck %s

// CHECK: error: option 'in-flight' of pass 'accel-overlap-calls' is a number of 1 or more, not 0
module {
}
