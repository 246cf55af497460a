#include "asm/AsmRule.h"

#include "asm/Lowering.h"
#include "asm/Operands.h"
#include "ptx/Opcodes.h"
#include "ptx/Parser.h"
#include "source/Match.h"

#include "llvm/ADT/StringExtras.h"

namespace layout_port {

namespace {

constexpr const PtxLowering *lowerings[] = {
    &mmaLowering,    &matrixMoveLowering, &cpAsyncLowering, &cvtaLowering,    &cvtLowering,
    &movLowering,    &scalarLowering,     &bitsLowering,    &compareLowering, &accessLowering,
    &atomicLowering, &syncLowering,       &warpLowering};

// All instructions of one asm statement, lowered.
struct Block {
  std::vector<std::string> preamble; // local variables
  std::vector<std::string> statements;
  std::string rule, construct, reason;
  Tier tier = Tier::Renamed;
  std::vector<std::string> runtime;
};

class AsmRule : public Rule {
public:
  AsmRule(std::vector<RuntimeChunk> &made, const PortCaps &caps) : made_(made), caps_(caps) {}

  llvm::StringRef name() const override { return "asm"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    for (unsigned f = 0; f < program.files.size(); ++f) {
      const SourceFile &file = program.file(f);
      for (const AsmStatement &statement : file.asmStatements)
        sites.push_back(port(program, f, statement));
      for (const size_t token : file.unreadableAsm) {
        Site site = siteAt(file, f, token, token + 1, name(), "asm", Tier::Manual,
                           "an asm statement of a form that is not understood");
        sites.push_back(site);
      }
    }
  }

private:
  Site port(const Program &program, unsigned f, const AsmStatement &statement) const {
    const SourceFile &file = program.file(f);
    Site site;
    site.file = f;
    site.begin = statement.begin;
    site.end = statement.end;
    site.rule = name().str();
    site.construct = "asm";
    std::string reason;
    const std::optional<std::string> text = templateText(program, f, statement, reason);
    if (!text)
      return manual(site, reason);
    if (text->find_first_not_of(" \t\r\n;") == std::string::npos)
      return empty(site, file);
    return portText(program, f, statement, *text, site);
  }

  // asm volatile("" ::: "memory"): a barrier for the compiler, the same in HIP.
  static Site empty(Site site, const SourceFile &) {
    site.tier = Tier::Renamed;
    site.construct = "asm (empty)";
    site.reason = "no instruction in it: a compiler barrier means the same";
    return site;
  }

  static Site manual(Site site, const std::string &reason) {
    site.tier = Tier::Manual;
    site.reason = reason;
    return site;
  }

  // The joined template: from the literals, or where macros build it from the
  // AST, if all expansions agree.
  static std::optional<std::string> templateText(const Program &program, unsigned f,
                                                 const AsmStatement &statement,
                                                 std::string &reason) {
    if (statement.text)
      return statement.text;
    const auto it = program.facts.asmTexts.find({f, statement.begin});
    if (it == program.facts.asmTexts.end()) {
      reason = "the PTX text is built by macros that nothing here expands";
      return std::nullopt;
    }
    if (it->second.size() > 1) {
      reason = "the PTX text differs between expansions of this macro";
      return std::nullopt;
    }
    return *it->second.begin();
  }

  Site portText(const Program &program, unsigned f, const AsmStatement &statement,
                const std::string &text, Site site) const {
    const auto block = ptx::parse(text);
    if (!block)
      return manual(site, "PTX: " + block.error().reason);
    Block result;
    Binding binding(statement, caps_.at(f, statement.begin));
    binding.blockThreads = blockThreads(program);
    std::string problem = prepareOperands(*block, statement, binding, result.preamble);
    if (problem.empty())
      problem = declareRegisters(*block, binding, result.preamble);
    if (problem.empty())
      problem = lowerAll(*block, binding, result);
    if (!result.rule.empty())
      site.rule = result.rule;
    if (!result.construct.empty())
      site.construct = result.construct;
    if (!problem.empty())
      return manual(site, problem);
    site.tier = result.tier;
    site.reason = result.reason;
    site.runtime = result.runtime;
    site.runtime.insert(site.runtime.end(), binding.needs().begin(), binding.needs().end());
    site.edits.push_back({f, statement.begin, statement.end - statement.begin, joined(result)});
    return site;
  }

  // Threads of every block, where all launches that the program shows agree.
  static unsigned blockThreads(const Program &program) {
    unsigned threads = 0;
    for (const auto &[place, launch] : program.facts.launches) {
      if (launch.threads == 0 || (threads && threads != launch.threads))
        return 0;
      threads = launch.threads;
    }
    return threads;
  }

  // One C++ variable a register; t<3> declares t0, t1, t2.
  static std::string declareRegisters(const ptx::Block &block, Binding &binding,
                                      std::vector<std::string> &preamble) {
    std::set<std::string> seen;
    for (const ptx::Declaration &d : block.declarations) {
      const auto type = ptx::findType(d.type);
      if (d.space != "reg" || !type || variableType(*type).empty() || d.vector != 1 ||
          !seen.insert(d.name).second || d.count > 64)
        return "PTX: the declaration of '" + d.name + "' is not ported";
      std::string names;
      for (unsigned i = 0; i < std::max(1u, d.count); ++i) {
        const std::string name = d.name + (d.count ? std::to_string(i) : "");
        binding.declare(name, d.type);
        names += (names.empty() ? "" : ", ") + registerVariable(name);
      }
      preamble.push_back(variableType(*type).str() + " " + names);
    }
    return "";
  }

  std::string lowerAll(const ptx::Block &block, const Binding &binding, Block &result) const {
    if (!block.labels.empty())
      return "PTX: control flow inside an asm statement cannot be moved into C++; write the branch "
             "or the loop around it";
    for (const ptx::Instruction &instruction : block.instructions) {
      result.construct += (result.construct.empty() ? "" : "; ") + instruction.spelling();
      const std::string problem = lowerOne(instruction, block, binding, result);
      if (!problem.empty())
        return problem;
    }
    return "";
  }

  std::string lowerOne(const ptx::Instruction &instruction, const ptx::Block &block,
                       const Binding &binding, Block &result) const {
    const PtxLowering *row = nullptr;
    for (const PtxLowering *candidate : lowerings)
      if (!row && candidate->takes(instruction))
        row = candidate;
    if (!row)
      return unportedReason(instruction);
    if (result.rule.empty() || llvm::StringRef(row->rule).starts_with("tensor"))
      result.rule = row->rule;
    const auto lowered = row->lower(instruction, block, binding);
    if (!lowered)
      return lowered.error().reason;
    std::string guard;
    if (instruction.guard) {
      if (llvm::StringRef(row->rule).starts_with("tensor"))
        return "a warp-wide instruction under a predicate";
      const auto predicate = binding.text(instruction.guard->predicate);
      if (!predicate)
        return predicate.error().reason;
      guard = std::string("if (") + (instruction.guard->predicate.negated ? "!" : "") + *predicate +
              ") ";
    }
    if (!lowered->statement.empty())
      result.statements.push_back(guard + lowered->statement);
    if (result.statements.size() <= 1 || lowered->tier > result.tier)
      result.reason = lowered->reason;
    result.tier =
        result.construct.find("; ") == std::string::npos
            ? lowered->tier
            : std::max(result.tier == Tier::Renamed ? Tier::Native : result.tier, lowered->tier);
    result.runtime.insert(result.runtime.end(), lowered->runtime.begin(), lowered->runtime.end());
    for (const RuntimeChunk &chunk : lowered->made)
      remember(chunk);
    return "";
  }

  static std::string unportedReason(const ptx::Instruction &instruction) {
    if (const auto problem = ptx::check(instruction))
      return problem->reason + (problem->advice.empty() ? "" : "; " + problem->advice);
    return "no lowering for " + instruction.spelling() + " yet";
  }

  void remember(const RuntimeChunk &chunk) const {
    for (const RuntimeChunk &known : made_)
      if (known.name == chunk.name)
        return;
    made_.push_back(chunk);
  }

  // A statement that is a block of its own: { a; b; }
  static bool isBlock(llvm::StringRef statement) { return statement.ends_with("}"); }

  static std::string joined(const Block &result) {
    const bool bare = result.preamble.empty() && result.statements.size() == 1;
    if (bare && llvm::StringRef(result.statements[0]).starts_with("{"))
      return "do " + result.statements[0] + " while (0)";
    if (bare && !llvm::StringRef(result.statements[0]).starts_with("if "))
      return result.statements[0];
    std::string text = "do { ";
    for (const std::string &line : result.preamble)
      text += line + "; ";
    for (const std::string &statement : result.statements)
      text += statement + (isBlock(statement) ? " " : "; ");
    return text + "} while (0)";
  }

  std::vector<RuntimeChunk> &made_;
  const PortCaps &caps_;
};

} // namespace

std::unique_ptr<Rule> makeAsmRule(std::vector<RuntimeChunk> &made, const PortCaps &caps) {
  return std::make_unique<AsmRule>(made, caps);
}

} // namespace layout_port
