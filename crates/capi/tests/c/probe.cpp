// Looked at as assembly: what one reading compiles to.
#include "truetick.hpp"

extern "C" truetick::clock::time_point probe() { return truetick::clock::now(); }

extern "C" truetick::clock::time_point probe_relaxed() { return truetick::clock::now_relaxed(); }
