// cpp/base/stopwatch.hpp: adds up the time spent in a part of a run; reading the clock takes about 50 ns per lap.
#pragma once

#include <chrono>

namespace polytomy {

class Lap {
 public:
    // Adds the time from here to the end of the scope to `seconds`.
    explicit Lap(double& seconds) noexcept : seconds_(seconds), begin_(std::chrono::steady_clock::now()) {}
    ~Lap() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;

 private:
    double& seconds_;
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace polytomy
