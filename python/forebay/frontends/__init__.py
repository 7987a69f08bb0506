"""The ways into the compiler: one package per model format, each producing TOSA on tensors."""
