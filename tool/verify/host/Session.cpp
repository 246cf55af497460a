// See Session.h.
#include "host/Session.h"

#include "decode/Names.h"
#include "host/Compare.h"
#include "host/Prove.h"
#include "host/Running.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/xxhash.h>

#include <thread>

namespace layout_port::verify {
namespace {

// Of all that is on both devices.
uint64_t hashOf(Running &left, Running &right) {
  uint64_t hash = 0;
  for (Running *side : {&left, &right}) {
    const Arena &arena = side->device().memory().arena;
    hash = mix(hash ^ llvm::xxh3_64bits(arena.bytes));
    hash = mix(hash ^ llvm::xxh3_64bits(arena.shadow));
  }
  return hash;
}

// Adds what one launch executed.
void addCounts(Counts &all, const Counts &one) {
  all.arch = one.arch;
  all.total.add(one.total);
  for (const KernelCounts &kernel : one.kernels) {
    auto known = llvm::find_if(
        all.kernels, [&](const KernelCounts &other) { return other.kernel == kernel.kernel; });
    if (known == all.kernels.end()) {
      all.kernels.push_back(kernel);
      continue;
    }
    known->launches += kernel.launches;
    known->waves += kernel.waves;
    known->tally.add(kernel.tally);
    for (size_t i = 0; i < std::min(known->loops.size(), kernel.loops.size()); ++i) {
      known->loops[i].trips += kernel.loops[i].trips;
      known->loops[i].tally.add(kernel.loops[i].tally);
    }
  }
}

// What becomes of one launch on one side.
struct Outcome {
  RunResult result;
  ReadSet reads;
};

class Session {
public:
  Session(HostedProgram &left, HostedProgram &right, const SessionOptions &options)
      : left_(left), right_(right), options_(options) {}

  // trace: the launch to find the writers of a difference in; 0: none. compareOnly: look for the
  // first difference that host code makes, and prove nothing.
  Report run(unsigned trace, bool compareOnly);
  bool hostDiffers() const { return hostDiffers_; }
  unsigned launches() const { return count_; }

private:
  bool alone() const { return &left_ == &right_; }
  std::string start(Running &left, Running &right);
  bool step(Running &left, Running &right);
  bool finish(Running &left, Running &right, const Stop &a, const Stop &b);
  bool sameLaunch(const Stop &a, const Stop &b);
  bool sameMemories(Running &left, Running &right, const RecordedLaunch *after);
  bool runBoth(Running &left, Running &right, const Stop &a, const Stop &b);
  void collectFindings();
  bool judgeFindings(const RecordedLaunch &launch);
  bool runAndJudge(Running &left, Running &right, const Stop &a, const Stop &b,
                   const std::string &key);
  bool proveNew(const ProofSide &left, const ProofSide &right, const std::string &key);
  bool take(const LaunchProof &proof, LaunchReport &line);
  void conclude(Running &left, Running &right);
  bool trouble(std::string reason);
  bool refute(std::string reason);
  std::string at(const RecordedLaunch &launch) const {
    return "launch " + std::to_string(count_) + " (" + launch.name + ")";
  }
  template <class Left, class Right> void both(Left doLeft, Right doRight) {
    if (alone()) { // one set of decoded programs
      doLeft();
      doRight();
      return;
    }
    std::thread other(doRight);
    doLeft();
    other.join();
  }

  HostedProgram &left_, &right_;
  const SessionOptions &options_;
  Report report_;
  unsigned count_ = 0, trace_ = 0;
  bool compareOnly_ = false, rounded_ = false, hostDiffers_ = false;
  std::vector<BufferPair> pairs_;
  Outcome leftOutcome_, rightOutcome_;
  std::map<std::string, size_t> known_; // launches, by key, to report_.launches
  std::set<std::pair<std::string, uint64_t>> fixpoints_;
  std::set<std::string> leftTexts_, rightTexts_;
  std::string bothFind_; // a finding of the source's that the port has too
};

bool Session::trouble(std::string reason) {
  report_.verdict = Verdict::Trouble;
  report_.reason = std::move(reason);
  return false;
}

bool Session::refute(std::string reason) {
  report_.verdict = Verdict::Refuted;
  report_.reason = std::move(reason);
  return false;
}

std::string Session::start(Running &left, Running &right) {
  auto startOne = [&](Running &side, HostedProgram &program) {
    std::vector<std::string> words = {program.path()};
    words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
    const std::string problem = side.start(program.host, words);
    return problem.empty() ? "" : program.path() + ": " + problem;
  };
  // One after the other, before any thread: both fork.
  std::string problem = startOne(left, left_);
  return problem.empty() ? startOne(right, right_) : problem;
}

Report Session::run(unsigned trace, bool compareOnly) {
  trace_ = trace;
  compareOnly_ = compareOnly;
  uint64_t heap = 0;
  for (HostedProgram *program : {&left_, &right_}) {
    llvm::Expected<const Program *> kernel = anyKernel(program->side);
    if (!kernel) {
      trouble(program->path() + ": " + llvm::toString(kernel.takeError()));
      return report_;
    }
    heap = std::max(heap, (*kernel)->globalBytes);
  }
  heap = kGlobalBase + llvm::alignTo(heap, uint64_t(1) << 20);
  Running left(left_.side, heap, options_.host, options_.proof.limits);
  Running right(right_.side, heap, options_.host, options_.proof.limits);
  if (const std::string problem = start(left, right); !problem.empty()) {
    trouble(problem);
    return report_;
  }
  while (step(left, right)) {
  }
  return report_;
}

// One launch; false when there is nothing more to do.
bool Session::step(Running &left, Running &right) {
  Stop a, b;
  both([&] { a = left.next(); }, [&] { b = right.next(); });
  if (a.kind != Stop::Launch || b.kind != Stop::Launch)
    return finish(left, right, a, b);
  ++count_;
  if (!sameLaunch(a, b) || !sameMemories(left, right, nullptr))
    return false;
  const std::string key = launchKey(left.device(), a.launch);
  if (!runAndJudge(left, right, a, b, key))
    return false;
  if (auto entry = known_.find(key); entry != known_.end())
    ++report_.launches[entry->second].times;
  left.resume();
  right.resume();
  return true;
}

bool Session::runAndJudge(Running &left, Running &right, const Stop &a, const Stop &b,
                          const std::string &key) {
  // A launch that changed nothing changes nothing again: benchmarks repeat theirs by the hundred.
  const bool repeated = known_.count(key) != 0;
  const uint64_t before = repeated ? hashOf(left, right) : 0;
  if (repeated && fixpoints_.count({key, before}))
    return true;
  const bool isNew = !compareOnly_ && !repeated;
  const GlobalMemory leftBefore = isNew ? left.device().memory() : GlobalMemory();
  const GlobalMemory rightBefore = isNew ? right.device().memory() : GlobalMemory();
  if (!runBoth(left, right, a, b))
    return false;
  collectFindings();
  if (!sameMemories(left, right, &a.launch) || !judgeFindings(a.launch))
    return false;
  if (repeated && hashOf(left, right) == before)
    fixpoints_.insert({key, before});
  return !isNew || proveNew({left_.side, left.device(), a.launch, leftBefore},
                            {right_.side, right.device(), b.launch, rightBefore}, key);
}

// At least one main is no longer running.
bool Session::finish(Running &left, Running &right, const Stop &a, const Stop &b) {
  const std::string after = count_ ? " after launch " + std::to_string(count_) : "";
  if (a.kind == Stop::Trouble)
    return trouble(left_.path() + ": main " + a.text + after);
  if (a.kind == Stop::End && a.status != 0 && b.kind != Stop::Launch)
    return trouble(left_.path() + ": main " + a.text + after + ": it must succeed to be compared");
  if (b.kind == Stop::Trouble && !b.crashed)
    return trouble(right_.path() + ": main " + b.text + after);
  auto told = [&](const Stop &stop) {
    return stop.kind == Stop::Launch ? "launches " + stop.launch.name : stop.text;
  };
  if (a.kind != b.kind || a.status != b.status)
    return refute("the mains part" + after + ": the source's " + told(a) + ", the port's " +
                  told(b));
  if (count_ == 0)
    return trouble(left_.path() + ": main ends without a launch: there is nothing to compare");
  if (!compareOnly_)
    conclude(left, right);
  return false;
}

// A block of an odd number of warps may be padded to whole waves: what it computes is compared as
// ever.
static bool isPadded(const RecordedLaunch &source, const RecordedLaunch &port) {
  RecordedLaunch padded = source;
  padded.launch.block = paddedBlock(source.launch.block);
  return padded.shape() == port.shape();
}

bool Session::sameLaunch(const Stop &a, const Stop &b) {
  const std::string x = a.launch.name + ", " + a.launch.shape();
  const std::string y = b.launch.name + ", " + b.launch.shape();
  if (comparableName(a.launch.name) == comparableName(b.launch.name) &&
      (a.launch.shape() == b.launch.shape() || isPadded(a.launch, b.launch)))
    return true;
  return refute("launch " + std::to_string(count_) + " differs: the source launches " + x +
                "; the port launches " + y);
}

// after: the launch that has just run; null before it.
bool Session::sameMemories(Running &left, Running &right, const RecordedLaunch *after) {
  llvm::Expected<std::vector<BufferPair>> pairs = pairBuffers(left.device(), right.device());
  if (!pairs) {
    hostDiffers_ = true;
    return refute("before launch " + std::to_string(count_) + ", " +
                  llvm::toString(pairs.takeError()));
  }
  pairs_ = std::move(*pairs);
  const MemoryDifference found = compareMemories(left.device(), right.device(), pairs_, rounded_);
  if (!found.difference.found)
    return true;
  report_.difference = found.difference;
  if (!after) {
    hostDiffers_ = true;
    return refute("before launch " + std::to_string(count_) +
                  ", the mains have put different data into buffer " + found.spec.name);
  }
  if (leftOutcome_.result.writers.count(found.spec.name)) {
    const unsigned width = found.spec.type.bytes;
    report_.difference.leftWriter = describeWriter(leftOutcome_.result, found.difference, width);
    report_.difference.rightWriter = describeWriter(rightOutcome_.result, found.difference, width);
  }
  refute(at(*after) + " leaves different values in buffer " + found.spec.name);
  if (found.untyped) {
    report_.verdict = Verdict::Unknown;
    report_.reason += ", whose element type no kernel says: the bytes may differ by rounding";
  }
  return false;
}

bool Session::runBoth(Running &left, Running &right, const Stop &a, const Stop &b) {
  RunOptions options;
  options.domain = Domain::Float;
  options.observe = options_.proof.observe;
  options.trace = trace_ == count_;
  options.limits = options_.proof.limits;
  auto runOne = [&](Running &side, const Stop &stop, Outcome &outcome, bool isLeft) {
    outcome = Outcome();
    GlobalMemory memory = side.device().memory();
    LaunchRunner runner(memory, nullptr, options, outcome.result);
    runner.watch(outcome.reads);
    for (const BufferPair &pair : pairs_) {
      const DeviceBuffer &own = side.device().buffers()[isLeft ? pair.left : pair.right];
      runner.watch(left.device().buffers()[pair.left].name, own.address, own.bytes);
    }
    runner.run(*stop.launch.code, stop.launch.launch, stop.launch.name);
    runner.finish();
    side.device().take(memory);
  };
  both([&] { runOne(left, a, leftOutcome_, true); },
       [&] { runOne(right, b, rightOutcome_, false); });
  for (auto [outcome, program] :
       {std::pair(&leftOutcome_, &left_), std::pair(&rightOutcome_, &right_)}) {
    if (outcome->result.error.empty())
      continue;
    report_.verdict = Verdict::Unknown;
    report_.reason = program->path() + ": " + at(a.launch) + ": " + outcome->result.error;
    report_.leftFindings = leftOutcome_.result.findings;
    report_.rightFindings = rightOutcome_.result.findings;
    if (program == &right_ && !alone() && !report_.rightFindings.empty())
      report_.verdict = Verdict::Refuted;
    return false;
  }
  return true;
}

void Session::collectFindings() {
  auto collect = [&](const RunResult &result, std::vector<Finding> &all,
                     std::set<std::string> &texts) {
    for (Finding finding : result.findings)
      if (texts.insert(finding.text).second) {
        finding.text = "launch " + std::to_string(count_) + ": " + finding.text;
        all.push_back(finding);
      }
  };
  collect(leftOutcome_.result, report_.leftFindings, leftTexts_);
  collect(rightOutcome_.result, report_.rightFindings, rightTexts_);
  addCounts(report_.leftCounts, leftOutcome_.result.counts);
  addCounts(report_.rightCounts, rightOutcome_.result.counts);
}

// The port must be clean where the source is.
bool Session::judgeFindings(const RecordedLaunch &launch) {
  std::set<ProblemKind> kinds;
  for (const Finding &finding : leftOutcome_.result.findings)
    kinds.insert(finding.kind);
  for (const Finding &finding : rightOutcome_.result.findings)
    if (!kinds.count(finding.kind))
      return refute("the values agree after " + at(launch) + ", but " + finding.text);
  if (!rightOutcome_.result.findings.empty() && bothFind_.empty())
    bothFind_ = report_.rightFindings.front().text;
  return true;
}

// The first launch of its kind: for which inputs does it hold? False when it is refuted.
bool Session::proveNew(const ProofSide &left, const ProofSide &right, const std::string &key) {
  known_[key] = report_.launches.size();
  LaunchReport line;
  line.kernel = left.launch.name;
  line.shape = left.launch.shape();
  line.first = count_;
  bool holds = true;
  const uint64_t steps = std::max(leftOutcome_.result.steps, rightOutcome_.result.steps);
  if (steps > options_.proofSteps)
    line.reason = "it takes " + std::to_string(steps / 1000000) +
                  " million steps: compared on main's data only; smaller sizes (--args) would be "
                  "proved";
  else if (report_.launches.size() < options_.proofs)
    holds = take(proveLaunch(left, right, pairs_, leftOutcome_.reads, options_.proof), line);
  else
    line.reason = "one of many launches: compared on main's data only";
  report_.launches.push_back(std::move(line));
  return holds;
}

// What the proof of one launch means for the program.
bool Session::take(const LaunchProof &proof, LaunchReport &line) {
  const Report &found = proof.report;
  if (found.verdict == Verdict::Refuted ||
      (found.verdict == Verdict::Unknown && found.difference.found)) {
    line.verdict = report_.verdict = found.verdict;
    report_.reason = "launch " + std::to_string(count_) + " (" + line.kernel +
                     ") agrees on main's data, but not on other data: " + found.reason;
    report_.difference = found.difference;
    report_.leftFindings = found.leftFindings;
    report_.rightFindings = found.rightFindings;
    return false;
  }
  report_.limits.insert(found.limits.begin(), found.limits.end());
  for (const std::string &thin : found.thin)
    if (!llvm::is_contained(report_.thin, thin))
      report_.thin.push_back(thin);
  for (const std::string &thin : found.thinPort)
    if (!llvm::is_contained(report_.thinPort, thin))
      report_.thinPort.push_back(thin);
  report_.assumptions.insert(found.assumptions.begin(), found.assumptions.end());
  report_.seeds = found.seeds.size() > report_.seeds.size() ? found.seeds : report_.seeds;
  report_.bound = std::max(report_.bound, found.bound);
  report_.degree = std::max(report_.degree, found.degree);
  report_.shadowed |= found.shadowed;
  if (report_.degreeAssumed.empty())
    report_.degreeAssumed = found.degreeAssumed;
  report_.prime = found.prime;
  for (const std::string &domain : found.domains)
    if (!llvm::is_contained(report_.domains, domain))
      report_.domains.push_back(domain);
  line.verdict = Verdict::Tested;
  if (found.verdict == Verdict::Proved && proof.kept.empty())
    line.verdict = Verdict::Proved;
  else if (found.verdict == Verdict::Proved)
    line.reason = "for what main put into " + llvm::join(proof.kept, ", ");
  else
    line.reason = found.reason;
  return true;
}

// Both mains have ended well, and every launch agreed.
void Session::conclude(Running &left, Running &right) {
  const size_t tested = size_t(llvm::count_if(report_.launches, [](const LaunchReport &launch) {
    return launch.verdict != Verdict::Proved;
  }));
  const std::string launches =
      count_ == 1 ? "main's one launch" : "each of main's " + std::to_string(count_) + " launches";
  report_.domains.push_back("main's data");
  report_.limits.insert("streams run in the order of their calls: missing synchronisation is "
                        "not seen");
  for (auto [side, program] : {std::pair(&left, &left_), std::pair(&right, &right_)})
    if (!side->device().firstError().empty())
      report_.limits.insert(program->path() + ": " + side->device().firstError() +
                            ", and main went on");
  if (!bothFind_.empty()) {
    report_.verdict = Verdict::Unknown;
    report_.reason = "the values agree, but both sides have findings: " + bothFind_;
    return;
  }
  if (tested == 0) {
    report_.verdict = Verdict::Proved;
    report_.reason = launches + " is equal for all inputs, up to rounding, for its shape and "
                                "arguments, and every buffer agrees after it on main's data";
    return;
  }
  report_.verdict = Verdict::Tested;
  report_.reason =
      "every buffer agrees after " + launches +
      (rounded_ ? " on main's data, up to rounding" : " on main's data, bit for bit") +
      (tested == report_.launches.size() ? ""
                                         : "; " + std::to_string(report_.launches.size() - tested) +
                                               " of " + std::to_string(report_.launches.size()) +
                                               " kinds of launch are proved for all inputs");
}

} // namespace

Report verifyProgram(HostedProgram &source, HostedProgram &port, const SessionOptions &options) {
  Session session(source, port, options);
  Report report = session.run(0, false);
  if (session.hostDiffers()) {
    Session again(source, source, options);
    const Report self = again.run(0, true);
    if (again.hostDiffers()) {
      report.verdict = Verdict::Unknown;
      report.reason = "main is not repeatable: two runs of the source differ " +
                      ("before launch " + std::to_string(again.launches()));
    }
    return report;
  }
  if (report.verdict != Verdict::Refuted || !report.difference.found ||
      !report.difference.leftWriter.empty())
    return report;
  // Again, remembering who writes what in the launch that went wrong.
  Report traced = Session(source, port, options).run(session.launches(), true);
  if (traced.difference.found) {
    report.difference.leftWriter = traced.difference.leftWriter;
    report.difference.rightWriter = traced.difference.rightWriter;
  }
  return report;
}

} // namespace layout_port::verify
