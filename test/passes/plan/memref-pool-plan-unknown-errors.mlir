// RUN: forebay-opt %s --memref-pool-plan=planner=gready --verify-diagnostics

// expected-error@+1 {{there is no planner 'gready'; known planners: auto,}}
module {
  memref_pool.pool @ws workspace
}
