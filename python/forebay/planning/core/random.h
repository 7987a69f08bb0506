// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pseudo-random numbers, equal on all machines.
#pragma once

#include <cstdint>

namespace forebay {

// xorshift64*
class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 2 + 88172645463325252ull) {}
  double unit() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<double>((state * 0x2545F4914F6CDD1Dull) >> 11) * 0x1p-53;
  }

private:
  uint64_t state;
};

} // namespace forebay
