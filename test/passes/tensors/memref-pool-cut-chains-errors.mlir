// RUN: not forebay-opt %s --memref-pool-cut-chains=length=0 2>&1 | FileCheck %s

// CHECK: error: option 'length' of pass 'memref-pool-cut-chains' is a number of 1 or more, not 0
module {
}
