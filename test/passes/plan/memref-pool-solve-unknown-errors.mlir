// RUN: not forebay-opt %s --memref-pool-solve=planner=gready 2>&1 | FileCheck %s --check-prefix=PLANNER
// RUN: not forebay-opt %s --memref-pool-solve=effort=heroic 2>&1 | FileCheck %s --check-prefix=EFFORT

// PLANNER: [[#@LINE+2]]:1: error: there is no planner 'gready'; known planners: auto,
// EFFORT: error: option 'effort' of pass 'memref-pool-solve' is 'low', 'normal' or 'high', not 'heroic'
memref_pool.problem @net {}
