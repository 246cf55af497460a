// Does the proof notice mistakes? Every mutant of every kernel is run against its
// original. The judge is IEEE arithmetic on several inputs: whole numbers, where
// nothing rounds, bit for bit, and random numbers within tolerance. A mutant whose
// outputs ever differ there must be caught by the field domain, by an observer or
// by an error. Survivors change nothing but perhaps the order of a sum (a butterfly
// that starts with xor 17 instead of 16 adds the same lanes) and count as harmless.
#include "Mutations.h"

#include "decode/Decoder.h"
#include "proof/Verify.h"

#include <llvm/Transforms/Utils/Cloning.h>

#include <gtest/gtest.h>

namespace layout_port::verify {
namespace {

struct Tally {
  unsigned mutants = 0, byValue = 0, byFinding = 0, byError = 0, survivors = 0, missed = 0;
};

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
    const std::string name = (*function)->getName().str();
    // Evenly spread over the kernel.
    const size_t step = std::max<size_t>(1, (all.size() + most - 1) / most);
    for (size_t i = 0; i < all.size(); i += step) {
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(original);
      apply(all[i], *copy->getFunction(name));
      judge(all[i], std::move(copy));
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

  void judge(const Mutation &mutation, std::unique_ptr<llvm::Module> module) {
    ++tally_.mutants;
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
  }

  std::string kernel_;
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
    printf("%-10s %3u mutants: %3u by value, %3u by a finding, %3u by an error, %3u harmless, "
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
