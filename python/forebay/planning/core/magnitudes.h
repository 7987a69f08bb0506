// Whether all offsets that an algorithm can make stay far below `never`, so that nothing overflows.
#pragma once

#include <algorithm>
#include <cstdint>

namespace forebay {

constexpr int64_t most = int64_t(1) << 60;

// A sum of numbers that are not negative; once it is above `most`, it stays too large.
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

// As if everything lay above what is fixed, with the largest padding below each item and above
// each of the `gaps` between obstacles. `highest`: the end of the highest obstacle.
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
