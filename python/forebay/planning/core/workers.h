// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two searches that advance in rounds, so that the result is independent of the number of threads.
//
// Each worker has its own seed, table of failures and budget. Results are read between rounds only,
// in the order of the workers.
#pragma once

#include "portfolio.h"

#include <memory>
#include <thread>

namespace forebay {

struct Task {
  int64_t height, budget;
  Outcome outcome = Outcome::outOfWork;
  int64_t work = 0;
};

template <bool linear>
class Workers {
public:
  static constexpr int32_t count = 2;

  // `budget`: steps of all workers together.
  Workers(const Instance &in, uint64_t seed, int32_t threads, int64_t budget)
      : sections(in), threads(threads) {
    for (int32_t w = 0; w < count; ++w)
      portfolios.push_back(std::make_unique<Portfolio<linear>>(sections, seed + w, budget / count));
  }

  // Runs one task per worker.
  void run(std::vector<Task> &tasks) {
    std::vector<std::thread> others;
    for (int32_t w = 1; w < count && threads > 1; ++w)
      others.emplace_back([this, &tasks, w] { run(tasks, w); });
    run(tasks, 0);
    for (int32_t w = 1; w < count && threads <= 1; ++w)
      run(tasks, w);
    for (std::thread &other : others)
      other.join();
  }

  Search<linear> &search(int32_t worker) { return portfolios[worker]->search; }

private:
  Sections<linear> sections;
  int32_t threads;
  std::vector<std::unique_ptr<Portfolio<linear>>> portfolios;

  void run(std::vector<Task> &tasks, int32_t w) {
    Task &task = tasks[w];
    task.outcome = portfolios[w]->run(task.height, task.budget);
    task.work = portfolios[w]->work;
  }
};

} // namespace forebay
