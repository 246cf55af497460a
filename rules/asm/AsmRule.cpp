#include "asm/AsmRule.h"

#include "asm/Lowering.h"
#include "asm/MacroText.h"
#include "asm/Operands.h"
#include "ptx/Opcodes.h"
#include "ptx/Parser.h"
#include "source/AsmAlias.h"
#include "source/Edits.h"
#include "source/Match.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {

namespace {

constexpr const PtxLowering *lowerings[] = {
    &mmaLowering,    &matrixMoveLowering, &cpAsyncLowering, &cvtaLowering,    &cvtLowering,
    &movLowering,    &scalarLowering,     &bitsLowering,    &compareLowering, &accessLowering,
    &atomicLowering, &syncLowering,       &warpLowering};

// All instructions of one asm statement, lowered.
struct Block {
  std::string problem;                                  // why it is not
  std::vector<std::string> preamble;                    // local variables
  std::vector<std::pair<std::string, bool>> statements; // and whether it is a block { }
  std::string rule, construct, reason;
  Tier tier = Tier::Renamed;
  std::vector<std::string> runtime;
};

class AsmRule : public Rule {
public:
  AsmRule(std::vector<RuntimeChunk> &made, const PortCaps &caps, const WarpFacts &warps)
      : made_(made), caps_(caps), warps_(warps) {}

  llvm::StringRef name() const override { return "asm"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    for (unsigned f = 0; f < program.files.size(); ++f) {
      const SourceFile &file = program.file(f);
      for (const AsmStatement &statement : file.asmStatements)
        sites.push_back(port(program, f, statement));
      for (const size_t token : file.unreadableAsm) {
        if (isInAsmAlias(file.tokens, token)) {
          sites.push_back(siteAt(file, f, token, token + 1, name(), "asm (alias)", Tier::Renamed,
                                 "a macro that stands for asm: its uses are ported"));
          continue;
        }
        Site site = siteAt(file, f, token, token + 1, name(), "asm", Tier::Manual,
                           "an asm statement of a form that is not understood");
        sites.push_back(site);
      }
    }
    refuseForeignAliases(program, sites);
  }

private:
  // ASM(...) where the macro that stands for asm is another file's.
  void refuseForeignAliases(const Program &program, std::vector<Site> &sites) const {
    std::set<std::string> aliases;
    for (const auto &file : program.files)
      aliases.merge(asmAliases(file->tokens));
    if (aliases.empty())
      return;
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      if (aliases.count(file.tokens.spelling(i).str()) && file.tokens.is(i + 1, "(") &&
          !asmAliases(file.tokens).count(file.tokens.spelling(i).str()))
        sites.push_back(siteAt(file, f, i, i + 1, name(), "asm", Tier::Manual,
                               "asm behind a macro of another file: write asm here"));
    });
  }

  Site port(const Program &program, unsigned f, const AsmStatement &statement) const {
    const SourceFile &file = program.file(f);
    Site site;
    site.file = f;
    site.begin = statement.begin;
    site.end = statement.end;
    site.rule = name().str();
    site.construct = "asm";
    const std::optional<MacroAround> macro = macroAround(file, statement);
    if (const AsmOperand *text = operandOfText(statement))
      return manual(site, "nvcc puts the text '" + text->expression +
                              "' into the PTX (\"C\"): write an asm statement for each text");
    if (hasBuiltConstraints(statement))
      return macro ? portUses(program, f, statement, *macro, site)
                   : manual(site, "a macro stands for the constraint of an operand: write it out");
    if (statement.text)
      return portText(program, f, statement, macro, *statement.text, site);
    if (macro && isBuiltFromParameters(file, statement, *macro))
      return portBuilt(program, f, statement, *macro, site);
    return portExpanded(program, f, statement, macro, site);
  }

  // asm volatile("" ::: "memory"): a barrier for the compiler, the same in HIP.
  static Site empty(Site site) {
    site.tier = Tier::Renamed;
    site.construct = "asm (empty)";
    site.reason = "no instruction in it: a compiler barrier means the same";
    return site;
  }

  // "C": a constant array of characters that becomes part of the PTX.
  // https://docs.nvidia.com/cuda/inline-ptx-assembly/#constraints
  static const AsmOperand *operandOfText(const AsmStatement &statement) {
    for (const AsmOperand &operand : statement.inputs)
      if (operand.constraint == "C")
        return &operand;
    return nullptr;
  }

  static Site manual(Site site, const std::string &reason) {
    site.tier = Tier::Manual;
    site.reason = reason;
    return site;
  }

  // The text comes from other macros: what they expand to, if all expansions agree.
  Site portExpanded(const Program &program, unsigned f, const AsmStatement &statement,
                    const std::optional<MacroAround> &macro, const Site &site) const {
    const auto it = program.facts.asmTexts.find({f, statement.begin});
    if (it == program.facts.asmTexts.end())
      return manual(site, "the PTX text is built by macros that nothing here expands");
    if (it->second.size() > 1)
      return manual(site, "the PTX text differs between expansions of this macro");
    return portText(program, f, statement, macro, *it->second.begin(), site);
  }

  Site portText(const Program &program, unsigned f, const AsmStatement &statement,
                const std::optional<MacroAround> &macro, const std::string &text,
                const Site &site) const {
    if (text.find_first_not_of(" \t\r\n;") == std::string::npos)
      return empty(site);
    const Block result = lowered(program, f, statement, macro, text);
    Site ported = withResult(site, result);
    if (result.problem.empty())
      ported.edits.push_back({f, statement.begin, statement.end - statement.begin, joined(result)});
    return ported;
  }

  static Site withResult(Site site, const Block &result) {
    if (!result.rule.empty())
      site.rule = result.rule;
    if (!result.construct.empty())
      site.construct = result.construct;
    if (!result.problem.empty())
      return manual(site, result.problem);
    site.tier = result.tier;
    site.reason = result.reason;
    site.runtime = result.runtime;
    return site;
  }

  //===-- text that a macro builds from its parameters ----------------------===//

  Site portBuilt(const Program &program, unsigned f, const AsmStatement &statement,
                 const MacroAround &macro, const Site &site) const {
    const SourceFile &file = program.file(f);
    if (const auto general = withParametersAsOperands(file, statement, macro)) {
      const Block result = lowered(program, f, *general, macro, *general->text);
      if (result.problem.empty() && areConstants(program, f, *general)) {
        Site ported = withResult(site, result);
        ported.edits.push_back(
            {f, statement.begin, statement.end - statement.begin, joined(result)});
        return ported;
      }
    }
    return portUses(program, f, statement, macro, site);
  }

  // Uses of the macro that expand to one text with the same constraints.
  struct Expansion {
    AsmStatement statement;
    std::string text;
    std::vector<Place> uses;
  };

  static bool sameConstraints(const AsmStatement &a, const AsmStatement &b) {
    for (size_t i = 0; i < a.operandCount(); ++i)
      if (a.operand(i)->constraint != b.operand(i)->constraint)
        return false;
    return true;
  }

  Site portUses(const Program &program, unsigned f, const AsmStatement &statement,
                const MacroAround &macro, const Site &site) const {
    std::string reason;
    std::vector<Expansion> expansions;
    for (const TextOfUses &text : textsByUse(program, f, statement, macro, reason))
      for (const Place use : text.uses) {
        const std::optional<AsmStatement> used = withConstraintsOf(program, statement, macro, use);
        if (!used)
          return manual(site,
                        "the constraint of an operand is built by another macro: write it out");
        auto known = llvm::find_if(expansions, [&](const Expansion &e) {
          return e.text == text.text && sameConstraints(e.statement, *used);
        });
        if (known == expansions.end())
          known = expansions.insert(known, {*used, text.text, {}});
        known->uses.push_back(use);
      }
    if (expansions.empty())
      return manual(site, reason);
    return portVariants(program, f, statement, macro, expansions, site);
  }

  // Is a number in every expansion what stands for a parameter here?
  static bool areConstants(const Program &program, unsigned f, const AsmStatement &general) {
    const auto expanded = program.facts.asmTexts.find({f, general.begin});
    const auto block = ptx::parse(*general.text);
    if (expanded == program.facts.asmTexts.end() || !block)
      return static_cast<bool>(block);
    return llvm::all_of(expanded->second, [&](const std::string &text) {
      const auto other = ptx::parse(text);
      if (!other || other->instructions.size() != block->instructions.size())
        return false;
      for (size_t i = 0; i < block->instructions.size(); ++i)
        if (!isInstance(block->instructions[i].operands, other->instructions[i].operands))
          return false;
      return true;
    });
  }
  static bool isInstance(const std::vector<ptx::Operand> &general,
                         const std::vector<ptx::Operand> &instance) {
    using Kind = ptx::Operand::Kind;
    if (general.size() != instance.size())
      return false;
    for (size_t i = 0; i < general.size(); ++i) {
      const ptx::Operand &g = general[i], &o = instance[i];
      const bool isParameter = g.is(Kind::AsmOperand) && g.index < 0 && o.index < 0 &&
                               !(o.is(Kind::AsmOperand) && o.name == g.name);
      if (isParameter ? !o.is(Kind::Immediate) : g.kind != o.kind)
        return false;
      if (!g.is(Kind::Address) && !isInstance(g.elements, o.elements))
        return false;
    }
    return true;
  }

  // The uses that lead to one ported text.
  struct Variant {
    Block block;
    std::string text, suffix;
    std::vector<Place> uses;
  };

  // One macro a ported text. The last one takes the place of the author's, the others
  // stand before it; a use says which one it means by a suffix.
  Site portVariants(const Program &program, unsigned f, const AsmStatement &statement,
                    const MacroAround &macro, const std::vector<Expansion> &expansions,
                    const Site &site) const {
    std::vector<Variant> variants;
    for (const Expansion &expansion : expansions) {
      Block block = lowered(program, f, expansion.statement, macro, expansion.text);
      if (!block.problem.empty())
        return withResult(site, block);
      addVariant(variants, std::move(block), expansion.uses);
    }
    Site ported = withResult(site, variants.back().block);
    for (const Variant &variant : variants)
      ported.runtime.insert(ported.runtime.end(), variant.block.runtime.begin(),
                            variant.block.runtime.end());
    const bool unseen = hasUnseenUses(program, f, statement, macro);
    ported.edits.push_back(
        {f, statement.begin, statement.end - statement.begin, variants.back().text});
    if (variants.size() == 1 && !unseen)
      return ported;
    if (holdsOtherBuiltText(program, f, statement, macro))
      return manual(site, "the macro builds the PTX text of several asm statements");
    nameVariants(program, f, statement, macro, variants);
    addCopies(program, f, statement, macro, variants, unseen, ported);
    ported.reason += "; one macro for each of the " + std::to_string(variants.size()) +
                     " texts that the uses of this one expand to";
    return ported;
  }

  void addVariant(std::vector<Variant> &variants, Block block,
                  const std::vector<Place> &uses) const {
    std::string text = joined(block);
    for (Variant &known : variants)
      if (known.text == text) {
        known.uses.insert(known.uses.end(), uses.begin(), uses.end());
        return;
      }
    variants.push_back({std::move(block), std::move(text), "", uses});
  }

  static bool holdsOtherBuiltText(const Program &program, unsigned f, const AsmStatement &statement,
                                  const MacroAround &macro) {
    return llvm::any_of(program.file(f).asmStatements, [&](const AsmStatement &other) {
      return other.begin != statement.begin && macro.begin <= other.begin &&
             other.begin < macro.end && isBuiltFromParameters(program.file(f), other, macro);
    });
  }

  static void nameVariants(const Program &program, unsigned f, const AsmStatement &statement,
                           const MacroAround &macro, std::vector<Variant> &variants) {
    std::set<std::string> taken;
    for (Variant &variant : variants) {
      std::string suffix = "_" + suffixOf(program, f, statement, macro, variant.uses.front());
      const std::string name = program.file(f).tokens.spelling(macro.name).str();
      unsigned number = 1;
      variant.suffix = suffix == "_" ? "_1" : suffix;
      while (taken.count(variant.suffix) || program.facts.userNames.count(name + variant.suffix))
        variant.suffix = (suffix == "_" ? "_" : suffix + "_") + std::to_string(++number);
      taken.insert(variant.suffix);
    }
  }

  static void addCopies(const Program &program, unsigned f, const AsmStatement &statement,
                        const MacroAround &macro, const std::vector<Variant> &variants, bool unseen,
                        Site &site) {
    const SourceFile &file = program.file(f);
    const unsigned nameEnd = file.tokens[macro.name].end();
    const unsigned bodyBegin = file.tokens[macro.body].offset;
    const std::string head = file.text().slice(macro.begin, nameEnd).str();
    const std::string list = file.text().slice(nameEnd, bodyBegin).str();
    std::string copies;
    for (const Variant &variant : llvm::ArrayRef(variants).drop_back())
      copies += head + variant.suffix + list + sourceRange(bodyBegin, statement.begin) +
                variant.text + sourceRange(statement.end, macro.end) + "\n";
    if (unseen) {
      const size_t close = list.find_last_of(')');
      copies += head + (close == std::string::npos ? "" : list.substr(0, close + 1)) +
                " LP_MANUAL(\"the PTX text differs between uses of this macro, and this use was "
                "not seen\")\n";
      site.runtime.push_back("manual");
    }
    site.edits.push_back({f, macro.begin, 0, copies});
    site.edits.push_back({f, nameEnd, 0, variants.back().suffix});
    for (const Variant &variant : variants)
      for (const Place use : variant.uses)
        site.edits.push_back(
            {use.first,
             static_cast<unsigned>(use.second + nameEnd - file.tokens[macro.name].offset), 0,
             variant.suffix});
  }

  //===-- one text ----------------------------------------------------------===//

  Block lowered(const Program &program, unsigned f, const AsmStatement &statement,
                const std::optional<MacroAround> &macro, const std::string &text) const {
    Block result;
    ptx::ParseOptions options;
    std::vector<std::string> asserts;
    options.constants = constantsInNames(program, {f, statement.begin}, statement, text, asserts);
    const auto block = ptx::parse(text, options);
    if (!block) {
      result.problem = "PTX: " + block.error().reason;
      return result;
    }
    std::set<size_t> once;
    if (macro && passesSideEffects(program, program.file(f).tokens.spelling(macro->name)))
      for (size_t i = 0; i < statement.operandCount(); ++i)
        once.insert(i);
    while (true) {
      result = lowered(program, f, statement, macro, *block, once);
      const size_t before = once.size();
      if (result.problem.empty())
        addEvaluatedOtherwise(statement, result, once);
      if (once.size() == before)
        break;
    }
    result.preamble.insert(result.preamble.begin(), asserts.begin(), asserts.end());
    return result;
  }

  // Operands bound to "n" that are part of an instruction's name ("m16n8k%14"), where all
  // instantiations have one value for them.
  static std::vector<ptx::OperandConstant> constantsInNames(const Program &program, Place place,
                                                            const AsmStatement &statement,
                                                            const std::string &text,
                                                            std::vector<std::string> &asserts) {
    std::vector<ptx::OperandConstant> constants;
    const auto known = program.facts.asmConstants.find(place);
    if (known == program.facts.asmConstants.end())
      return constants;
    for (const auto &[number, constant] : known->second) {
      if (number >= statement.operandCount() || constant.values.size() != 1)
        continue;
      const AsmOperand &operand = *statement.operand(number);
      const int64_t value = *constant.values.begin();
      if (!isInName(text, {static_cast<int>(number), operand.name, value}))
        continue;
      constants.push_back({static_cast<int>(number), operand.name, value});
      if (constant.isDependent) // another file may instantiate it otherwise
        asserts.push_back("static_assert((" + sourceRange(operand.begin, operand.end) + ") == " +
                          std::to_string(value) + ", \"the PTX of this value was ported\")");
    }
    return constants;
  }

  static bool isInName(const std::string &text, const ptx::OperandConstant &constant) {
    const auto with = ptx::unescape(text, ptx::Spelling::Extended, {constant});
    const auto without = ptx::unescape(text, ptx::Spelling::Extended);
    return with && without && with->references.size() < without->references.size();
  }

  // Operands that call a function which the text does not evaluate exactly once.
  static void addEvaluatedOtherwise(const AsmStatement &statement, const Block &result,
                                    std::set<size_t> &once) {
    const auto quotes = quotedRanges(joined(result));
    for (size_t i = 0; i < statement.operandCount(); ++i) {
      const AsmOperand &operand = *statement.operand(i);
      const llvm::StringRef letters = operand.constraint;
      const bool isRegister = !letters.empty() && llvm::StringRef("hrlfd").contains(letters.back());
      const std::pair<unsigned, unsigned> range{operand.begin, operand.end};
      if (isRegister && llvm::count(quotes, range) != 1 && calls(operand.expression))
        once.insert(i);
    }
  }

  Block lowered(const Program &program, unsigned f, const AsmStatement &statement,
                const std::optional<MacroAround> &macro, const ptx::Block &block,
                const std::set<size_t> &once) const {
    Block result;
    const Tier best = caps_.at(f, statement.begin);
    const WaveState wave = warps_.waveAt({f, statement.begin});
    Binding binding(statement,
                    wave.kind == WaveState::Kind::Half ? std::max(best, Tier::Emulated) : best);
    binding.blockThreads = blockThreads(program);
    if (macro)
      binding.parameters.insert(macro->parameters.begin(), macro->parameters.end());
    result.problem = findCrossed(program, {f, statement.begin}, statement, binding);
    if (result.problem.empty())
      result.problem = prepareOperands(block, statement, once, binding, result.preamble);
    if (result.problem.empty())
      result.problem = declareRegisters(block, binding, result.preamble);
    if (llvm::any_of(block.instructions, [](const ptx::Instruction &i) { return i.has("cc"); }))
      result.preamble.push_back("bool lp_carry = false");
    if (result.problem.empty())
      result.problem = lowerAll(block, binding, result);
    if (result.rule == mmaLowering.rule && best <= Tier::Bridged && !wave.why.empty())
      result.reason += ": " + wave.why;
    result.runtime.insert(result.runtime.end(), binding.needs().begin(), binding.needs().end());
    return result;
  }

  static std::string findCrossed(const Program &program, Place place, const AsmStatement &statement,
                                 Binding &binding) {
    const auto known = program.facts.asmCrossed.find(place);
    if (known == program.facts.asmCrossed.end())
      return "";
    for (const auto &[operand, crossed] : known->second) {
      if (!crossed || operand >= statement.operandCount())
        continue;
      if (known->second.count({operand, false}))
        return "the operand '" + statement.operand(operand)->expression +
               "' is a float in one place and an integer in another";
      binding.crossed.insert(operand);
    }
    return "";
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
    if (!row || instruction.has("b128"))
      return unportedReason(instruction);
    if (result.rule.empty() || llvm::StringRef(row->rule).starts_with("tensor"))
      result.rule = row->rule;
    const auto lowered = row->lower(instruction, block, binding);
    if (!lowered)
      return withAdvice(lowered.error());
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
    // { a; b; } needs no ';' behind it.
    const bool isBlock = llvm::StringRef(lowered->statement).starts_with("{");
    if (!lowered->statement.empty())
      result.statements.push_back({guard + lowered->statement, isBlock});
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

  static std::string withAdvice(const ptx::Problem &problem) {
    return problem.reason + (problem.advice.empty() ? "" : "; " + problem.advice);
  }

  static std::string unportedReason(const ptx::Instruction &instruction) {
    if (const auto problem = ptx::check(instruction))
      return withAdvice(*problem);
    if (instruction.has("b128"))
      return "no C++ variable holds a register of 128 bits; use two of 64 bits (.v2.b64)";
    return "no lowering for " + instruction.spelling() + " yet";
  }

  void remember(const RuntimeChunk &chunk) const {
    for (const RuntimeChunk &known : made_)
      if (known.name == chunk.name)
        return;
    made_.push_back(chunk);
  }

  static std::string joined(const Block &result) {
    if (result.preamble.empty() && result.statements.size() == 1) {
      const auto &[text, isBlock] = result.statements[0];
      if (isBlock && text[0] == '{')
        return "do " + text + " while (0)";
      if (!llvm::StringRef(text).starts_with("if "))
        return text;
    }
    std::string text = "do { ";
    for (const std::string &line : result.preamble)
      text += line + "; ";
    for (const auto &[statement, isBlock] : result.statements)
      text += statement + (isBlock ? " " : "; ");
    return text + "} while (0)";
  }

  std::vector<RuntimeChunk> &made_;
  const PortCaps &caps_;
  const WarpFacts &warps_;
};

} // namespace

std::unique_ptr<Rule> makeAsmRule(std::vector<RuntimeChunk> &made, const PortCaps &caps,
                                  const WarpFacts &warps) {
  return std::make_unique<AsmRule>(made, caps, warps);
}

} // namespace layout_port
