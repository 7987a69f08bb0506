// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface of the planners' inner loops: no Python, no exceptions across it, no globals.
// Arrays are int64 or int32 as declared; lists of lists are passed as (row starts, data).

#include "first_fit.h"
#include "ladder.h"
#include "magnitudes.h"

using forebay::Instance;
using forebay::Range;
using forebay::Rows;

namespace {

// Returns the end of the highest obstacle and the largest number of obstacles in a row.
struct Fixed {
  int64_t highest = 0, gaps = 0;

  void add(int64_t rows, const int64_t *first, const int64_t *ranges) {
    for (int64_t row = 0; row < rows; ++row)
      gaps = std::max(gaps, first[row + 1] - first[row]);
    for (int64_t o = 0; o < first[rows]; ++o)
      highest = std::max(highest, ranges[2 * o + 1]);
  }
};

} // namespace

#if defined(_WIN32)
#define FOREBAY_EXPORT extern "C" __declspec(dllexport)
#else
#define FOREBAY_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// Version of this interface; the Python module requires the same version.
FOREBAY_EXPORT int32_t forebay_planning_abi() { return 3; }

// Fills `offset` and returns the highest end; -1 if an item ends above `limit`, -2 if the numbers
// are too large.
FOREBAY_EXPORT int64_t forebay_first_fit(int32_t n, const int64_t *size, const int64_t *align,
                                         const int64_t *pin, const int64_t *firstPiece,
                                         const int64_t *pieceLow, const int64_t *pieceHigh,
                                         const int32_t *begin, const int32_t *end,
                                         int32_t reservedCount, const int64_t *reserved,
                                         int64_t start, int64_t base, const int32_t *order,
                                         int64_t limit, int64_t *offset) {
  int64_t highest = reservedCount ? reserved[2 * reservedCount - 1] : 0;
  for (int32_t x = 0; x < n; ++x)
    highest = std::max(highest, pin[x]);
  if (forebay::tooLarge(n, size, align, reservedCount, start, base, highest))
    return -2;
  forebay::Lives lives{n,     size, align,    pin,           firstPiece, pieceLow, pieceHigh,
                       begin, end,  reserved, reservedCount, start,      base};
  return forebay::FirstFit(lives).run(order, limit, offset);
}

// Finds the lowest height within the budget; the number of threads does not change it. `result`:
// height, proved lower bound, work, and 1 if a plan was found, 0 if none was, -1 if the numbers are
// too large.
FOREBAY_EXPORT void
forebay_pack(int32_t n, const int64_t *size, const int64_t *align, const int64_t *span,
             const int64_t *conflictRows, const int32_t *conflicts, int32_t sectionCount,
             const int64_t *sectionRows, const int32_t *sections, const int64_t *sectionOfRows,
             const int32_t *sectionsOf, const int64_t *obstacleRows, const int64_t *obstacles,
             const int64_t *sectionObstacleRows, const int64_t *sectionObstacles, int32_t linear,
             int64_t start, int64_t base, int64_t lower, int64_t upper, int64_t budget,
             int64_t seed, int32_t threads, int64_t *offset, int64_t *result) {
  static_assert(sizeof(Range) == 2 * sizeof(int64_t), "obstacles are pairs of int64");
  Fixed fixed;
  fixed.add(n, obstacleRows, obstacles);
  fixed.add(sectionCount, sectionObstacleRows, sectionObstacles);
  if (forebay::tooLarge(n, size, align, fixed.gaps, start, base, fixed.highest)) {
    result[3] = -1;
    return;
  }
  Instance in{n,
              sectionCount,
              linear != 0,
              start,
              base,
              size,
              align,
              span,
              Rows<int32_t>(n, conflictRows, conflicts),
              Rows<int32_t>(sectionCount, sectionRows, sections),
              Rows<int32_t>(n, sectionOfRows, sectionsOf),
              Rows<Range>(n, obstacleRows, reinterpret_cast<const Range *>(obstacles)),
              Rows<Range>(sectionCount, sectionObstacleRows,
                          reinterpret_cast<const Range *>(sectionObstacles))};
  forebay::Best best = minimise(in, lower, upper, static_cast<uint64_t>(seed), threads, budget);
  std::copy(best.offset.begin(), best.offset.end(), offset);
  result[0] = best.height;
  result[1] = best.lower;
  result[2] = best.work;
  result[3] = best.offset.empty() ? 0 : 1;
}
