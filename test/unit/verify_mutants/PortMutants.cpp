// lp-mutants FILE.hip LAUNCH.yaml [--most N]: mutants of a port, one line of figures.
//
// Ports change with the porter, so their survivors are not listed one by one: each must be the
// same code after -O2, or give the same values bit for bit on every input tried. What is missed,
// or survives for no reason, is printed, and the exit status is 1.
#include "Suite.h"

#include <llvm/Support/CommandLine.h>

using namespace layout_port::verify;

namespace {

llvm::cl::opt<std::string> file(llvm::cl::Positional, llvm::cl::Required, llvm::cl::desc("FILE"));
llvm::cl::opt<std::string> launch(llvm::cl::Positional, llvm::cl::Required,
                                  llvm::cl::desc("LAUNCH.yaml"));
llvm::cl::opt<unsigned> most("most", llvm::cl::init(40), llvm::cl::desc("About so many mutants"));
llvm::cl::opt<bool> list("list", llvm::cl::desc("Print every mutant"));

int fail(const std::string &why) {
  llvm::errs() << "lp-mutants: " << why << "\n";
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "Mutants of a port\n");
  llvm::Expected<LaunchFile> launches = readLaunchFile(launch);
  if (!launches)
    return fail(llvm::toString(launches.takeError()));
  MutantSuite suite(file, *launches);
  if (!suite.error().empty())
    return fail(suite.error());
  std::map<std::string, unsigned> reasons;
  unsigned unexplained = 0;
  static const char *const kinds[] = {"error", "value", "finding", "survivor", "missed"};
  const MutantTally t = suite.run(most, [&](const Mutation &mutation, const Judgement &judgement) {
    std::string why = kinds[judgement.kind];
    if (judgement.kind == Judgement::Survivor) {
      const std::optional<Survival> reason = suite.why();
      why = reason ? toString(*reason) : "no reason";
      ++reasons[why];
      unexplained += !reason;
    }
    if (list || judgement.kind == Judgement::Missed || why == "no reason")
      llvm::outs() << why << ": " << judgement.place << ", " << mutation.name
                   << judgement.instruction << "\n";
  });
  llvm::outs() << t.mutants << " mutants: " << t.byValue << " by value, " << t.byFinding
               << " by a finding, " << t.byError << " by an error, " << t.survivors << " survive";
  for (const auto &[why, count] : reasons)
    llvm::outs() << ", " << count << " " << why;
  llvm::outs() << ", " << t.missed << " missed\n";
  return t.missed || unexplained ? 1 : 0;
}
