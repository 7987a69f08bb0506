// Spends a budget of work on one height: several orders, restarted with growing budgets and noise.
#pragma once

#include "search.h"

#include <array>
#include <numeric>

namespace forebay {

// xorshift64*: the same numbers on every machine.
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

// 1 1 2 1 1 2 4 ... (Luby, Sinclair, Zuckerman 1993)
inline int64_t luby(int64_t i) {
  for (int64_t k = 1;; ++k) {
    if (i == (int64_t(1) << k) - 1)
      return int64_t(1) << (k - 1);
    if (i < (int64_t(1) << k) - 1) {
      i -= (int64_t(1) << (k - 1)) - 1;
      k = 0;
    }
  }
}

class Portfolio {
public:
  Portfolio(const Instance &in, uint64_t seed) : search(in), in(in), random(seed), pressure(in.n) {
    for (int32_t t = 0; t < in.sectionCount; ++t) {
      double total = 0;
      for (int32_t x : in.section(t))
        total += static_cast<double>(in.size[x]);
      for (int32_t x : in.section(t))
        pressure[x] = std::max(pressure[x], total);
    }
  }

  Outcome run(int64_t height, int64_t budget) {
    int64_t spent = 0;
    for (int64_t round = 0; spent < budget; ++round) {
      int64_t slice = firstSlice() * luby(round / orders + 1);
      Outcome outcome = search.run(height, std::min(slice, budget - spent), rank(round));
      spent += search.work;
      work += search.work;
      if (outcome != Outcome::outOfWork)
        return outcome;
    }
    return Outcome::outOfWork;
  }

  Search search;
  int64_t work = 0;

private:
  static constexpr int64_t orders = 6;
  const Instance &in;
  Random random;
  std::vector<double> pressure;

  // About 500 nodes of the search.
  int64_t firstSlice() const { return 500 * (64 + 30 * int64_t(in.n)); }

  std::vector<int32_t> rank(int64_t round) {
    std::vector<std::array<double, 3>> keys(in.n);
    for (int32_t x = 0; x < in.n; ++x) {
      double noise = round < orders ? 1 : 1 + 0.5 * random.unit();
      double size = static_cast<double>(in.size[x]), span = static_cast<double>(in.span[x]);
      double degree = static_cast<double>(in.conflicts(x).size());
      switch (round % orders) {
      case 0:
        keys[x] = {pressure[x], span * noise, size};
        break;
      case 1:
        keys[x] = {span * noise, span * size, 0};
        break;
      case 2:
        keys[x] = {pressure[x], span * size * noise, 0};
        break;
      case 3:
        keys[x] = {degree * noise, span * size, 0};
        break;
      case 4:
        keys[x] = {span * size * noise, span, 0};
        break;
      default:
        keys[x] = {size * noise, span, 0};
      }
    }
    std::vector<int32_t> order(in.n), rank(in.n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
    for (int32_t i = 0; i < in.n; ++i)
      rank[order[i]] = i;
    return rank;
  }
};

} // namespace forebay
