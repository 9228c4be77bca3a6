// cpp/base/stopwatch.hpp: adds up the time spent in some part of a run; two looks at the clock, some 50 ns, a lap.
#pragma once

#include <chrono>

namespace polytomy {

class Lap {
 public:
    // The time from here to the end of the scope is added to `seconds`.
    explicit Lap(double& seconds) noexcept : seconds_(seconds), begin_(std::chrono::steady_clock::now()) {}
    ~Lap() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
    Lap(const Lap&) = delete;
    Lap& operator=(const Lap&) = delete;

 private:
    double& seconds_;
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace polytomy
