// What a launch exercised: trips of loops, outcomes of guards.
//
// A proof speaks of one launch shape. It says little of a loop that ran once, where
// nothing is carried from one trip to the next, and nothing of the side of a bounds
// check that no thread took. The machine counts both for every run:
//
//   trips[loop]   the most trips of one entry, over all waves
//   taken[guard]  bit 0: false in some lane, bit 1: true in some lane
#pragma once

#include "machine/Program.h"

#include <map>
#include <string>

namespace layout_port::verify {

constexpr uint64_t kFullTrips = 3; // first, middle, last

// Of one program, by index into its loops and guards.
struct Coverage {
  std::vector<uint64_t> trips;
  std::vector<uint8_t> taken;
};

// By source line ("gemm.cu:31"), over the launches and copies of a line.
struct LineCoverage {
  struct Loop {
    uint64_t trips = 0, constantTrips = 0;
  };
  std::map<std::string, Loop> loops;
  std::map<std::string, uint8_t> guards;

  void add(const Program &program, const Coverage &coverage);
  // One line each for what ran too little: "loop at gemm.cu:20 ran 1 time".
  std::vector<std::string> thin() const;
};

} // namespace layout_port::verify
