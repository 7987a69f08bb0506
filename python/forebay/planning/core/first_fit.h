// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First fit in a given order: each item gets the lowest gap between its placed neighbours.
//
// Placed items are kept in order of offset, so that one scan from the bottom finds the gap. No
// conflict list is needed if every item is live in one interval, so memory is linear. The pieces of
// a rigid block are live in intervals of their own; the block moves up until no piece overlaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace forebay {

struct Lives {
  int32_t n;
  const int64_t *size, *align, *pin;   // pin: fixed offset, or -1
  const int64_t *firstPiece;           // pieces of item x: [firstPiece[x], firstPiece[x + 1])
  const int64_t *pieceLow, *pieceHigh; // bytes from the offset of the item
  const int32_t *begin, *end;          // lifetime of each piece in ranks of the clock
  const int64_t *reserved;             // pairs (start, end), ascending
  int32_t reservedCount;
  int64_t start, base;
};

class FirstFit {
public:
  explicit FirstFit(const Lives &lives) : lives(lives) {}

  // Fills `offset` and returns the highest end, or -1 when an item ends above `limit`.
  int64_t run(const int32_t *order, int64_t limit, int64_t *offset) {
    slots.clear();
    slots.reserve(lives.n + lives.reservedCount);
    for (int32_t r = 0; r < lives.reservedCount; ++r)
      insert({lives.reserved[2 * r], lives.reserved[2 * r + 1], INT32_MIN, INT32_MAX});
    int64_t peak = 0;
    for (bool pinned : {true, false})
      for (int32_t i = 0; i < lives.n; ++i) {
        int32_t x = order[i];
        if ((lives.pin[x] >= 0) != pinned)
          continue;
        offset[x] = pinned ? lives.pin[x] : lowestHole(x);
        int64_t top = offset[x] + lives.size[x];
        if (top > limit)
          return -1;
        peak = top > peak ? top : peak;
        for (int64_t p = lives.firstPiece[x]; p < lives.firstPiece[x + 1]; ++p)
          insert({offset[x] + lives.pieceLow[p], offset[x] + lives.pieceHigh[p], lives.begin[p],
                  lives.end[p]});
      }
    return peak;
  }

private:
  struct Slot {
    int64_t low, high;
    int32_t begin, end;
  };
  const Lives &lives;
  std::vector<Slot> slots;

  int64_t aligned(int32_t x, int64_t offset) const {
    int64_t past = (lives.base + offset) % lives.align[x];
    return past ? offset + lives.align[x] - past : offset;
  }

  int64_t lowestHole(int32_t x) const {
    int64_t offset = aligned(x, lives.start), first = lives.firstPiece[x];
    int64_t last = lives.firstPiece[x + 1] - 1;
    int64_t before;
    do {
      before = offset;
      for (int64_t p = first; p <= last; ++p)
        offset = above(x, p, offset);
    } while (first < last && offset != before);
    return offset;
  }

  // Returns the lowest offset of the item, at or above `offset`, where its piece overlaps no slot.
  int64_t above(int32_t x, int64_t p, int64_t offset) const {
    int64_t low = lives.pieceLow[p], high = lives.pieceHigh[p];
    int32_t begin = lives.begin[p], end = lives.end[p];
    for (const Slot &slot : slots) {
      if (slot.begin >= end || begin >= slot.end || slot.high <= offset + low)
        continue;
      if (slot.low >= offset + high)
        break;
      offset = aligned(x, slot.high - low);
    }
    return offset;
  }

  void insert(Slot slot) {
    std::size_t from = 0, to = slots.size();
    while (from < to) {
      std::size_t middle = (from + to) / 2;
      if (slots[middle].low < slot.low)
        from = middle + 1;
      else
        to = middle;
    }
    slots.insert(slots.begin() + from, slot);
  }
};

} // namespace forebay
