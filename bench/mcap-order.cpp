// Reads an MCAP file with the C++ library in the order of the file, and looks at the size of each message. Prints the
// wall and processor seconds of the best of three rounds, and the number of messages, as JSON.
#define MCAP_IMPLEMENTATION
#include <mcap/reader.hpp>

#include <cstdio>
#include <ctime>

static double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

int main(int, char** arguments) {
  mcap::ReadMessageOptions options;
  options.readOrder = mcap::ReadMessageOptions::ReadOrder::FileOrder;
  double best = 1e9, cpu = 0;
  unsigned long long messages = 0, bytes = 0;
  for (int round = 0; round < 3; round++) {
    const double started = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    mcap::McapReader reader;
    if (!reader.open(arguments[1]).ok()) return 1;
    messages = 0;
    for (const auto& view : reader.readMessages([](const mcap::Status&) {}, options)) {
      messages += 1;
      bytes += view.message.dataSize;
    }
    const double taken = seconds(CLOCK_MONOTONIC) - started;
    if (taken < best) best = taken, cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
  }
  std::printf("{\"seconds\":%f,\"cpuSeconds\":%f,\"messages\":%llu,\"bytes\":%llu}\n", best, cpu, messages, bytes);
}
