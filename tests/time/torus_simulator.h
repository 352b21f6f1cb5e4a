// Collectives on a torus, message by message: links carry one message at a time in the order in which they are asked
// to, devices pass on what has arrived. Nothing here knows the closed forms of lib/time.
#ifndef HLOROOF_TESTS_TIME_TORUS_SIMULATOR_H_
#define HLOROOF_TESTS_TIME_TORUS_SIMULATOR_H_

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

namespace hloroof::internal {

struct SimulatedAxis {
  int size = 1;
  bool wraps = false;
  bool twisted = false;  // the link from the last device to the first also goes half-way along the other, longer rings
};

class TorusSimulator {
 public:
  // Links of `bandwidth` bytes/s one way; a hop takes `latency` seconds beyond its bytes.
  TorusSimulator(std::vector<SimulatedAxis> axes, double bandwidth, double latency);

  int devices() const { return devices_; }

  // Links on the shortest way from one device to another.
  int distance(int source, int target) const;

  // Seconds until every device has all `bytes`, of which each began with its share: blocks pass along the axes of
  // `orders[part]` in turn, each part of the array on its own.
  double gather(double bytes, const std::vector<std::vector<int>>& orders);

  // The same backwards: partial sums pass towards the device that keeps the block.
  double scatter(double bytes, const std::vector<std::vector<int>>& orders);

  // Seconds until every device has sent `bytes` / devices() to every other, on shortest ways along the axes in turn,
  // equal parts beginning on each axis. Messages of far devices leave first.
  double exchange(double bytes);

  // Seconds until every device has `bytes` of device 0, in `chunks` messages along axis after axis: round a ring either
  // all of them both ways as far as they meet, or half of them each way all round, whichever ends sooner.
  double broadcast(double bytes, int chunks);

  // Seconds until each device's `bytes` have reached the device `steps` further along `axis`, in `chunks` messages;
  // devices from which a line has no such neighbour send nothing.
  double shift(double bytes, int axis, int steps, int chunks);

 private:
  struct Hop {
    int axis;
    int direction;  // 1 or -1
  };
  struct Message {
    double bytes = 0;
    double last_bytes = 0;  // on the last hop, where that differs
    int part = 0;
    int target = 0;  // of a message along several axes
    std::size_t phase = 0;
    int hops = 0;  // left, of a message along one axis
    Hop hop = {0, 1};
    std::vector<Hop> route;  // of a message along several; taken from the back
  };
  struct Arrival {
    double time;
    std::int64_t sequence;
    int device;
    std::size_t message;
    bool operator>(const Arrival& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };

  double broadcast(double bytes, int chunks, bool all_round);
  int coordinate(int device, int axis) const { return device / strides_[axis] % axes_[axis].size; }
  int neighbour(int device, Hop hop) const;
  // Devices that one meets along each axis of an order before coming to where those before it lead: the sizes, except
  // where axes are twisted.
  std::vector<int> ring_lengths(const std::vector<int>& order) const;
  std::vector<std::vector<int>> undone_rings(const std::vector<std::vector<int>>& orders) const;
  // How far blocks go from a device along an axis with so many devices in a ring, forwards or backwards; `halved` if
  // the last hop carries half.
  int reach(int device, int axis, int ring, int direction, bool& halved) const;
  // The shortest ways from one device to another, as steps along each axis.
  std::vector<std::vector<int>> shortest_ways(int source, int target) const;
  void send(int device, Message message, double time);
  void reset();

  std::vector<SimulatedAxis> axes_;
  std::vector<int> strides_;
  int devices_ = 1;
  bool twisted_ = false;
  double bandwidth_;
  double latency_;
  std::vector<double> free_at_;  // of each directed link
  std::vector<Message> messages_;
  std::vector<std::size_t> unused_;  // slots of messages_ that have been delivered
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::int64_t sequence_ = 0;
};

}  // namespace hloroof::internal

#endif  // HLOROOF_TESTS_TIME_TORUS_SIMULATOR_H_
