#include "asm/MacroText.h"

#include "source/Match.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace layout_port {

bool MacroAround::hasParameter(llvm::StringRef word) const {
  return llvm::is_contained(parameters, word.str());
}

std::optional<MacroAround> macroAround(const SourceFile &file, const AsmStatement &statement) {
  const TokenStream &tokens = file.tokens;
  const int directive = tokens[statement.firstToken].directive;
  if (directive < 0 || tokens.directives()[directive].name != "define")
    return std::nullopt;
  const Directive &d = tokens.directives()[directive];
  MacroAround macro;
  macro.name = d.firstToken + 2;
  macro.begin = d.begin;
  macro.end = d.end;
  macro.body = macro.name + 1;
  const bool hasList =
      tokens.is(macro.body, "(") && tokens[macro.body].offset == tokens[macro.name].end();
  if (!hasList)
    return macro;
  const size_t close = tokens.matching(macro.body);
  for (size_t i = macro.body + 1; i < close; ++i) {
    if (tokens[i].kind == tok::raw_identifier)
      macro.parameters.push_back(tokens.spelling(i).str());
    else if (tokens[i].kind == tok::ellipsis && !tokens.is(i - 1, "args"))
      macro.parameters.push_back("__VA_ARGS__");
  }
  macro.body = close + 1;
  return macro;
}

bool isBuiltFromParameters(const SourceFile &file, const AsmStatement &statement,
                           const MacroAround &macro) {
  for (size_t i = statement.firstPiece; i < statement.lastPiece; ++i)
    if (file.tokens[i].kind == tok::raw_identifier && macro.hasParameter(file.tokens.spelling(i)))
      return true;
  return false;
}

std::optional<AsmStatement> withParametersAsOperands(const SourceFile &file,
                                                     const AsmStatement &statement,
                                                     const MacroAround &macro) {
  const TokenStream &tokens = file.tokens;
  AsmStatement result = statement;
  std::string text;
  for (size_t i = statement.firstPiece; i < statement.lastPiece; ++i) {
    if (tokens[i].kind == tok::string_literal) {
      const std::optional<std::string> piece = literalValue(tokens.spelling(i));
      if (!piece)
        return std::nullopt;
      text += *piece;
      continue;
    }
    if (tokens[i].kind != tok::hash || ++i >= statement.lastPiece ||
        !macro.hasParameter(tokens.spelling(i)))
      return std::nullopt;
    const std::string name = tokens.spelling(i).str();
    // Spaces: what stands glued to a literal piece must not become part of its word.
    text += " %[" + name + "] ";
    const auto sameName = [&](const AsmOperand &o) { return o.name == name; };
    if (llvm::any_of(statement.outputs, sameName) || llvm::any_of(statement.inputs, sameName))
      return std::nullopt;
    if (llvm::none_of(result.inputs, sameName))
      result.inputs.push_back({name, "n", name, tokens[i].offset, tokens[i].end()});
  }
  result.text = text;
  return result;
}

std::vector<TextOfUses> textsByUse(const Program &program, unsigned f,
                                   const AsmStatement &statement, const MacroAround &macro,
                                   std::string &reason) {
  std::vector<TextOfUses> texts;
  const auto known = program.facts.asmUses.find({f, statement.begin});
  if (known == program.facts.asmUses.end()) {
    reason = "the PTX text is built by macros that nothing here expands";
    return texts;
  }
  const llvm::StringRef name = program.file(f).tokens.spelling(macro.name);
  for (const auto &[use, written] : known->second) {
    if (written.size() > 1) {
      reason = "the PTX text differs between expansions of one use of the macro, in another macro";
      return {};
    }
    if (!program.file(use.first).text().substr(use.second).starts_with(name)) {
      reason =
          "the PTX text differs between expansions of this macro, whose name is made by another";
      return {};
    }
    auto same = llvm::find_if(
        texts, [&, &text = *written.begin()](const TextOfUses &t) { return t.text == text; });
    if (same == texts.end())
      same = texts.insert(texts.end(), {*written.begin(), {}});
    same->uses.push_back(use);
  }
  return texts;
}

//===-- constraints -------------------------------------------------------===//

static bool isBuilt(const AsmOperand &operand) {
  return llvm::StringRef(operand.constraint).starts_with("?");
}

bool hasBuiltConstraints(const AsmStatement &statement) {
  return llvm::any_of(statement.outputs, isBuilt) || llvm::any_of(statement.inputs, isBuilt);
}

// The arguments of the macro used at `use`, by parameter.
static std::map<std::string, llvm::StringRef> argumentsOf(const Program &program,
                                                          const MacroAround &macro, Place use) {
  std::map<std::string, llvm::StringRef> result;
  const TokenStream &tokens = program.file(use.first).tokens;
  size_t name = 0, close = 0;
  while (name < tokens.size() && tokens[name].offset < use.second)
    ++name;
  std::vector<TokenStream::Range> arguments;
  if (tokens.is(name + 1, "(") && tokens.callArguments(name + 1, arguments, close))
    for (size_t i = 0; i < arguments.size() && i < macro.parameters.size(); ++i)
      result[macro.parameters[i]] = tokens.textOf(arguments[i]);
  return result;
}

// `"=" #letter` with letter f: "=f". `how` with how "=r": "=r".
static std::optional<std::string>
builtConstraint(llvm::StringRef pieces, const std::map<std::string, llvm::StringRef> &arguments) {
  const std::string text = pieces.str();
  const TokenStream tokens(text);
  std::string joined;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool stringized = tokens[i].kind == tok::hash;
    i += stringized;
    if (!stringized && tokens[i].kind == tok::string_literal) {
      joined += literalValue(tokens.spelling(i)).value_or("?");
      continue;
    }
    const auto argument =
        i < tokens.size() ? arguments.find(tokens.spelling(i).str()) : arguments.end();
    if (argument == arguments.end())
      return std::nullopt;
    const std::optional<std::string> value =
        stringized ? argument->second.str() : literalValue(argument->second);
    if (!value)
      return std::nullopt;
    joined += *value;
  }
  return joined;
}

std::optional<AsmStatement> withConstraintsOf(const Program &program, const AsmStatement &statement,
                                              const MacroAround &macro, Place use) {
  AsmStatement result = statement;
  const std::map<std::string, llvm::StringRef> arguments = argumentsOf(program, macro, use);
  for (std::vector<AsmOperand> *operands : {&result.outputs, &result.inputs})
    for (AsmOperand &operand : *operands) {
      if (!isBuilt(operand))
        continue;
      const std::optional<std::string> constraint =
          builtConstraint(llvm::StringRef(operand.constraint).trim('?'), arguments);
      if (!constraint)
        return std::nullopt;
      operand.constraint = *constraint;
    }
  return result;
}

// Calls visit(file number, token) for each use of the name outside of its #define.
template <typename Visit>
static void forEachUse(const Program &program, llvm::StringRef name, Visit visit) {
  forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
    if (file.tokens.spelling(i) == name)
      visit(f, file, i);
  });
}

bool hasUnseenUses(const Program &program, unsigned f, const AsmStatement &statement,
                   const MacroAround &macro) {
  const auto known = program.facts.asmUses.find({f, statement.begin});
  bool unseen = f != 0; // a header's macro is for others too
  forEachUse(program, program.file(f).tokens.spelling(macro.name),
             [&](unsigned at, const SourceFile &file, size_t i) {
               unseen |= known == program.facts.asmUses.end() ||
                         !known->second.count({at, file.tokens[i].offset});
             });
  return unseen;
}

bool passesSideEffects(const Program &program, llvm::StringRef macroName) {
  bool found = false;
  forEachUse(program, macroName, [&](unsigned, const SourceFile &file, size_t i) {
    std::vector<TokenStream::Range> arguments;
    size_t close = i;
    if (found || !file.tokens.is(i + 1, "(") || !file.tokens.callArguments(i + 1, arguments, close))
      return;
    for (const TokenStream::Range &argument : arguments)
      found |= hasSideEffects(file.tokens.textOf(argument));
  });
  return found;
}

static std::string asWord(llvm::StringRef text) {
  std::string word;
  for (const char c : text) {
    if (llvm::isAlnum(c) || c == '_')
      word += c;
    else if (!word.empty() && word.back() != '_')
      word += '_';
  }
  while (!word.empty() && word.back() == '_')
    word.pop_back();
  constexpr size_t longest = 32;
  return word.substr(0, longest);
}

std::string suffixOf(const Program &program, unsigned f, const AsmStatement &statement,
                     const MacroAround &macro, Place use) {
  const TokenStream &tokens = program.file(use.first).tokens;
  const TokenStream &definition = program.file(f).tokens;
  size_t name = 0;
  while (name < tokens.size() && tokens[name].offset < use.second)
    ++name;
  std::vector<TokenStream::Range> arguments;
  size_t close = 0;
  if (!tokens.is(name + 1, "(") || !tokens.callArguments(name + 1, arguments, close))
    return "";
  std::string suffix;
  for (size_t p = 0; p < macro.parameters.size() && p < arguments.size(); ++p) {
    bool inText = false;
    for (size_t i = statement.firstPiece; i < statement.lastPiece; ++i)
      inText |= definition.is(i, macro.parameters[p]);
    const std::string word = inText ? asWord(tokens.textOf(arguments[p])) : "";
    if (!word.empty())
      suffix += (suffix.empty() ? "" : "_") + word;
  }
  return suffix;
}

} // namespace layout_port
