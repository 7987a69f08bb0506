// RUN: forebay-opt %s --memref-pool-lower-to-llvm=intrinsics=library --verify-diagnostics

// expected-error@+1 {{nothing called 'library' defines intrinsics; known: extern, reference}}
module {}
