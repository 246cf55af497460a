#include "commands/port/Notes.h"

#include "check/LdsLimit.h"

#include "llvm/ADT/STLExtras.h"

namespace layout_port {

static unsigned lineOf(const Program &program, unsigned file, unsigned offset) {
  unsigned line = 0, column = 0;
  program.file(file).tokens.lineAndColumn(offset, line, column);
  return line;
}

static std::string placeText(const Program &program, Place place) {
  return program.file(place.first).placeText(place.second);
}

static std::string counted(size_t n, const char *one, const char *many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

void addParseNotes(const ParseResult &parsed, std::vector<std::string> &notes) {
  if (parsed.recoveryCrashed)
    notes.push_back("nothing is native: the recovery of layouts crashed on this source, which is a "
                    "mistake of layout-port's; a report would help");
  for (const std::string &header : parsed.missingHeaders)
    notes.push_back("header '" + header + "' was not found: read as empty");
  if (!parsed.repaired.empty())
    notes.push_back(counted(parsed.repaired.size(), "place", "places") +
                    " in asm that only nvcc takes (a comma between operands, a single %), the "
                    "first at " +
                    placeText(parsed.program, *parsed.repaired.begin()) + ": read as nvcc does");
  constexpr size_t shown = 5;
  for (size_t i = 0; i < parsed.errors.size() && i < shown; ++i) {
    const Diagnostic &d = parsed.errors[i];
    notes.push_back("while parsing, " + d.file + ":" + std::to_string(d.line) + ": " + d.message);
  }
  if (parsed.errors.size() > shown)
    notes.push_back("and " + std::to_string(parsed.errors.size() - shown) +
                    " more parse errors; what they hide was ported from its tokens alone");
}

void addArmNotes(const Program &program, const std::vector<Site> &sites, llvm::StringRef cudaArch,
                 std::vector<std::string> &notes) {
  std::vector<Place> dead; // the #if line itself is no part of its arm
  for (const Site &site : sites)
    if (llvm::any_of(program.facts.skipped, [&](const AstFacts::Skipped &arm) {
          return arm.file == site.file && arm.begin <= site.begin && site.begin < arm.end &&
                 lineOf(program, arm.file, arm.begin) != lineOf(program, site.file, site.begin);
        }))
      dead.push_back({site.file, site.begin});
  if (!dead.empty())
    notes.push_back(counted(dead.size(), "site stands", "sites stand") +
                    " in #if arms that this run does not compile (--cuda-arch=" + cudaArch.str() +
                    "), the first at " + placeText(program, dead.front()) +
                    ": ported from their tokens alone");
}

void addTypePunNotes(const Program &program, std::vector<std::string> &notes) {
  const std::map<Place, std::string> &puns = program.facts.typePuns;
  if (puns.empty())
    return;
  notes.push_back("compile with -fno-strict-aliasing: device code reads " + puns.begin()->second +
                  " (" + placeText(program, puns.begin()->first) + ")" +
                  (puns.size() > 1
                       ? " and in " + counted(puns.size() - 1, "more place", "more places") +
                             " one type as another"
                       : "") +
                  ", which clang may else move before the write");
}

void addLaunchNotes(const Program &program, const PortedProgram &ported,
                    std::vector<std::string> &notes) {
  const bool bridged = llvm::any_of(ported.sites, [](const Site &s) {
    return s.tier == Tier::Bridged && s.rule == "tensor-mma";
  });
  for (const auto &[place, launch] : program.facts.launches) {
    if (!bridged || launch.threads % 64 == 0 || llvm::is_contained(ported.padded, launch.kernel))
      continue;
    notes.push_back(launch.kernel + " is launched with " + std::to_string(launch.threads) +
                    " threads a block (" + placeText(program, place) +
                    "): its last half wave multiplies without MFMA; whole waves need a "
                    "multiple of 64" +
                    (launch.threads % 64 == 32 && !ported.unpadded.count(launch.kernel)
                         ? " (see --warp-blocks=pad)"
                         : ""));
  }
}

void addSharedNotes(const ParseResult &parsed, CheckResult &check,
                    std::vector<std::string> &notes) {
  std::set<std::string> told;
  for (const SharedRequest &request : parsed.sharedRequests) {
    const std::string advice =
        ldsAdviceFor(request.kernel, request.dynamicBytes + request.staticBytes, check.target);
    if (advice.empty())
      continue;
    const std::string line = placeText(parsed.program, request.place) + ": " + advice;
    check.compiled = false;
    if (!told.insert(advice).second)
      continue;
    check.diagnostics += line + "\n";
    notes.push_back(line);
  }
}

} // namespace layout_port
