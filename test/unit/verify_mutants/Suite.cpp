#include "Suite.h"

#include "decode/Decoder.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace layout_port::verify {
namespace {

// In the kernel's own file: what a header does stands where it is called.
std::string lineOf(const llvm::Instruction &instruction) {
  const llvm::DILocation *place = instruction.getDebugLoc();
  const llvm::StringRef own = instruction.getFunction()->getSubprogram()->getFilename();
  while (place && place->getFilename() != own && place->getInlinedAt())
    place = place->getInlinedAt();
  return place ? std::to_string(place->getLine()) : "0";
}

std::string describe(const llvm::Instruction &instruction) {
  std::string text;
  llvm::raw_string_ostream(text) << instruction;
  return text;
}

} // namespace

void add(MutantTally &tally, Judgement::Kind kind) {
  ++tally.mutants;
  switch (kind) {
  case Judgement::Error:
    ++tally.byError;
    break;
  case Judgement::Value:
    ++tally.byValue;
    break;
  case Judgement::Finding:
    ++tally.byFinding;
    break;
  case Judgement::Survivor:
    ++tally.survivors;
    break;
  case Judgement::Missed:
    ++tally.missed;
    break;
  }
}

const char *toString(Survival reason) {
  return reason == Survival::SameCode     ? "same code"
         : reason == Survival::SameValues ? "same values"
                                          : "order of a sum";
}

MutantSuite::MutantSuite(const std::string &source, LaunchFile launches)
    : source_(source), file_(std::move(launches)),
      hip_(llvm::sys::path::extension(source) == ".hip") {
  llvm::Expected<CompiledModule> module = compileDevice(source, CompileOptions());
  if (!module) {
    error_ = llvm::toString(module.takeError());
    return;
  }
  original_ = std::make_unique<Side>(std::move(*module), hip_);
  RunOptions first = options(Domain::Field, 1);
  first.limits = Limits();
  const RunResult run = original_->run(file_, first);
  error_ = !run.error.empty()      ? run.error
           : !run.findings.empty() ? run.findings.front().text
           : !run.gaveUp.empty()   ? *run.gaveUp.begin()
                                   : "";
  steps_ = run.steps;
}
MutantSuite::~MutantSuite() = default;

RunOptions MutantSuite::options(Domain domain, uint64_t seed) const {
  RunOptions o;
  o.domain = domain;
  o.seed = seed;
  o.observe = domain == Domain::Field;
  o.limits.steps = 3 * steps_ + 10 * 1000;
  return o;
}

const RunResult &MutantSuite::reference(Domain domain, uint64_t seed) {
  auto [entry, added] = references_.try_emplace({unsigned(domain), seed});
  if (added)
    entry->second = original_->run(file_, options(domain, seed));
  return entry->second;
}

// Bit for bit, on as many inputs.
bool MutantSuite::sameBits(Domain domain, uint64_t seeds) {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const RunResult mutant = mutant_->run(file_, options(domain, seed));
    for (const auto &[name, image] : reference(domain, seed).buffers)
      if (!mutant.error.empty() || mutant.buffers.at(name).bytes != image.bytes)
        return false;
  }
  return true;
}

bool MutantSuite::holds(Survival reason) {
  switch (reason) {
  case Survival::SameCode:
    return optimized(*original_->compiled().module) == optimized(*kept_);
  case Survival::SameValues:
    return sameBits(Domain::Float, 6) && sameBits(Domain::Field, 6);
  case Survival::OrderOfSum:
    return sameBits(Domain::Field, 6) && sameBits(Domain::Exact, 6);
  }
  return false;
}

std::optional<Survival> MutantSuite::why() {
  for (Survival reason : {Survival::SameValues, Survival::OrderOfSum})
    if (holds(reason))
      return holds(Survival::SameCode) ? Survival::SameCode : reason;
  return std::nullopt;
}

bool MutantSuite::differsInNumbers() {
  for (Domain domain : {Domain::Exact, Domain::Float})
    for (uint64_t seed : {1, 2, 3}) {
      const RunResult mutant = mutant_->run(file_, options(domain, seed));
      if (!mutant.error.empty() ||
          compareOutputs(file_, options(domain, seed), reference(domain, seed), mutant).found)
        return true;
    }
  return false;
}

Judgement::Kind MutantSuite::judge() {
  const RunOptions field = options(Domain::Field, 1);
  const RunResult run = mutant_->run(file_, field);
  if (!run.error.empty())
    return Judgement::Error;
  if (compareOutputs(file_, field, reference(Domain::Field, 1), run).found)
    return Judgement::Value;
  if (!run.findings.empty())
    return Judgement::Finding;
  return differsInNumbers() ? Judgement::Missed : Judgement::Survivor;
}

MutantTally
MutantSuite::run(size_t most,
                 const std::function<void(const Mutation &, const Judgement &)> &judged) {
  MutantTally tally;
  const llvm::Module &original = *original_->compiled().module;
  const LaunchSpec &launch = file_.launches[0];
  llvm::Expected<const llvm::Function *> found =
      findKernel(original, hip_ ? launch.kernelHip : launch.kernel);
  if (!found) {
    error_ = llvm::toString(found.takeError());
    return tally;
  }
  const llvm::Function &kernel = **found;
  const std::vector<Mutation> all = listMutations(kernel);
  const size_t step = std::max<size_t>(1, (all.size() + most - 1) / most);
  for (size_t i = 0; i < all.size(); i += step) {
    const llvm::Instruction &changed = *std::next(llvm::inst_begin(kernel), all[i].instruction);
    CompiledModule compiled; // in the original's context: one thread
    compiled.module = llvm::CloneModule(original);
    apply(all[i], *compiled.module->getFunction(kernel.getName()));
    kept_ = llvm::CloneModule(*compiled.module);
    mutant_ = std::make_unique<Side>(std::move(compiled), hip_);
    Judgement judgement;
    judgement.place = llvm::sys::path::filename(source_).str() + ":" + lineOf(changed);
    judgement.instruction = describe(changed);
    judgement.kind = judge();
    add(tally, judgement.kind);
    judged(all[i], judgement);
  }
  return tally;
}

} // namespace layout_port::verify
