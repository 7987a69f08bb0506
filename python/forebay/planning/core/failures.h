// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table of fixed size with the parts for which the search has found no solution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace forebay {

// A 128-bit hash of a set of items and their lowest offsets.
struct PartKey {
  uint64_t low = 0, high = 0;

  void add(int32_t item, int64_t offset) {
    uint64_t z = static_cast<uint64_t>(offset) * 0x9E3779B97F4A7C15ull +
                 static_cast<uint64_t>(item + 1) * 0xD1B54A32D192ED03ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    low += z;
    high += (z ^ (z >> 29)) * 0xA0761D6478BD642Full;
  }
};

// A part that failed above a floor also fails above every higher floor, which leaves fewer offsets.
class Failures {
public:
  // `parts`: approximate capacity.
  explicit Failures(int64_t parts) {
    while (bits < most && (int64_t(1) << bits) < parts)
      ++bits;
    entries.resize(std::size_t(1) << bits);
  }

  // Invalidates all entries.
  void clear() { salt += 0x9E3779B97F4A7C15ull; }

  bool covers(const PartKey &key, int64_t floor) const {
    return matches(entries[slot(key)], key) && floor >= entries[slot(key)].floor;
  }

  void add(const PartKey &key, int64_t floor) {
    Entry &entry = entries[slot(key)];
    if (!matches(entry, key) || floor < entry.floor)
      entry = {{key.low + salt, key.high}, floor};
  }

private:
  static constexpr int most = 19;
  struct Entry {
    PartKey key;
    int64_t floor = INT64_MAX;
  };
  int bits = 8;
  uint64_t salt = 0;
  std::vector<Entry> entries;

  std::size_t slot(const PartKey &key) const { return (key.low + salt) >> (64 - bits); }
  bool matches(const Entry &entry, const PartKey &key) const {
    return entry.key.low == key.low + salt && entry.key.high == key.high;
  }
};

} // namespace forebay
