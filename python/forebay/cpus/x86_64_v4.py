"""x86-64 with AVX-512 (x86-64-v4): the instructions of x86-64-v3, and 32 registers for vectors."""

from forebay.cpus.cpu import Cpu
from forebay.cpus.x86_64_v3 import AVX2, AVX2_LANES

CPU = Cpu(name="x86-64-v4", registers=32, max_products=64, vectors=(AVX2,), lanes=AVX2_LANES)
