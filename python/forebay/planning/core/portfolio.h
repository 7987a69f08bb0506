// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches one height within a budget: restarts with several orders, most of them learned.
//
// The first restarts prefer items that are long-lived, large or live at the peak. The later ones
// prefer items in the sections where the earlier ones failed, as weighted constraints do (Boussemart
// et al., "Boosting systematic search by weighting constraints", ECAI 2004), with some noise.
#pragma once

#include "random.h"
#include "search.h"

#include <array>
#include <numeric>

namespace forebay {

template <bool linear>
class Portfolio {
public:
  Portfolio(const Sections<linear> &sections, uint64_t seed, int64_t budget)
      : search(sections, budget / node(sections.in)), in(sections.in), random(seed),
        seed(static_cast<int64_t>(seed)), pressure(in.n), weight(in.sectionCount, 0) {
    for (int32_t t = 0; t < in.sectionCount; ++t) {
      double total = 0;
      for (int32_t x : in.section(t))
        total += static_cast<double>(in.size[x]);
      for (int32_t x : in.section(t))
        pressure[x] = std::max(pressure[x], total);
    }
  }

  Outcome run(int64_t height, int64_t budget) {
    work = 0;
    while (work < budget) {
      rankItems();
      Outcome outcome = search.run(height, std::min(slice(), budget - work), rank);
      work += search.work;
      ++round;
      learn();
      if (outcome != Outcome::outOfWork)
        return outcome;
    }
    return Outcome::outOfWork;
  }

  Search<linear> search;
  int64_t work = 0;

private:
  using Key = std::array<double, 3>;
  static constexpr int64_t orders = 6;
  static constexpr double memory = 0.7;
  const Instance &in;
  Random random;
  int64_t seed, round = 0;
  std::vector<double> pressure; // bytes of the busiest section of each item
  std::vector<double> weight;   // recent failures of each section
  std::vector<int32_t> rank;

  // The minimum number of steps per node.
  static int64_t node(const Instance &in) { return 64 + 30 * int64_t(in.n); }

  // A restart has a few hundred nodes, because many short restarts learn faster than few long ones.
  int64_t slice() const { return 800 * node(in); }

  void learn() {
    std::vector<double> &fails = search.inference.fails;
    for (int32_t t = 0; t < in.sectionCount; ++t)
      weight[t] = memory * weight[t] + fails[t];
    std::fill(fails.begin(), fails.end(), 0);
  }

  void rankItems() {
    std::vector<Key> keys(in.n);
    for (int32_t x = 0; x < in.n; ++x)
      keys[x] = learns() ? learnedKey(x) : fixedKey(x);
    std::vector<int32_t> order(in.n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
    rank.resize(in.n);
    for (int32_t i = 0; i < in.n; ++i)
      rank[order[i]] = i;
  }

  // Every eighth restart uses a fixed order.
  bool learns() const { return round >= orders && round % 8 != 7; }

  Key fixedKey(int32_t x) {
    double noise = round < orders ? 1 : 1 + 0.5 * random.unit();
    double size = static_cast<double>(in.size[x]) * noise;
    double span = static_cast<double>(in.span[x]);
    switch ((round < orders ? round + seed : round / 8) % orders) {
    case 0:
      return {pressure[x], span * noise, size};
    case 1:
      return {span * noise, span * size, 0};
    case 2:
      return {pressure[x], span * size, 0};
    case 3:
      return {static_cast<double>(in.conflicts(x).size()) * noise, span * size, 0};
    case 4:
      return {span * size, span, 0};
    default:
      return {size, span, 0};
    }
  }

  Key learnedKey(int32_t x) {
    double size = static_cast<double>(in.size[x]), span = static_cast<double>(in.span[x]);
    double noise = 1 + 0.5 * random.unit(), most = 0;
    for (int32_t t : in.sectionsOf(x))
      most = std::max(most, weight[t]);
    return {most, span * noise, size};
  }
};

} // namespace forebay
