#include "tests/time/torus_simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace hloroof::internal {

TorusSimulator::TorusSimulator(std::vector<SimulatedAxis> axes, double bandwidth, double latency)
    : axes_(std::move(axes)), strides_(axes_.size(), 1), bandwidth_(bandwidth), latency_(latency) {
  for (std::size_t i = axes_.size(); i-- > 0;) {
    strides_[i] = devices_;
    devices_ *= axes_[i].size;
    twisted_ = twisted_ || axes_[i].twisted;
  }
  reset();
}

void TorusSimulator::reset() {
  free_at_.assign(static_cast<std::size_t>(devices_) * axes_.size() * 2, 0);
  messages_.clear();
  unused_.clear();
  arrivals_ = {};
  sequence_ = 0;
}

int TorusSimulator::neighbour(int device, Hop hop) const {
  const int size = axes_[hop.axis].size;
  const int here = coordinate(device, hop.axis);
  const int there = (here + hop.direction + size) % size;
  int next = device + (there - here) * strides_[hop.axis];
  if (axes_[hop.axis].twisted && there != here + hop.direction) {
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      if (!axes_[axis].wraps || axes_[axis].twisted) continue;
      const int at = coordinate(next, static_cast<int>(axis));
      next += ((at + axes_[axis].size / 2) % axes_[axis].size - at) * strides_[axis];
    }
  }
  return next;
}

std::vector<int> TorusSimulator::ring_lengths(const std::vector<int>& order) const {
  std::vector<bool> reached(static_cast<std::size_t>(devices_), false);
  std::vector<int> members = {0};
  reached[0] = true;
  std::vector<int> lengths;
  for (const int axis : order) {
    int length = 1;
    if (!axes_[axis].wraps) {
      length = axes_[axis].size;
    } else {
      for (int device = neighbour(0, {axis, 1}); !reached[device]; device = neighbour(device, {axis, 1})) ++length;
    }
    const std::vector<int> before = members;
    for (int device : before) {
      for (int i = 1; i < length; ++i) {
        device = neighbour(device, {axis, 1});
        reached[device] = true;
        members.push_back(device);
      }
    }
    lengths.push_back(length);
  }
  return lengths;
}

int TorusSimulator::reach(int device, int axis, int ring, int direction, bool& halved) const {
  halved = axes_[axis].wraps && ring % 2 == 0;
  if (axes_[axis].wraps) return ring / 2;
  const int here = coordinate(device, axis);
  return direction > 0 ? ring - 1 - here : here;
}

// Tries, on every axis, the straight way and one round either end; of twisted axes the ends come out elsewhere, so the
// other axes try to make up for it. What does not arrive is no way.
std::vector<std::vector<int>> TorusSimulator::shortest_ways(int source, int target) const {
  std::vector<std::vector<int>> tries = {{}};
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const int size = axes_[axis].size;
    const int straight = coordinate(target, static_cast<int>(axis)) - coordinate(source, static_cast<int>(axis));
    std::vector<int> choices = {straight};
    if (axes_[axis].wraps) choices = {straight, straight - size, straight + size};
    if (axes_[axis].wraps && !axes_[axis].twisted && twisted_) {
      choices.insert(choices.end(), {straight - size / 2, straight + size / 2});
    }
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& steps : tries) {
      for (const int choice : choices) {
        if (std::abs(choice) > size) continue;
        longer.push_back(steps);
        longer.back().push_back(choice);
      }
    }
    tries = std::move(longer);
  }
  const auto length = [](const std::vector<int>& steps) {
    return std::accumulate(steps.begin(), steps.end(), 0, [](int sum, int count) { return sum + std::abs(count); });
  };
  std::stable_sort(tries.begin(), tries.end(), [&](const auto& a, const auto& b) { return length(a) < length(b); });
  std::vector<std::vector<int>> ways;
  for (std::vector<int>& steps : tries) {
    if (!ways.empty() && length(steps) > length(ways[0])) break;
    int device = source;
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      for (int i = 0; i < std::abs(steps[axis]); ++i) {
        device = neighbour(device, {static_cast<int>(axis), steps[axis] > 0 ? 1 : -1});
      }
    }
    if (device == target) ways.push_back(std::move(steps));
  }
  return ways;
}

// Puts the message on the next link of its way. It arrives at the other end when its last byte does.
void TorusSimulator::send(int device, Message message, double time) {
  Hop hop = message.hop;
  if (!message.route.empty()) {
    hop = message.route.back();
    message.route.pop_back();
    message.hops = static_cast<int>(message.route.size());
  } else {
    --message.hops;
  }
  const double bytes = message.hops == 0 && message.last_bytes > 0 ? message.last_bytes : message.bytes;
  double& free_at =
      free_at_[(static_cast<std::size_t>(device) * axes_.size() + static_cast<std::size_t>(hop.axis)) * 2 +
               (hop.direction > 0 ? 1 : 0)];
  const double end = std::max(time, free_at) + bytes / bandwidth_;
  free_at = end;
  std::size_t slot = messages_.size();
  if (unused_.empty()) {
    messages_.push_back(std::move(message));
  } else {
    slot = unused_.back();
    unused_.pop_back();
    messages_[slot] = std::move(message);
  }
  arrivals_.push({end + latency_, sequence_++, neighbour(device, hop), slot});
}

int TorusSimulator::distance(int source, int target) const {
  const std::vector<std::vector<int>> ways = shortest_ways(source, target);
  int sum = 0;
  for (const int steps : ways.at(0)) sum += std::abs(steps);
  return sum;
}

double TorusSimulator::gather(double bytes, const std::vector<std::vector<int>>& orders) {
  reset();
  const std::size_t parts = orders.size();
  if (parts == 0) return NAN;
  const double share = bytes / static_cast<double>(parts) / devices_;
  std::vector<double> held(static_cast<std::size_t>(devices_) * parts, share);
  std::vector<std::vector<int>> rings;
  for (const std::vector<int>& order : orders) rings.push_back(ring_lengths(order));
  // Bytes still to come in each phase; those of devices that are a phase ahead may come early.
  std::vector<std::vector<double>> awaited(held.size(), std::vector<double>(axes_.size() + 1, 0));
  std::vector<std::size_t> phase_of(held.size(), 0);
  const auto begin = [&](int device, int part, double time) {
    const std::size_t i = static_cast<std::size_t>(device) * parts + static_cast<std::size_t>(part);
    const std::size_t phase = phase_of[i];
    if (phase == orders[part].size()) return;
    const int axis = orders[part][phase];
    const double block = held[i];
    awaited[i][phase] += block * (rings[part][phase] - 1);
    for (const int direction : {1, -1}) {
      bool halved = false;
      Message message;
      message.hops = reach(device, axis, rings[part][phase], direction, halved);
      if (message.hops == 0) continue;
      message.bytes = block;
      message.last_bytes = halved ? block / 2 : block;
      message.part = part;
      message.phase = phase;
      message.hop = {axis, direction};
      send(device, std::move(message), time);
    }
  };
  double now = 0;
  // The parts of a device go from phase to phase together: one that is ahead would take links from those behind.
  const auto settle = [&](int device) {
    const std::size_t first = static_cast<std::size_t>(device) * parts;
    while (true) {
      const std::size_t phase = phase_of[first];
      if (phase == orders[0].size()) return;
      for (std::size_t i = first; i < first + parts; ++i) {
        if (awaited[i][phase] > 1e-6 * share) return;
      }
      for (std::size_t part = 0; part < parts; ++part) {
        held[first + part] *= rings[part][phase];
        ++phase_of[first + part];
      }
      for (std::size_t part = 0; part < parts; ++part) begin(device, static_cast<int>(part), now);
    }
  };
  for (int device = 0; device < devices_; ++device) {
    for (std::size_t part = 0; part < parts; ++part) begin(device, static_cast<int>(part), 0);
  }
  while (!arrivals_.empty()) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    now = arrival.time;
    const Message message = messages_[arrival.message];
    const std::size_t i = static_cast<std::size_t>(arrival.device) * parts + static_cast<std::size_t>(message.part);
    awaited[i][message.phase] -= message.hops == 0 ? message.last_bytes : message.bytes;
    if (message.hops > 0) send(arrival.device, message, now);
    settle(arrival.device);
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    const bool has_all = std::abs(held[i] * static_cast<double>(parts) - bytes) <= 1e-6 * bytes;
    if (!has_all || phase_of[i] != orders[i % parts].size()) return NAN;
  }
  return now;
}

// The rings of the gather that a scatter undoes.
std::vector<std::vector<int>> TorusSimulator::undone_rings(const std::vector<std::vector<int>>& orders) const {
  std::vector<std::vector<int>> rings;
  for (std::vector<int> order : orders) {
    std::reverse(order.begin(), order.end());
    rings.push_back(ring_lengths(order));
    std::reverse(rings.back().begin(), rings.back().end());
  }
  return rings;
}

double TorusSimulator::scatter(double bytes, const std::vector<std::vector<int>>& orders) {
  if (orders.empty()) return NAN;
  reset();
  const std::size_t parts = orders.size();
  const std::vector<std::vector<int>> rings = undone_rings(orders);
  std::vector<double> block(static_cast<std::size_t>(devices_) * parts, bytes / static_cast<double>(parts));
  std::vector<int> awaited(block.size(), 0);  // sums for this device's own block
  std::vector<std::size_t> phase_of(block.size(), 0);
  std::vector<std::vector<std::size_t>> waiting(block.size());  // sums of a phase that the device has not come to
  double now = 0;
  const auto index = [&](int device, int part) { return static_cast<std::size_t>(device) * parts + part; };
  // The last device on either side of each keeper begins its sum. In an even ring that is one device for both sides,
  // and each side gets half of its block; the devices on the way add the whole of theirs.
  const auto begin = [&](int device, int part) {
    const std::size_t i = index(device, part);
    if (phase_of[i] == orders[part].size()) return;
    const int axis = orders[part][phase_of[i]];
    const SimulatedAxis along = {rings[part][phase_of[i]], axes_[axis].wraps};
    block[i] /= along.size;
    const int here = coordinate(device, axis);
    for (const int direction : {1, -1}) {
      const int before = direction > 0 ? here : along.size - 1 - here;  // devices of a line upstream of this one
      if (along.size > 1 && (along.wraps || before > 0)) ++awaited[i];
      if (along.size == 1 || (!along.wraps && before > 0)) continue;
      const int farthest = along.wraps ? along.size / 2 : along.size - 1;
      for (int hops = farthest; hops >= (along.wraps ? farthest : 1); --hops) {
        Message message;
        message.hops = hops;
        message.bytes = along.wraps && along.size % 2 == 0 ? block[i] / 2 : block[i];
        message.part = part;
        message.phase = phase_of[i];
        message.hop = {axis, direction};
        const double whole = block[i];
        send(device, std::move(message), now);
        messages_.back().bytes = whole;
      }
    }
  };
  const auto handle = [&](int device, Message message) {
    if (message.hops > 0) {
      send(device, std::move(message), now);
    } else {
      --awaited[index(device, message.part)];
    }
  };
  for (int device = 0; device < devices_; ++device) {
    for (std::size_t part = 0; part < parts; ++part) begin(device, static_cast<int>(part));
  }
  while (!arrivals_.empty()) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    now = arrival.time;
    const Message message = messages_[arrival.message];
    const std::size_t i = index(arrival.device, message.part);
    if (message.phase > phase_of[i]) {
      waiting[i].push_back(arrival.message);
      continue;
    }
    handle(arrival.device, message);
    while (phase_of[i] < orders[message.part].size() && awaited[i] == 0) {
      ++phase_of[i];
      begin(arrival.device, message.part);
      const std::vector<std::size_t> held_back = std::move(waiting[i]);
      waiting[i].clear();
      for (const std::size_t m : held_back) {
        if (messages_[m].phase > phase_of[i]) {
          waiting[i].push_back(m);
        } else {
          handle(arrival.device, messages_[m]);
        }
      }
    }
  }
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool has_all = std::abs(block[i] * static_cast<double>(parts) * devices_ - bytes) <= 1e-6 * bytes;
    if (!has_all || phase_of[i] != orders[i % parts].size() || !waiting[i].empty()) return NAN;
  }
  return now;
}

double TorusSimulator::exchange(double bytes) {
  reset();
  const std::size_t axes = axes_.size();
  const double each = bytes / devices_ / static_cast<double>(axes);
  std::int64_t expected = 0;
  struct Planned {
    std::size_t hops;
    int source;
    Message message;
  };
  std::vector<Planned> planned;
  for (int source = 0; source < devices_; ++source) {
    for (int offset = 1; offset < devices_; ++offset) {
      const int target = (source + offset) % devices_;
      // Ways of equal length share the bytes.
      const std::vector<std::vector<int>> ways = shortest_ways(source, target);
      if (ways.empty()) return NAN;
      for (const std::vector<int>& steps : ways) {
        for (std::size_t first = 0; first < axes; ++first) {
          Message message;
          for (std::size_t k = axes; k-- > 0;) {  // from the back: the first axis is taken first
            const int axis = static_cast<int>((first + k) % axes);
            message.route.insert(message.route.end(), static_cast<std::size_t>(std::abs(steps[axis])),
                                 Hop{axis, steps[axis] > 0 ? 1 : -1});
          }
          message.target = target;
          message.bytes = each / static_cast<double>(ways.size());
          ++expected;
          const std::size_t hops = message.route.size();
          planned.push_back({hops, source, std::move(message)});
        }
      }
    }
  }
  std::stable_sort(planned.begin(), planned.end(), [](const Planned& a, const Planned& b) { return a.hops > b.hops; });
  for (Planned& p : planned) send(p.source, std::move(p.message), 0);
  double now = 0;
  std::int64_t delivered = 0;
  while (!arrivals_.empty()) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    now = arrival.time;
    Message message = std::move(messages_[arrival.message]);
    unused_.push_back(arrival.message);
    if (message.route.empty()) {
      if (message.target != arrival.device) return NAN;
      ++delivered;
    } else {
      send(arrival.device, std::move(message), now);
    }
  }
  return delivered == expected ? now : NAN;
}

double TorusSimulator::broadcast(double bytes, int chunks) {
  return std::min(broadcast(bytes, chunks, false), broadcast(bytes, chunks, true));
}

double TorusSimulator::broadcast(double bytes, int chunks, bool all_round) {
  reset();
  std::vector<double> received(static_cast<std::size_t>(devices_), 0);
  received[0] = bytes;
  const double chunk = bytes / chunks;
  std::vector<int> all(axes_.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<int> rings = ring_lengths(all);
  // From a device that has a chunk on along the axes that it has not taken yet.
  const auto spread = [&](int device, std::size_t from_axis, int part, double time) {
    for (std::size_t axis = from_axis; axis < axes_.size(); ++axis) {
      const int size = rings[axis];
      for (const int direction : {1, -1}) {
        Message message;
        if (!axes_[axis].wraps) {
          message.hops = direction > 0 ? size - 1 : 0;  // device 0 is at the end of the line
        } else if (all_round) {
          message.hops = (part % 2 == 0) == (direction > 0) ? size - 1 : 0;
        } else {
          message.hops = direction > 0 ? size / 2 : (size - 1) / 2;
        }
        if (message.hops == 0) continue;
        message.bytes = chunk;
        message.part = part;
        message.hop = {static_cast<int>(axis), direction};
        send(device, std::move(message), time);
      }
    }
  };
  for (int part = 0; part < chunks; ++part) spread(0, 0, part, 0);
  double now = 0;
  while (!arrivals_.empty()) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    now = arrival.time;
    const Message message = messages_[arrival.message];
    unused_.push_back(arrival.message);
    received[static_cast<std::size_t>(arrival.device)] += chunk;
    if (message.hops > 0) send(arrival.device, message, now);
    spread(arrival.device, static_cast<std::size_t>(message.hop.axis) + 1, message.part, now);
  }
  for (const double got : received) {
    if (std::abs(got - bytes) > 1e-6 * bytes) return NAN;
  }
  return now;
}

double TorusSimulator::shift(double bytes, int axis, int steps, int chunks) {
  reset();
  const int size = axes_[axis].size;
  std::int64_t expected = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    for (int device = 0; device < devices_; ++device) {
      int way = steps;
      if (axes_[axis].wraps) {
        if (2 * way > size) way -= size;
      } else if (coordinate(device, axis) + steps >= size) {
        continue;
      }
      Message message;
      message.hops = std::abs(way);
      message.bytes = message.last_bytes = bytes / chunks;
      message.hop = {axis, way > 0 ? 1 : -1};
      send(device, std::move(message), 0);
      ++expected;
    }
  }
  double now = 0;
  std::int64_t delivered = 0;
  while (!arrivals_.empty()) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    now = arrival.time;
    const Message message = messages_[arrival.message];
    if (message.hops > 0) {
      send(arrival.device, message, now);
    } else {
      ++delivered;
    }
  }
  return delivered == expected ? now : NAN;
}

}  // namespace hloroof::internal
