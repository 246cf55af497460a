#include "asm/AsmRule.h"

#include "asm/Lowering.h"
#include "ptx/Opcodes.h"
#include "ptx/Parser.h"
#include "source/Match.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace layout_port {

namespace {

constexpr const PtxLowering *lowerings[] = {&mmaLowering, &ldmatrixLowering, &cpAsyncLowering,
                                            &cvtaLowering, &cvtLowering, &setpLowering};

// A PTX register as a C++ variable.
llvm::StringRef variableType(llvm::StringRef ptxType) {
  return llvm::StringSwitch<llvm::StringRef>(ptxType)
      .Case("pred", "bool")
      .Cases({"b16", "u16"}, "unsigned short")
      .Case("s16", "short")
      .Cases({"b32", "u32"}, "unsigned")
      .Case("s32", "int")
      .Cases({"b64", "u64"}, "unsigned long long")
      .Case("s64", "long long")
      .Case("f32", "float")
      .Case("f64", "double")
      .Default("");
}

// All instructions of one asm statement, lowered.
struct Block {
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
    std::string problem = lowerAll(*block, Binding(statement, caps_.at(f, statement.begin)), result);
    if (problem.empty())
      problem = operandProblem(*block, statement);
    if (!result.rule.empty())
      site.rule = result.rule;
    site.construct = result.construct;
    if (!problem.empty())
      return manual(site, problem);
    site.tier = result.tier;
    site.reason = result.reason;
    site.runtime = result.runtime;
    site.edits.push_back(
        {f, statement.begin, statement.end - statement.begin, joined(*block, result)});
    return site;
  }

  // `text` holds `part` as whole words.
  static bool mentions(llvm::StringRef text, llvm::StringRef part) {
    const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    for (size_t at = text.find(part); at != llvm::StringRef::npos; at = text.find(part, at + 1)) {
      const size_t end = at + part.size();
      if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end])))
        return true;
    }
    return false;
  }

  // What asm does with its operands and a sequence of C++ statements would not:
  // evaluate each once, read inputs before outputs are written (with "=&r"), and
  // start an output from an input that is tied to it by number.
  static std::string operandProblem(const ptx::Block &block, const AsmStatement &statement) {
    for (const AsmOperand &input : statement.inputs)
      if (llvm::StringRef(input.constraint).find_first_of("0123456789[") != llvm::StringRef::npos)
        return "the input '" + input.expression + "' is tied to an output by number: write the "
               "output as \"+\" instead";
    for (const AsmOperand &output : statement.outputs)
      for (const AsmOperand &input : statement.inputs)
        if (block.instructions.size() > 1 &&
            mentions(input.expression, output.expression))
          return "several instructions, and '" + output.expression +
                 "' is both written and read: name the input first";
    for (size_t i = 0; i < statement.operandCount(); ++i)
      if (hasSideEffects(statement.operand(i)->expression))
        return "the operand '" + statement.operand(i)->expression +
               "' has a side effect: name its value first";
    return "";
  }

  std::string lowerAll(const ptx::Block &block, const Binding &binding, Block &result) const {
    if (!block.labels.empty())
      return "PTX: a label or branch inside asm";
    for (const ptx::Declaration &d : block.declarations)
      if (d.space != "reg" || d.count != 0 || variableType(d.type).empty())
        return "PTX: the declaration of '" + d.name + "' is not ported";
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
      guard = std::string("if (") + (instruction.guard->predicate.negated ? "!" : "") +
              *predicate + ") ";
    }
    if (!lowered->statement.empty())
      result.statements.push_back(guard + lowered->statement);
    if (result.statements.size() <= 1 || lowered->tier > result.tier)
      result.reason = lowered->reason;
    result.tier = result.construct.find("; ") == std::string::npos
                      ? lowered->tier
                      : std::max(result.tier == Tier::Renamed ? Tier::Native : result.tier,
                                 lowered->tier);
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

  static std::string joined(const ptx::Block &block, const Block &result) {
    if (block.declarations.empty() && result.statements.size() == 1 &&
        !llvm::StringRef(result.statements[0]).starts_with("if "))
      return result.statements[0];
    std::string text = "do { ";
    for (const ptx::Declaration &d : block.declarations)
      text += variableType(d.type).str() + " " + registerVariable(d.name) + "; ";
    for (const std::string &statement : result.statements)
      text += statement + "; ";
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
