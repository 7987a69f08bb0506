"""The front ends of the compiler: one package per model format, each producing TOSA on tensors."""
