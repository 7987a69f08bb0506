// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of one pool, as input of the search. Offsets are in bytes from the start of the pool.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace forebay {

constexpr int64_t never = INT64_MAX / 4;

struct Range {
  int64_t start, end;
};

// Lists of lists in compressed form: row i is [begin(i), end(i)).
template <typename T>
struct Rows {
  std::vector<int64_t> first;
  std::vector<T> all;

  Rows(int64_t count, const int64_t *indptr, const T *data)
      : first(indptr, indptr + count + 1), all(data, data + indptr[count]) {}
  const T *begin(int64_t row) const { return all.data() + first[row]; }
  const T *end(int64_t row) const { return all.data() + first[row + 1]; }
};

struct Row {
  const int32_t *from, *to;
  const int32_t *begin() const { return from; }
  const int32_t *end() const { return to; }
  int32_t front() const { return *from; }
  int32_t back() const { return *(to - 1); }
  int64_t size() const { return to - from; }
};

struct Instance {
  int32_t n;
  int32_t sectionCount;
  bool linear; // sections are in order of time; each item has consecutive ones
  int64_t start, base;
  const int64_t *size, *align, *span; // span: length of the lifetime in ticks, for orders only
  Rows<int32_t> conflictRows;         // per item, ascending
  Rows<int32_t> sectionRows;          // cliques of conflicts
  Rows<int32_t> sectionOfRows;        // per item, the cliques that contain it
  Rows<Range> obstacleRows;           // per item, ascending: reserved bytes and pinned neighbours
  Rows<Range> sectionObstacleRows;    // per section, ascending and disjoint

  Row conflicts(int32_t x) const { return {conflictRows.begin(x), conflictRows.end(x)}; }
  Row section(int32_t t) const { return {sectionRows.begin(t), sectionRows.end(t)}; }
  Row sectionsOf(int32_t x) const { return {sectionOfRows.begin(x), sectionOfRows.end(x)}; }

  int64_t aligned(int32_t x, int64_t offset) const {
    int64_t past = (base + offset) % align[x];
    return past ? offset + align[x] - past : offset;
  }

  // Returns the lowest aligned offset at or above `offset` where x overlaps no obstacle.
  int64_t settle(int32_t x, int64_t offset) const {
    offset = aligned(x, offset);
    for (const Range *o = obstacleRows.begin(x); o != obstacleRows.end(x); ++o) {
      if (o->end <= offset)
        continue;
      if (o->start >= offset + size[x])
        break;
      offset = aligned(x, o->end);
    }
    return offset;
  }
};

} // namespace forebay
