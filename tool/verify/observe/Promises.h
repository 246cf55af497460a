// What the author promises the porter in comments, held against what the source does.
//
//   // layout-port: assume uniform(x)   the 64 threads that become a wave agree on the condition
//                                      of this line or the next; (x) is for the reader
//   // layout-port: noalias(p)          nothing else leads to what the parameter p points to
//
// A port relies on them (rules/source/Steering.h). The machine runs the source with warps of 32:
//
//   warps 2w and 2w + 1 of a block   the lanes of each agree, and so do the two, trip by trip
//   a pointer argument called p      its buffer overlaps that of no other pointer argument
//
// Only conditions that are branches after -O1 are seen; what became a select cannot part lanes.
#pragma once

#include "observe/Observer.h"

#include <map>
#include <set>
#include <vector>

namespace layout_port::verify {

struct Launch;

struct Promises {
  struct Unaliased {
    std::string parameter;
    unsigned line = 0;
  };
  std::map<unsigned, unsigned> uniform; // line of the condition -> of the comment
  std::vector<Unaliased> unaliased;
  bool empty() const { return uniform.empty() && unaliased.empty(); }
};
Promises readPromises(const std::string &source); // the text of a file

class PromiseKeeper : public Observer {
public:
  // file: whose lines the promises name.
  PromiseKeeper(const Promises &promises, std::string file, Observer &sink)
      : promises_(promises), file_(std::move(file)), sink_(sink) {}
  bool wantsBranches() const override { return !promises_.uniform.empty(); }
  void onLaunch(const Program &program) override { program_ = &program; }
  void onBlock(const uint32_t (&)[3]) override { taken_.clear(); }
  void onBranch(const Wave &wave, uint32_t location, const std::vector<uint64_t> &lanes) override;

private:
  void report(const Wave &wave, uint32_t location, unsigned comment, const std::string &who);

  const Promises &promises_;
  std::string file_;
  Observer &sink_;
  const Program *program_ = nullptr;
  // Ways taken at a line, by wave.
  std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> taken_;
};

// What of a launch breaks a promise about pointers, one line each. extents: of the buffers that
// the launch knows, by address; memory: where the others end.
struct AliasCheck {
  std::vector<std::string> broken, unclear;
};
AliasCheck checkAliases(const Promises &promises, const std::string &file, const Program &program,
                        const Launch &launch, const std::map<uint64_t, uint64_t> &extents,
                        const GlobalMemory &memory);

} // namespace layout_port::verify
