// Closed forms for collectives on a torus: the bandwidth term is that of the busiest link, and the latency term counts
// hops.
//
// A group of devices is a box of lines and rings. The forms are those of the ring and torus algorithms in the scaling
// book (chapter "Sharded matrices"), with the exact factors (N - 1) / N. tests/time checks them against a simulator.
#ifndef HLOROOF_LIB_TIME_TORUS_H_
#define HLOROOF_LIB_TIME_TORUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/analysis/mesh.h"
#include "lib/time/traced.h"

namespace hloroof::internal::inline time {

// One axis of a group.
template <class Num>
struct TorusAxisOf {
  std::int64_t size = 1;
  bool wraps = false;     // a ring: both directions carry data all the way around
  Num bandwidth = 0.0;    // bytes/s, one link in one direction, the share of this group
  Num hop_latency = 0.0;  // s, from one member to the next
  LinkKind link = LinkKind::kIci;
  // A message that leaves the axis at its end re-enters half-way along the group's longer rings. Together with those
  // rings the axis forms a torus in which all directions are equivalent, whatever the sizes.
  bool twisted = false;
};

using TorusAxis = TorusAxisOf<double>;

template <class Num>
struct TorusCostOf {
  Num seconds = 0.0;               // for moving bytes
  Num hop_seconds = 0.0;           // for hops, independent of the bytes
  double wire_bytes = 0;           // sent by one device
  double link_bytes = 0;           // on the busiest link, one direction
  double link_seconds = 0;         // time that the busiest link is busy
  LinkKind link = LinkKind::kIci;  // kind of the busiest link
  std::string algorithm;
};
using TorusCost = TorusCostOf<double>;

// The time for `bytes` at `rate`, which those of one stage of a route take. `size` is that of the axis, and `wraps`
// tells whether it is a ring; the rate of a ring is that of both directions together.
template <class Num>
Num link_seconds(LinkKind link, std::int64_t size, bool wraps, double bytes, const Num& rate);

// The time for `count` hops.
template <class Num>
Num hop_seconds(LinkKind link, double count, const Num& latency);

// An all-gather: every device ends with `bytes`, of which it held its share at the start. If all axes are rings, they
// work at once: each carries an equal part of the array through the axes, each part in another order. With
// `in_one_ring` one ring passes through the chips of all of them instead. Otherwise the axes run one after another. The
// slowest axis is first, because the least data has been gathered then.
//
//   one axis of X: line  bytes (X-1)/X / W,  X-1 hops;  ring  bytes (X-1)/X / 2W,  X/2 hops
//
// On slices without rings the compiler drives one axis at a time. On TPU v5p 2x2x1, gathers take 3/4 bytes / W and not
// half of that (profile of a training step published with openxla/xprof).
//
// A twisted torus is gathered like a torus of rings. The first axis of any part is a ring as long as the longest one,
// because it passes through the shorter axis more than once. The rings of its later axes have the remaining sizes. No
// part therefore waits for another, and n axes take bytes (N-1)/N / (2 n W).
template <class Num>
TorusCostOf<Num> gather_cost(const std::vector<TorusAxisOf<Num>>& axes, double bytes, bool in_one_ring = false);

// Either half of an all-reduce. Here the compiler drives several axes at once on slices without rings as well, or runs
// one ring through all axes if one of them is even. The fastest form is taken. It agrees with the strategies that
// compiled programs name (UniDirectionNDRing and ND on 4x4 and 2x2x2, UniDirection1DRing through all of 2x4).
template <class Num>
TorusCostOf<Num> all_reduce_half_cost(const std::vector<TorusAxisOf<Num>>& axes, double bytes);

// An all-to-all: each device holds `bytes` and cuts them evenly among all devices. Every axis works at once, and the
// longest axis has the busiest links. A line of X takes bytes X/4 / W and a ring bytes X/8 / W (half the pairs cross
// the middle). On a twisted torus of n axes all links carry the same: bytes * average distance / (2 n W).
template <class Num>
TorusCostOf<Num> exchange_cost(const std::vector<TorusAxisOf<Num>>& axes, double bytes);

// A broadcast of one device's `bytes` to all devices, in a pipeline along the axes.
template <class Num>
TorusCostOf<Num> broadcast_cost(const std::vector<TorusAxisOf<Num>>& axes, double bytes);

}  // namespace hloroof::internal::inline time

#endif  // HLOROOF_LIB_TIME_TORUS_H_
