// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minimises the height: one worker tries the lower bound, the other a sequence of heights above it.
#pragma once

#include "workers.h"

namespace forebay {

struct Best {
  int64_t height;              // of `offset`; the upper bound if no plan was found
  int64_t lower;               // proved lower bound
  std::vector<int64_t> offset; // empty if no plan was found
  int64_t work;
};

// Bisection between the best plan and the highest height without one. When the two meet, it starts
// again with a larger budget per height.
class Rungs {
public:
  Rungs(int64_t lower, int64_t length) : failed(lower), length(length), left(length) {}

  int64_t height(int64_t lower, int64_t best) {
    failed = std::max(failed, lower);
    if (best - failed <= std::max<int64_t>(1, best >> closest)) {
      failed = lower;
      length *= 2;
      left = length;
    }
    if (left == length)
      tried = failed + (best - failed) / 2;
    return tried = std::min(tried, best - 1);
  }

  void found() { left = length; }
  void missed(int64_t work) {
    left -= work;
    if (left > 0)
      return;
    failed = tried;
    left = length;
  }

private:
  static constexpr int closest = 10;
  int64_t failed, length, left, tried = 0;
};

template <bool linear>
class Ladder {
public:
  // Searches below `upper` for at most `budget` steps; `lower` is a proved lower bound.
  Ladder(const Instance &in, int64_t lower, int64_t upper, uint64_t seed, int32_t threads,
         int64_t budget)
      : in(in), workers(in, seed, threads, budget), budget(budget), best{upper, lower, {}, 0} {}

  // Searches for lower and lower plans until the bound is reached or the budget is used up.
  Best run() {
    Rungs rungs(best.lower, budget / 100);
    for (int64_t slice = shortest; best.lower < best.height && best.work < budget;
         slice = std::min(2 * slice, longest)) {
      int64_t share = std::min(slice, (budget - best.work + 1) / 2);
      bool climbs = best.work > budget / 10 && best.work < budget / 10 * 4;
      std::vector<Task> tasks{{best.lower, share}, {best.lower, share}};
      if (best.offset.empty())
        tasks[1].height = best.height - 1;
      else if (climbs)
        tasks[1].height = rungs.height(best.lower, best.height);
      run(tasks);
      if (tasks[1].outcome == Outcome::outOfWork)
        rungs.missed(climbs ? tasks[1].work : 0);
      else
        rungs.found();
    }
    return best;
  }

private:
  static constexpr int64_t shortest = 1'000'000, longest = 100'000'000;
  const Instance &in;
  Workers<linear> workers;
  int64_t budget;
  Best best;

  // Runs one round; results are merged in the order of the workers.
  void run(std::vector<Task> &tasks) {
    workers.run(tasks);
    for (int32_t w = 0; w < workers.count; ++w) {
      best.work += tasks[w].work;
      const Search<linear> &search = workers.search(w);
      if (tasks[w].outcome == Outcome::none)
        best.lower = std::max(best.lower, std::min(search.inference.nextHeight, best.height));
      if (tasks[w].outcome == Outcome::found)
        keep(search.offset);
    }
  }

  void keep(const std::vector<int64_t> &offset) {
    int64_t height = 0;
    for (int32_t x = 0; x < in.n; ++x)
      height = std::max(height, offset[x] + in.size[x]);
    if (height < best.height)
      best.height = height, best.offset = offset;
  }
};

inline Best minimise(const Instance &in, int64_t lower, int64_t upper, uint64_t seed,
                     int32_t threads, int64_t budget) {
  if (in.linear)
    return Ladder<true>(in, lower, upper, seed, threads, budget).run();
  return Ladder<false>(in, lower, upper, seed, threads, budget).run();
}

} // namespace forebay
