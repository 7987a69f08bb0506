// Exact placement of a pool's items below a height, by depth-first branch and bound.
//
// Items are placed in ascending order of offset, each at `low`: the lowest offset that the placed
// neighbours and the obstacles leave to it. A plan in which no item can move to a lower offset has
// that form, and the plan with the smallest sum of offsets is one. `floor` is the last offset.
//
//      floor of a section        what is still to come in it
//   |============|------------|==================|  <= height
//
// * Nothing is placed at or above low + size of another item: that one could move down below it.
// * Section (clique) t: floor + bytes still to come <= height.
// * An item whose low is below the floor needs a later neighbour that lifts it.
// * Parts that no longer conflict are solved one by one; parts that failed are remembered.
//
// Canonical order, sections and decomposition follow Moffitt, "MiniMalloc: A Lightweight Memory
// Allocator for Hardware-Accelerated Machine Learning" (ASPLOS 2024).
#pragma once

#include "failures.h"
#include "instance.h"

#include <utility>

namespace forebay {

enum class Outcome { found, none, outOfWork };

class Search {
public:
  explicit Search(const Instance &in);

  // Looks for offsets below `height`; spends at most about `budget` steps of work.
  Outcome run(int64_t height, int64_t budget, const std::vector<int32_t> &rank);

  std::vector<int64_t> offset;
  int64_t work = 0;
  int64_t nextHeight = never; // no plan ends between the height and this, if there is none below

private:
  using Items = std::vector<int32_t>;
  struct Candidate {
    int64_t position;
    int32_t item;
  };
  struct Change {
    enum What { low, floor, placed } what;
    int32_t index;
    int64_t old;
  };

  const Instance &in;
  std::vector<int32_t> rank;
  int64_t height = 0, budget = 0;
  bool stopped = false;
  std::vector<int64_t> low, lifted;
  std::vector<int64_t> rest, slack, sectionFloor, sectionAlign; // per section
  std::vector<Change> trail;
  std::vector<int32_t> itemMark, sectionMark;
  int32_t itemStamp = 0, sectionStamp = 0;
  std::vector<int32_t> dirty;
  Failures failures;

  bool reset();
  bool fits(int32_t section, int64_t floor);
  bool ends(int64_t end);
  int64_t roundedIn(int32_t section, int32_t x) const;
  bool solveParts(const Items &items, int64_t floor);
  bool solve(const Items &items, int64_t floor);
  bool canLift(const Items &items, int64_t floor);
  std::vector<Candidate> candidates(const Items &items, int64_t floor);
  bool place(const Items &items, Candidate chosen);
  bool push(int32_t x, int64_t end);
  std::vector<Items> split(const Items &items);
  template <typename Holds>
  bool allSections(const Items &items, Holds holds);
  void undo(std::size_t to);
  void touch(int32_t section);
};

inline Search::Search(const Instance &in)
    : offset(in.n, -1), in(in), low(in.n), lifted(in.n), rest(in.sectionCount),
      slack(in.sectionCount), sectionFloor(in.sectionCount), sectionAlign(in.sectionCount, never),
      itemMark(in.n, 0), sectionMark(in.sectionCount, 0) {
  for (int32_t t = 0; t < in.sectionCount; ++t)
    for (int32_t x : in.section(t))
      sectionAlign[t] = std::min(sectionAlign[t], in.align[x]);
}

inline Outcome Search::run(int64_t newHeight, int64_t newBudget,
                           const std::vector<int32_t> &order) {
  if (newHeight != height) {
    failures.clear();
    nextHeight = never;
  }
  height = newHeight;
  budget = newBudget;
  rank = order;
  work = 0;
  stopped = false;
  if (!reset())
    return Outcome::none;
  Items all(in.n);
  for (int32_t x = 0; x < in.n; ++x)
    all[x] = x;
  if (in.linear)
    std::stable_sort(all.begin(), all.end(), [&](int32_t a, int32_t b) {
      return in.sectionsOf(a).front() < in.sectionsOf(b).front();
    });
  if (solveParts(all, in.start))
    return Outcome::found;
  return stopped ? Outcome::outOfWork : Outcome::none;
}

// Everything unplaced; false if already the first bounds exceed the height.
inline bool Search::reset() {
  trail.clear();
  for (int32_t x = 0; x < in.n; ++x) {
    offset[x] = -1;
    low[x] = in.settle(x, in.start);
    if (!ends(low[x] + in.size[x]))
      return false;
  }
  for (int32_t t = 0; t < in.sectionCount; ++t) {
    rest[t] = slack[t] = 0;
    sectionFloor[t] = never;
    for (int32_t x : in.section(t)) {
      int64_t rounded = roundedIn(t, x);
      rest[t] += rounded;
      slack[t] = std::max(slack[t], rounded - in.size[x]);
      sectionFloor[t] = std::min(sectionFloor[t], low[x]);
    }
    if (in.section(t).size() && !fits(t, sectionFloor[t]))
      return false;
  }
  return true;
}

// Whether the bytes still to come in a section fit above its floor. Sizes are rounded to the
// section's smallest alignment, but the topmost item below each obstacle and the height is not.
inline bool Search::fits(int32_t t, int64_t floor) {
  int64_t room = height - floor + slack[t];
  const Range *last = in.sectionObstacleRows.end(t);
  for (const Range *o = in.sectionObstacleRows.begin(t); o != last; ++o) {
    int64_t covered = std::min(o->end, height) - std::max(o->start, floor);
    if (covered > 0)
      room -= covered - slack[t];
  }
  if (rest[t] <= room)
    return true;
  bool plain = in.sectionObstacleRows.begin(t) == last;
  nextHeight = std::min(nextHeight, plain ? height + rest[t] - room : height + 1);
  return false;
}

// Whether an item may end there.
inline bool Search::ends(int64_t end) {
  if (end > height)
    nextHeight = std::min(nextHeight, end);
  return end <= height;
}

// Bytes of x in a section, rounded up to the section's smallest alignment.
inline int64_t Search::roundedIn(int32_t t, int32_t x) const {
  return (in.size[x] + sectionAlign[t] - 1) / sectionAlign[t] * sectionAlign[t];
}

inline bool Search::solveParts(const Items &items, int64_t floor) {
  if (items.empty())
    return true;
  std::vector<Items> parts = split(items);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Items &a, const Items &b) { return a.size() < b.size(); });
  for (const Items &part : parts)
    if (!solve(part, floor))
      return false;
  return true;
}

inline bool Search::solve(const Items &items, int64_t floor) {
  work += 8 * static_cast<int64_t>(items.size());
  if (stopped || work > budget) {
    stopped = true;
    return false;
  }
  PartKey key;
  for (int32_t x : items)
    key.add(x, low[x]);
  if (failures.covers(key, floor))
    return false;
  if (canLift(items, floor)) {
    for (Candidate chosen : candidates(items, floor)) {
      std::size_t before = trail.size();
      if (place(items, chosen))
        return true;
      undo(before);
      if (stopped)
        return false;
    }
  }
  failures.add(key, floor);
  return false;
}

// Whether each item below the floor can get above it, and the sections then still fit.
inline bool Search::canLift(const Items &items, int64_t floor) {
  dirty.clear();
  ++sectionStamp;
  for (int32_t y : items) {
    if (low[y] >= floor)
      continue;
    int64_t position = never;
    for (int32_t z : in.conflicts(y))
      if (offset[z] < 0)
        position = std::min(position, std::max(low[z], floor) + in.size[z]);
    work += in.conflicts(y).size();
    if (position >= never || !ends(in.settle(y, position) + in.size[y]))
      return false;
    lifted[y] = position;
    for (int32_t t : in.sectionsOf(y))
      touch(t);
  }
  for (int32_t t : dirty) {
    int64_t lowest = never;
    for (int32_t y : in.section(t))
      if (offset[y] < 0)
        lowest = std::min(lowest, low[y] < floor ? lifted[y] : low[y]);
    work += in.section(t).size();
    if (!fits(t, lowest))
      return false;
  }
  return true;
}

inline std::vector<Search::Candidate> Search::candidates(const Items &items, int64_t floor) {
  // Another item could move down below what lies at or above `reach`; above `ceiling` a section
  // would have no room.
  int64_t reach = never, ceiling = never;
  for (int32_t x : items)
    reach = std::min(reach, low[x] + in.size[x]);
  allSections(items, [&](int32_t t) {
    if (in.sectionObstacleRows.begin(t) == in.sectionObstacleRows.end(t))
      ceiling = std::min(ceiling, height - rest[t] + slack[t]);
    return true;
  });
  std::vector<Candidate> found;
  for (int32_t x : items) {
    if (low[x] < floor || low[x] >= reach)
      continue;
    if (low[x] <= ceiling)
      found.push_back({low[x], x});
    else
      ends(height + low[x] - ceiling);
  }
  std::sort(found.begin(), found.end(), [&](const Candidate &a, const Candidate &b) {
    return a.position != b.position ? a.position < b.position : rank[a.item] < rank[b.item];
  });
  return found;
}

// Places an item and solves the rest; everything else in the part lies at or above it.
inline bool Search::place(const Items &items, Candidate chosen) {
  int32_t x = chosen.item;
  if (!push(x, chosen.position))
    return false;
  Items others;
  others.reserve(items.size());
  for (int32_t y : items)
    if (y != x)
      others.push_back(y);
  bool all = allSections(
      others, [&](int32_t t) { return fits(t, std::max(sectionFloor[t], chosen.position)); });
  return all && solveParts(others, chosen.position);
}

// Puts x at an offset and lifts its neighbours above its end; false if one no longer fits.
inline bool Search::push(int32_t x, int64_t position) {
  int64_t end = position + in.size[x];
  offset[x] = position;
  trail.push_back({Change::placed, x, 0});
  dirty.clear();
  ++sectionStamp;
  for (int32_t t : in.sectionsOf(x)) {
    rest[t] -= roundedIn(t, x);
    touch(t);
  }
  for (int32_t y : in.conflicts(x)) {
    if (offset[y] >= 0 || low[y] >= end)
      continue;
    trail.push_back({Change::low, y, low[y]});
    low[y] = in.settle(y, end);
    if (!ends(low[y] + in.size[y]))
      return false;
    for (int32_t t : in.sectionsOf(y))
      touch(t);
  }
  work += in.conflicts(x).size();
  for (int32_t t : dirty) {
    int64_t lowest = never;
    for (int32_t y : in.section(t))
      if (offset[y] < 0)
        lowest = std::min(lowest, low[y]);
    work += in.section(t).size();
    if (lowest != sectionFloor[t]) {
      trail.push_back({Change::floor, t, sectionFloor[t]});
      sectionFloor[t] = lowest;
    }
  }
  return true;
}

// Calls `holds` for each section that has one of the items, until one does not hold. A part of a
// linear instance has all its sections to itself.
template <typename Holds>
bool Search::allSections(const Items &items, Holds holds) {
  if (items.empty())
    return true;
  if (in.linear) {
    int32_t first = INT32_MAX, last = -1;
    for (int32_t x : items) {
      first = std::min(first, in.sectionsOf(x).front());
      last = std::max(last, in.sectionsOf(x).back());
    }
    work += last - first;
    for (int32_t t = first; t <= last; ++t)
      if (sectionFloor[t] != never && !holds(t))
        return false;
    return true;
  }
  ++sectionStamp;
  for (int32_t x : items)
    for (int32_t t : in.sectionsOf(x)) {
      ++work;
      if (sectionMark[t] == sectionStamp)
        continue;
      sectionMark[t] = sectionStamp;
      if (!holds(t))
        return false;
    }
  return true;
}

inline void Search::touch(int32_t t) {
  if (sectionMark[t] == sectionStamp)
    return;
  sectionMark[t] = sectionStamp;
  dirty.push_back(t);
}

inline void Search::undo(std::size_t to) {
  while (trail.size() > to) {
    Change change = trail.back();
    trail.pop_back();
    if (change.what == Change::low) {
      low[change.index] = change.old;
    } else if (change.what == Change::floor) {
      sectionFloor[change.index] = change.old;
    } else {
      offset[change.index] = -1;
      for (int32_t t : in.sectionsOf(change.index))
        rest[t] += roundedIn(t, change.index);
    }
  }
}

// Connected parts of the conflict graph among the items, in the items' order.
inline std::vector<Search::Items> Search::split(const Items &items) {
  std::vector<Items> parts;
  if (in.linear) {
    int32_t reach = -1;
    for (int32_t x : items) {
      if (in.sectionsOf(x).front() > reach)
        parts.emplace_back();
      parts.back().push_back(x);
      reach = std::max(reach, in.sectionsOf(x).back());
    }
    return parts;
  }
  ++itemStamp;
  for (int32_t x : items)
    itemMark[x] = itemStamp;
  Items stack;
  for (int32_t x : items) {
    if (itemMark[x] != itemStamp)
      continue;
    parts.emplace_back();
    itemMark[x] = 0;
    stack.push_back(x);
    while (!stack.empty()) {
      int32_t y = stack.back();
      stack.pop_back();
      parts.back().push_back(y);
      work += in.conflicts(y).size();
      for (int32_t z : in.conflicts(y))
        if (itemMark[z] == itemStamp) {
          itemMark[z] = 0;
          stack.push_back(z);
        }
    }
  }
  return parts;
}

} // namespace forebay
