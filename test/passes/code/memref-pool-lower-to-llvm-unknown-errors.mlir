// RUN: not forebay-opt %s --memref-pool-lower-to-llvm=intrinsics=library 2>&1 | FileCheck %s

// CHECK: error: option 'intrinsics' of pass 'memref-pool-lower-to-llvm' is 'reference' or 'extern', not 'library'
module {}
