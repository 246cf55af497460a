// Does the proof notice mistakes? Every mutant of every kernel is run against its
// original. The judge is IEEE arithmetic on several inputs: whole numbers, where
// nothing rounds, bit for bit, and random numbers within tolerance. A mutant whose
// outputs ever differ there must be caught by the field domain, by an observer or
// by an error. A mutant that survives must stand in Survivors.inc with its reason, and
// the reason is checked; a survivor that is not listed fails the test.
#include "Mutations.h"
#include "Survivors.h"

#include "decode/Decoder.h"
#include "proof/Verify.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <gtest/gtest.h>

namespace layout_port::verify {
namespace {

struct Tally {
  unsigned mutants = 0, byValue = 0, byFinding = 0, byError = 0, survivors = 0, missed = 0;
};

// In the kernel's own file: what a header does stands where it is called.
std::string lineOf(const llvm::Instruction &instruction) {
  const llvm::DILocation *place = instruction.getDebugLoc();
  const llvm::StringRef own = instruction.getFunction()->getSubprogram()->getFilename();
  while (place && place->getFilename() != own && place->getInlinedAt())
    place = place->getInlinedAt();
  return place ? std::to_string(place->getLine()) : "0";
}

const llvm::Instruction &instructionAt(const llvm::Function &function, unsigned index) {
  return *std::next(llvm::inst_begin(function), index);
}

class Suite {
public:
  explicit Suite(const std::string &kernel) : kernel_(kernel) {}

  Tally run(size_t most) {
    const std::string base = std::string(KERNEL_FOLDER) + "/" + kernel_;
    llvm::Expected<LaunchFile> file = readLaunchFile(base + ".yaml");
    llvm::Expected<CompiledModule> module = compileDevice(base + ".cu", CompileOptions());
    if (!file || !module) {
      ADD_FAILURE() << kernel_ << ": "
                    << llvm::toString(!file ? file.takeError() : module.takeError());
      if (file)
        llvm::consumeError(module.takeError());
      return tally_;
    }
    file_ = *file;
    const llvm::Module &original = *module->module;
    auto function = findKernel(original, file_.launches[0].kernel);
    EXPECT_TRUE(bool(function));
    const std::vector<Mutation> all = listMutations(**function);
    const std::string name = function_ = (*function)->getName().str();
    // Evenly spread over the kernel.
    const size_t step = std::max<size_t>(1, (all.size() + most - 1) / most);
    for (size_t i = 0; i < all.size(); i += step) {
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(original);
      place_ = kernel_ + ".cu:" + lineOf(instructionAt(**function, all[i].instruction));
      apply(all[i], *copy->getFunction(name));
      judge(all[i], original, std::move(copy));
    }
    return tally_;
  }

private:
  static RunOptions options(Domain domain, uint64_t seed) {
    RunOptions o;
    o.domain = domain;
    o.seed = seed;
    o.observe = domain == Domain::Field;
    o.limits.steps = 60 * 1000;
    return o;
  }

  // Mutants live in the original's context: one thread, and no context of their own.
  RunResult runModule(Side &side, Domain domain, uint64_t seed) {
    return side.run(file_, options(domain, seed));
  }
  const RunResult &reference(Domain domain, uint64_t seed) {
    auto [entry, added] = references_.try_emplace({unsigned(domain), seed});
    if (added) {
      if (!base_) {
        llvm::Expected<CompiledModule> module =
            compileDevice(std::string(KERNEL_FOLDER) + "/" + kernel_ + ".cu", CompileOptions());
        base_ = std::make_unique<Side>(std::move(*module), false);
      }
      entry->second = runModule(*base_, domain, seed);
      EXPECT_EQ(entry->second.error, "");
      EXPECT_TRUE(entry->second.findings.empty()) << entry->second.findings.front().text;
    }
    return entry->second;
  }

  // Bit for bit, on as many inputs.
  bool sameBits(Side &side, Domain domain, uint64_t seeds) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      const RunResult mutant = runModule(side, domain, seed);
      const RunResult &original = reference(domain, seed);
      for (const auto &[name, image] : original.buffers)
        if (!mutant.error.empty() || mutant.buffers.at(name).bytes != image.bytes)
          return false;
    }
    return true;
  }

  bool holds(Survival reason, const llvm::Module &original, const std::string &mutant, Side &side) {
    switch (reason) {
    case Survival::SameCode:
      return optimized(original) == mutant;
    case Survival::SameValues:
      return sameBits(side, Domain::Float, 6) && sameBits(side, Domain::Field, 6);
    case Survival::OrderOfSum:
      return sameBits(side, Domain::Field, 6) && sameBits(side, Domain::Exact, 6);
    }
    return false;
  }

  bool differsInNumbers(Side &side) {
    for (Domain domain : {Domain::Exact, Domain::Float})
      for (uint64_t seed : {1, 2, 3}) {
        const RunResult mutant = runModule(side, domain, seed);
        if (!mutant.error.empty() ||
            compareOutputs(file_, options(domain, seed), reference(domain, seed), mutant).found)
          return true;
      }
    return false;
  }

  void judge(const Mutation &mutation, const llvm::Module &original,
             std::unique_ptr<llvm::Module> module) {
    ++tally_.mutants;
    std::unique_ptr<llvm::Module> kept = llvm::CloneModule(*module);
    CompiledModule compiled;
    compiled.module = std::move(module);
    Side side(std::move(compiled), false);
    const RunResult mutant = runModule(side, Domain::Field, 1);
    if (!mutant.error.empty()) {
      ++tally_.byError;
      return;
    }
    if (compareOutputs(file_, options(Domain::Field, 1), reference(Domain::Field, 1), mutant)
            .found) {
      ++tally_.byValue;
      return;
    }
    if (!mutant.findings.empty()) {
      ++tally_.byFinding;
      return;
    }
    if (differsInNumbers(side)) {
      ++tally_.missed;
      ADD_FAILURE() << kernel_ << ": missed: instruction " << mutation.instruction << ", "
                    << mutation.name;
      return;
    }
    ++tally_.survivors;
    const Survivor *known = findSurvivor(place_, mutation.name);
    if (!known) {
      ADD_FAILURE() << "an unclassified survivor: " << place_ << ", " << mutation.name << "; "
                    << (optimized(*kept) == optimized(original) ? "same code"
                        : sameBits(side, Domain::Float, 6) && sameBits(side, Domain::Field, 6)
                            ? "same values"
                        : sameBits(side, Domain::Field, 6) ? "order of a sum"
                                                           : "none of the reasons")
                    << "\n"
                    << describe(
                           instructionAt(*original.getFunction(function_), mutation.instruction));
      return;
    }
    EXPECT_TRUE(holds(known->reason, original, optimized(*kept), side))
        << place_ << ", " << mutation.name << ": it survives for another reason than "
        << known->why;
  }

  static std::string describe(const llvm::Instruction &instruction) {
    std::string text;
    llvm::raw_string_ostream(text) << instruction;
    return text;
  }

  std::string kernel_, function_, place_;
  LaunchFile file_;
  Tally tally_;
  std::unique_ptr<Side> base_;
  std::map<std::pair<unsigned, uint64_t>, RunResult> references_;
};

TEST(Mutants, EveryChangeOfBehaviourIsCaught) {
  Tally total;
  for (const char *kernel :
       {"gemm_f16", "attention", "gemm_s8", "reduction", "scan", "transpose"}) {
    const Tally t = Suite(kernel).run(45);
    printf("%-10s %3u mutants: %3u by value, %3u by a finding, %3u by an error, %3u survive, "
           "%u missed\n",
           kernel, t.mutants, t.byValue, t.byFinding, t.byError, t.survivors, t.missed);
    total.mutants += t.mutants;
    total.byValue += t.byValue;
    total.byFinding += t.byFinding;
    total.missed += t.missed;
  }
  EXPECT_GE(total.mutants, 200u);
  EXPECT_EQ(total.missed, 0u);
  EXPECT_GT(total.byValue, total.mutants / 3);
  EXPECT_GT(total.byFinding, 0u); // races and missing waits need an observer
}

} // namespace
} // namespace layout_port::verify
