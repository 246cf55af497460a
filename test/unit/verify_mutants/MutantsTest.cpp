// Does the proof notice mistakes? Mutants of six kernels (Suite.h). One that survives must stand
// in Survivors.inc with its reason, and the reason is checked; a survivor that is not listed
// fails the test.
#include "Suite.h"

#include <gtest/gtest.h>

namespace layout_port::verify {
namespace {

void checkSurvivor(MutantSuite &suite, const Mutation &mutation, const Judgement &judgement) {
  if (const Survivor *known = findSurvivor(judgement.place, mutation.name)) {
    EXPECT_TRUE(suite.holds(known->reason))
        << judgement.place << ", " << mutation.name << ": it survives for another reason than "
        << known->why;
    return;
  }
  const std::optional<Survival> reason = suite.why();
  ADD_FAILURE() << "an unclassified survivor: " << judgement.place << ", " << mutation.name << "; "
                << (reason ? toString(*reason) : "none of the reasons") << "\n"
                << judgement.instruction;
}

MutantTally runSuite(const std::string &kernel, size_t most) {
  const std::string base = std::string(KERNEL_FOLDER) + "/" + kernel;
  llvm::Expected<LaunchFile> file = readLaunchFile(base + ".yaml");
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return MutantTally();
  }
  MutantSuite suite(base + ".cu", *file);
  EXPECT_EQ(suite.error(), "") << kernel;
  if (!suite.error().empty())
    return MutantTally();
  return suite.run(most, [&](const Mutation &mutation, const Judgement &judgement) {
    if (judgement.kind == Judgement::Missed)
      ADD_FAILURE() << "missed: " << judgement.place << ", " << mutation.name << "\n"
                    << judgement.instruction;
    if (judgement.kind == Judgement::Survivor)
      checkSurvivor(suite, mutation, judgement);
  });
}

TEST(Mutants, EveryChangeOfBehaviourIsCaught) {
  MutantTally total;
  for (const char *kernel :
       {"gemm_f16", "attention", "gemm_s8", "reduction", "scan", "transpose"}) {
    const MutantTally t = runSuite(kernel, 45);
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
