// Closed forms for collectives on a torus: bandwidth as the busiest link sees it, latency as hops.
//
// A group of devices is a box of lines and rings. The forms are those of the ring and torus algorithms in the scaling
// book (chapter "Sharded matrices"), with the exact factors (N - 1) / N, and are checked against a simulator in
// tests/cost.
#ifndef HLOROOF_LIB_COST_TORUS_H_
#define HLOROOF_LIB_COST_TORUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "hloroof/mesh.h"

namespace hloroof::inline v0 {

// One axis of a group.
struct TorusAxis {
  std::int64_t size = 1;
  bool wraps = false;      // a ring: both directions carry data all the way round
  double bandwidth = 0;    // bytes/s, one link one way, what this group gets of it
  double hop_latency = 0;  // s, from one member to the next
  LinkKind link = LinkKind::kIci;
  // Who leaves it at its end comes back half-way along the group's longer rings. With them it makes a torus in which
  // all directions are alike, whatever the sizes.
  bool twisted = false;
};

struct TorusCost {
  double seconds = 0;              // of moving bytes
  double hop_seconds = 0;          // of hops, whatever the bytes
  double wire_bytes = 0;           // sent by one device
  double link_bytes = 0;           // over the busiest link, one direction
  double link_seconds = 0;         // that link is busy
  LinkKind link = LinkKind::kIci;  // its kind
  std::string algorithm;
};

// All devices end with `bytes`, of which each began with its share. Axes that are all rings work at once, each carrying
// an equal part of the array through the axes in another order; otherwise one axis follows another, the slowest first,
// when least has been gathered.
//   one axis of X: line  bytes (X-1)/X / W,  X-1 hops;  ring  bytes (X-1)/X / 2W,  X/2 hops
// On slices without rings the compiler drives one axis at a time: on TPU v5p 2x2x1 gathers take 3/4 bytes / W, not half
// of it (profile of a training step published with openxla/xprof).
//
// A twisted torus is gathered like one of rings. Whichever axis a part begins with is a ring as long as the longest,
// for it leads through the shorter axis more than once; what is left for the others is as long as the remaining sizes.
// So no part waits for another: bytes (N-1)/N / (2 n W) for n axes.
TorusCost gather_cost(const std::vector<TorusAxis>& axes, double bytes);

// Either half of an all-reduce. Here the compiler drives several axes at once on slices without rings too, or goes
// through all of them in one ring where an axis is even: the fastest is taken, which agrees with the strategies that
// compiled programs name (UniDirectionNDRing and ND on 4x4 and 2x2x2, UniDirection1DRing through all of 2x4).
TorusCost all_reduce_half_cost(const std::vector<TorusAxis>& axes, double bytes);

// Each device holds `bytes`, to be cut evenly among all. Every axis works at once, and the longest has the busiest
// links: line of X bytes X/4 / W, ring bytes X/8 / W (half the pairs cross the middle). On a twisted torus of n axes
// all links carry the same: bytes * average distance / (2 n W).
TorusCost exchange_cost(const std::vector<TorusAxis>& axes, double bytes);

// One device's `bytes` to all, in a pipeline along the axes.
TorusCost broadcast_cost(const std::vector<TorusAxis>& axes, double bytes);

}  // namespace hloroof::inline v0

#endif  // HLOROOF_LIB_COST_TORUS_H_
