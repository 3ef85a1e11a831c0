// Reads the clocks of C++: probe SAMPLES PAIRS. The protocol is in ../README.md.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

using Timer = std::chrono::steady_clock;

// What was read is kept, so that the compiler can't leave the reads out.
static volatile std::int64_t kept;

template <class Clock> std::int64_t count() { return Clock::now().time_since_epoch().count(); }

template <class Clock> void header(const char *label) {
    using Period = typename Clock::period;
    std::cout << "# clock " << label << ' ' << Period::num << '/' << Period::den << '\n';
    std::cout << "# claim " << label << " is_steady " << (Clock::is_steady ? "true" : "false") << '\n';
}

template <class Clock> std::int64_t timed(long n) {
    auto start = Timer::now();
    for (long i = 0; i < n; i++) kept = count<Clock>();
    return std::chrono::nanoseconds(Timer::now() - start).count();
}

template <class Clock> void costs(const char *label, long pairs) {
    long n = 20; // the least of three, since one may be interrupted
    while (pairs > 0 && std::min({timed<Clock>(n), timed<Clock>(n), timed<Clock>(n)}) < 100000) n *= 2;
    for (long i = 0; i < pairs; i++) {
        auto once = timed<Clock>(n);
        auto twice = timed<Clock>(2 * n);
        std::cout << "# pair " << label << ' ' << n << ' ' << once << ' ' << twice << '\n';
    }
}

template <class Clock> void readings(const char *label, std::vector<std::int64_t> &values) {
    for (auto &value : values) value = count<Clock>();
    for (auto value : values) std::cout << label << ' ' << value << '\n';
}

template <class Do> void each(Do what) {
    what.template operator()<std::chrono::steady_clock>("steady_clock");
    what.template operator()<std::chrono::system_clock>("system_clock");
    what.template operator()<std::chrono::high_resolution_clock>("high_resolution_clock");
}

struct Header { template <class Clock> void operator()(const char *label) { header<Clock>(label); } };
struct Costs { long pairs; template <class Clock> void operator()(const char *label) { costs<Clock>(label, pairs); } };
struct Readings {
    std::vector<std::int64_t> &values;
    template <class Clock> void operator()(const char *label) { readings<Clock>(label, values); }
};

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    std::ios::sync_with_stdio(false);
    std::cout << "# clockscope-probe/1\n";
#if defined _LIBCPP_VERSION
    std::cout << "# runtime libc++ " << _LIBCPP_VERSION << '\n';
#elif defined __GLIBCXX__
    std::cout << "# runtime libstdc++ " << _GLIBCXX_RELEASE << " (" << __GLIBCXX__ << ")\n";
#else
    std::cout << "# runtime C++ " << __cplusplus << '\n';
#endif
    std::cout << "# timer steady_clock\n";
    each(Header{});
    each(Costs{std::atol(argv[2])});
    std::vector<std::int64_t> values(std::atol(argv[1]), -1);
    each(Readings{values});
    std::cout << "# end" << std::endl;
    return std::cout ? 0 : 1;
}
