"""Engines that run a compiled network on this host: the emitted C, and LLVM's JIT.

May import `codegen`, `network`, `lowering` and `pipelines`. Provides `CEngine` and `LlvmEngine`,
both an `Engine`; the emulator is the third engine, in a package of its own.

Internal: may change without notice.
"""
