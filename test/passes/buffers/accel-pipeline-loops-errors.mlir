// RUN: not forebay-opt %s --accel-pipeline-loops=slots=0 2>&1 | FileCheck %s

// CHECK: error: option 'slots' of pass 'accel-pipeline-loops' is a number of 1 or more, not 0
module {
}
