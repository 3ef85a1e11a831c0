// Looked at as assembly: what one reading compiles to.
#include "truetick.hpp"

extern "C" truetick::clock::time_point probe() { return truetick::clock::now(); }

extern "C" truetick::clock::time_point probe_relaxed() { return truetick::clock::now_relaxed(); }

extern "C" truetick::system_clock::time_point probe_utc() { return truetick::system_clock::now(); }

extern "C" TruetickUtcReading probe_bounds() { return truetick_utc_now_with_bounds(); }
