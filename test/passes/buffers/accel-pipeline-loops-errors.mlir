// RUN: not forebay-opt %s --accel-pipeline-loops=slots=0 2>&1 | FileCheck %s

// CHECK: error: a tile has a slot at least, but slots is 0
module {
}
