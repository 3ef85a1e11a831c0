//! Facts about the machine that explain its clocks' numbers.
