// RUN: forebay-opt %s --split-input-file --verify-diagnostics --accel-attach-target
// RUN: not forebay-opt %s --accel-attach-target=target=hoist 2>&1 | FileCheck %s

// CHECK: error: there is no target 'hoist'; known targets: {{.*}}fetch_conv, {{.*}}host,{{.*}} or give a file: ./my_target.py

// expected-error @+1 {{target 'host' brings the symbol @host, which the module has already; rename it or attach the target once}}
accel.device @host kind "cpu"

// -----

// expected-error @+1 {{target 'host' brings the symbol @weights, which the module has already; rename it or attach the target once}}
memref_pool.pool @weights workspace
