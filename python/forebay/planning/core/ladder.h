// Minimises the height: a ladder of targets between a lower bound and the best known plan.
#pragma once

#include "portfolio.h"

namespace forebay {

struct Best {
  int64_t height;              // of `offset`; the given upper bound if none was found below it
  int64_t lower;               // proved
  std::vector<int64_t> offset; // empty if none was found
  int64_t work;
};

class Ladder {
public:
  Ladder(const Instance &in, int64_t lower, int64_t upper, uint64_t seed)
      : in(in), portfolio(in, seed), best{upper, lower, {}, 0} {}

  // Looks for a plan below `upper`, then lower and lower ones, until the bound or out of work.
  Best run(int64_t budget) {
    attempt(best.lower, budget / 20);
    attempt(best.height - 1, budget / 20);
    bisect(budget / 40, budget / 3);
    while (portfolio.work < budget && best.lower < best.height)
      if (!attempt(best.lower, budget - portfolio.work))
        break;
    best.work = portfolio.work;
    return best;
  }

private:
  const Instance &in;
  Portfolio portfolio;
  Best best;

  // Targets halfway between the best plan and the highest target that found nothing.
  void bisect(int64_t slice, int64_t until) {
    int64_t failed = best.lower;
    while (best.height - failed > 1 && portfolio.work < until) {
      failed = std::max(failed, best.lower);
      int64_t target = failed + (best.height - failed) / 2;
      if (!attempt(target, slice))
        failed = target;
    }
  }

  // True if it found a plan at or below the target, or proved that there is none.
  bool attempt(int64_t target, int64_t budget) {
    if (target >= best.height)
      return false;
    Outcome outcome = portfolio.run(target, budget);
    if (outcome == Outcome::none)
      best.lower = portfolio.search.nextHeight;
    if (outcome != Outcome::found)
      return outcome == Outcome::none;
    best.offset = portfolio.search.offset;
    best.height = 0;
    for (int32_t x = 0; x < in.n; ++x)
      best.height = std::max(best.height, best.offset[x] + in.size[x]);
    return true;
  }
};

} // namespace forebay
