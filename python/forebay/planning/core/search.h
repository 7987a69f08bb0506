// Part of Forebay, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact placement of a pool's items below a height, by depth-first branch and bound.
//
// Items are placed in ascending order of offset, each at `low`: the lowest offset without overlap
// with placed neighbours and obstacles. A plan in which no item can move to a lower offset has
// that form; the plan with the smallest sum of offsets is an example. `floor` is the last offset.
//
// * No item is placed at or above low + size of another item, because that item could be below it.
// * An item that failed at its `low` is held: a neighbour must be placed below it.
// * Each state is checked by the rules in inference.h.
// * Parts without conflicts between them are solved separately; failed parts are remembered.
//
// Canonical order and decomposition follow Moffitt, "MiniMalloc: A Lightweight Memory Allocator
// for Hardware-Accelerated Machine Learning" (ASPLOS 2024).
#pragma once

#include "failures.h"
#include "inference.h"
#include "parts.h"

namespace forebay {

enum class Outcome { found, none, outOfWork };

template <bool linear>
class Search {
public:
  // `parts`: the number of failed parts to remember.
  Search(const Sections<linear> &sections, int64_t parts)
      : offset(sections.in.n, -1), inference(sections), in(sections.in), sections(sections),
        rest(in.sectionCount), split(sections), failures(parts) {}

  // Searches for offsets below `height`, for about `budget` steps at most.
  Outcome run(int64_t height, int64_t budget, const std::vector<int32_t> &rank);

  std::vector<int64_t> offset;
  int64_t work = 0;
  Inference<linear> inference;

private:
  struct Candidate {
    int64_t low;
    int32_t rank;
    std::size_t at;
  };
  // The states are a stack with a maximum size; an item of a state takes 40 bytes.
  static constexpr std::size_t mostOpen = 4'000'000;

  const Instance &in;
  const Sections<linear> &sections;
  const std::vector<int32_t> *rank = nullptr;
  int64_t budget = 0;
  bool stopped = false;
  std::vector<Open> open;    // the states from the root to the current one, each by ascending `low`
  std::vector<int64_t> rest; // bytes not placed yet, per section
  std::vector<Open> lifted;
  Split<linear> split;
  Failures failures;

  bool reset();
  bool outOfWork();
  bool solveParts(Span all, int64_t floor, Hull hull);
  bool solve(Part part, int64_t floor, Hull hull);
  bool refuted(Span part, int64_t floor, Hull hull);
  std::vector<Candidate> candidates(Span part);
  int64_t ceiling(Span part);
  bool place(Span part, const Candidate &chosen);
  bool lift(Span part, std::size_t chosen, Hull &hull);
  void takeRest(int32_t x, int64_t sign);
};

template <bool linear>
Outcome Search<linear>::run(int64_t height, int64_t newBudget, const std::vector<int32_t> &order) {
  if (height != inference.height) {
    failures.clear();
    inference.nextHeight = never;
  }
  inference.height = height;
  inference.work = work = 0;
  budget = newBudget;
  rank = &order;
  stopped = false;
  Hull all{0, in.sectionCount - 1};
  bool found = reset() && inference.fits(open.data(), open.data() + open.size(), all) &&
               solveParts({0, open.size()}, in.start, all);
  work += inference.work + in.n + 1;
  if (found)
    return Outcome::found;
  return stopped ? Outcome::outOfWork : Outcome::none;
}

// Creates the root state, without placed items; false if a single item exceeds the height.
template <bool linear>
bool Search<linear>::reset() {
  open.clear();
  std::fill(rest.begin(), rest.end(), 0);
  for (int32_t x = 0; x < in.n; ++x) {
    offset[x] = -1;
    open.push_back(sections.open(x, in.settle(x, in.start)));
    if (!inference.ends(open.back().low + in.size[x]))
      return false;
    takeRest(x, 1);
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const Open &a, const Open &b) { return a.low < b.low; });
  return true;
}

template <bool linear>
void Search<linear>::takeRest(int32_t x, int64_t sign) {
  for (int32_t t : in.sectionsOf(x))
    rest[t] += sign * sections.rounded[x];
}

template <bool linear>
bool Search<linear>::outOfWork() {
  stopped = stopped || work + inference.work > budget || open.size() > mostOpen;
  return stopped;
}

template <bool linear>
bool Search<linear>::solveParts(Span all, int64_t floor, Hull hull) {
  std::size_t top = open.size();
  std::vector<Part> parts = split(open, all);
  work += 4 * all.size();
  bool failed = false;
  for (const Part &part : parts)
    failed = failed || failures.covers(part.key, floor) || failures.covers(part.untried, floor);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part &a, const Part &b) { return a.span.size() < b.span.size(); });
  for (std::size_t i = 0; !failed && i < parts.size(); ++i)
    failed = !solve(parts[i], floor, hull);
  open.resize(top);
  return !failed;
}

template <bool linear>
bool Search<linear>::solve(Part part, int64_t floor, Hull hull) {
  work += 2 * part.span.size() + 10;
  if (outOfWork())
    return false;
  if (failures.covers(part.key, floor))
    return false;
  if (!refuted(part.span, floor, hull)) {
    std::vector<Candidate> found = candidates(part.span);
    for (const Candidate &chosen : found) {
      if (place(part.span, chosen))
        return true;
      if (stopped)
        return false;
      open[chosen.at].held = open[chosen.at].tried = true;
    }
  }
  failures.add(part.key, floor);
  return false;
}

// Marks held items for at most two rounds of inference; returns true if the state has no solution.
template <bool linear>
bool Search<linear>::refuted(Span part, int64_t floor, Hull hull) {
  Open *begin = open.data() + part.from, *end = open.data() + part.to;
  for (int round = 0; round < 2 && inference.hold(begin, end, hull); ++round)
    if (!inference.raise(begin, end, floor, hull) || !inference.fits(begin, end, hull))
      return true;
  return false;
}

template <bool linear>
std::vector<typename Search<linear>::Candidate> Search<linear>::candidates(Span part) {
  // Another item could move below an item at or above `reach`. Above the ceiling, a section would
  // lack bytes.
  int64_t reach = never, limit = ceiling(part);
  for (std::size_t i = part.from; i < part.to; ++i)
    reach = std::min(reach, open[i].low + open[i].size);
  std::vector<Candidate> found;
  for (std::size_t i = part.from; i < part.to && open[i].low < reach; ++i) {
    const Open &x = open[i];
    if (x.low > limit)
      inference.ends(inference.height + x.low - limit);
    else if (!x.held)
      found.push_back({x.low, (*rank)[x.item], i});
  }
  std::sort(found.begin(), found.end(), [](const Candidate &a, const Candidate &b) {
    return a.low != b.low ? a.low < b.low : a.rank < b.rank;
  });
  return found;
}

// Returns the highest offset above which every section can still take its remaining bytes.
template <bool linear>
int64_t Search<linear>::ceiling(Span part) {
  int64_t lowest = never;
  auto lower = [&](int32_t t) {
    if (sections.plain(t) && rest[t] > 0)
      lowest = std::min(lowest, sections.room(t, inference.height) - rest[t]);
  };
  Hull hull{open[part.from].first, open[part.from].last};
  for (std::size_t i = part.from; i < part.to; ++i)
    if (linear)
      hull.add(open[i]);
    else
      work += sections.each(open[i], hull, lower);
  for (int32_t t = hull.first; linear && t <= hull.last; ++t)
    lower(t);
  return lowest;
}

// Places an item and solves the rest; all other items of the part are at or above its offset.
template <bool linear>
bool Search<linear>::place(Span part, const Candidate &chosen) {
  int32_t x = open[chosen.at].item;
  std::size_t top = open.size();
  Hull hull;
  if (lift(part, chosen.at, hull)) {
    Open *begin = open.data() + top, *end = open.data() + open.size();
    offset[x] = chosen.low;
    takeRest(x, -1);
    if (inference.raise(begin, end, chosen.low, hull) && inference.fits(begin, end, hull) &&
        solveParts({top, open.size()}, chosen.low, hull))
      return true;
    offset[x] = -1;
    takeRest(x, 1);
  }
  open.resize(top);
  return false;
}

// Appends the part without the chosen item and moves its neighbours above it; false if one does not
// fit there. `hull` gets the sections of the moved items.
template <bool linear>
bool Search<linear>::lift(Span part, std::size_t chosen, Hull &hull) {
  const Open x = open[chosen];
  int64_t end = x.low + x.size;
  std::size_t top = open.size();
  hull = {x.first, x.last};
  lifted.clear();
  open.resize(top + part.size());
  std::size_t kept = top;
  work += 2 * part.size();
  for (std::size_t i = part.from; i < part.to; ++i) {
    Open y = open[i];
    if (i == chosen)
      continue;
    if (y.low >= end || !sections.meet(x, y)) {
      open[kept++] = y;
      continue;
    }
    y.low = y.head = in.settle(y.item, end);
    y.held = y.tried = false;
    if (!inference.ends(y.low + y.size))
      return false;
    hull.add(y);
    lifted.push_back(y);
  }
  auto lower = [](const Open &a, const Open &b) { return a.low < b.low; };
  if (!std::is_sorted(lifted.begin(), lifted.end(), lower))
    std::stable_sort(lifted.begin(), lifted.end(), lower);
  open.resize(kept);
  open.insert(open.end(), lifted.begin(), lifted.end());
  std::inplace_merge(open.begin() + top, open.begin() + kept, open.end(), lower);
  return true;
}

} // namespace forebay
