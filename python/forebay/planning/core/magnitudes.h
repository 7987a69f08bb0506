// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that all offsets of an algorithm stay far below `never`, so that no sum overflows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace forebay {

constexpr int64_t most = int64_t(1) << 60;

// A saturating sum of non-negative numbers; above `most` it stays too large.
class Sum {
public:
  bool tooLarge = false;

  void add(int64_t value, int64_t times = 1) {
    tooLarge = tooLarge || value < 0 || value > most || (value && times > (most - total) / value);
    if (!tooLarge)
      total += value * times;
  }

private:
  int64_t total = 0;
};

// An upper bound of all ends: all items above the obstacles, with the largest padding below each
// item and above each of the `gaps` between obstacles. `highest`: the highest obstacle's end.
inline bool tooLarge(int32_t n, const int64_t *size, const int64_t *align, int64_t gaps,
                     int64_t start, int64_t base, int64_t highest) {
  Sum sum;
  int64_t padding = 1;
  for (int32_t x = 0; x < n; ++x) {
    sum.add(size[x]);
    padding = std::max(padding, align[x]);
  }
  sum.add(std::max(start, highest));
  sum.add(padding, n + gaps + 2);
  return sum.tooLarge || start < 0 || base < 0 || base > most;
}

} // namespace forebay
