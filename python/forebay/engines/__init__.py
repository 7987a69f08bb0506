"""Engines that run a compiled network on this host (the emitted C, LLVM's JIT), and its objects.

May import `codegen`, `network`, `lowering` and `pipelines`. Provides `CEngine` and `LlvmEngine`,
both an `Engine`; the emulator is the third engine, in a package of its own. `machine_code` makes
object files and LLVM IR for other processors.

Internal: may change without notice.
"""
