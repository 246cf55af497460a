#include "tensor/wmma/Elements.h"

#include "warp/uniform/Uniform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace clang;

namespace layout_port {

namespace {

// for (int t = 0; t < bound; t++) body, or for (auto &variable : f.x) body
struct ElementLoop {
  llvm::StringRef variable, bound;
  TokenStream::Range body{0, 0};
};

// The loop that takes each element of the `x` at token i by reference or value.
bool parseRangeLoop(const TokenStream &tokens, size_t i, ElementLoop &loop) {
  const size_t name = owningName(tokens, i + 1, 0);
  if (name < 4 || name > i || !tokens.is(name - 1, ":") || !tokens.is(i + 1, ")"))
    return false;
  size_t open = name - 2;
  while (open > 0 && tokens[open].kind != tok::l_paren && tokens[open].kind != tok::semi)
    --open;
  if (open == 0 || !tokens.is(open - 1, "for") || tokens.matching(open) != i + 1)
    return false;
  loop.variable = tokens.spelling(name - 2);
  loop.body = {i + 2, endOfStatement(tokens, i + 2)};
  return true;
}

bool isAssignment(tok::TokenKind kind) {
  return kind == tok::equal || kind == tok::plusequal || kind == tok::minusequal ||
         kind == tok::starequal || kind == tok::slashequal || kind == tok::percentequal ||
         kind == tok::ampequal || kind == tok::pipeequal || kind == tok::caretequal ||
         kind == tok::lesslessequal || kind == tok::greatergreaterequal;
}

bool isStep(tok::TokenKind kind) { return kind == tok::plusplus || kind == tok::minusminus; }

bool parseLoop(const TokenStream &tokens, size_t i, ElementLoop &loop) {
  if (!tokens.is(i, "for") || !tokens.is(i + 1, "("))
    return false;
  const size_t close = tokens.matching(i + 1);
  size_t equal = i + 2;
  while (equal < close && tokens[equal].kind != tok::equal)
    ++equal;
  if (equal + 3 >= close || !tokens.is(equal + 1, "0") || !tokens.is(equal + 2, ";"))
    return false;
  loop.variable = tokens.spelling(equal - 1);
  const size_t test = equal + 3;
  size_t semicolon = test;
  while (semicolon < close && tokens[semicolon].kind != tok::semi)
    ++semicolon;
  if (!tokens.is(test, loop.variable) || semicolon >= close ||
      !(tokens.is(test + 1, "<") || tokens.is(test + 1, "!=")))
    return false;
  loop.bound = tokens.textOf({test + 2, semicolon});
  bool steps = false;
  for (size_t t = semicolon; t < close; ++t)
    steps |= tokens.is(t, "++");
  loop.body = {close + 1, endOfStatement(tokens, close + 1)};
  return steps;
}

// The innermost loop over `variable` whose body holds token i.
bool findLoop(const TokenStream &tokens, size_t i, llvm::StringRef variable, ElementLoop &found) {
  for (size_t t = i; t-- > 0;) {
    ElementLoop loop;
    if (parseLoop(tokens, t, loop) && loop.variable == variable && loop.body.first <= i &&
        i < loop.body.last) {
      found = loop;
      return true;
    }
  }
  return false;
}

// "accumulator 16x16": fragments of one kind hold the same element at one number.
std::string kindOf(llvm::StringRef type) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  type.split('<').second.split(parts, ',');
  if (parts.size() < 5)
    return "";
  for (llvm::StringRef &part : parts)
    part = part.trim();
  const llvm::StringRef use = parts[0].substr(parts[0].find_last_of(": ") + 1);
  std::string kind = (use + " " + parts[1] + "x" + parts[2]).str();
  if (use != "accumulator")
    kind += ("x" + parts[3] + " " + parts[4].take_until([](char c) { return c == '>'; })).str();
  return kind;
}

std::set<std::string> kindsOf(const std::set<std::string> &types) {
  std::set<std::string> kinds;
  for (const std::string &type : types)
    kinds.insert(kindOf(type));
  return kinds;
}

constexpr llvm::StringLiteral byNumber =
    "uses one element of a fragment by its number: which element of the matrix that is, CUDA "
    "leaves open";

class Use {
public:
  Use(const Program &program, unsigned file, size_t i)
      : program_(program), file_(file), tokens_(program.file(file).tokens), i_(i) {}

  std::string problem() const {
    ElementLoop each;
    if (parseRangeLoop(tokens_, i_, each))
      return problemOfValues(each);
    if (!tokens_.is(i_ + 1, "["))
      return "takes the elements of a fragment as a whole: their order is not CUDA's";
    if (!tokens_.is(i_ + 3, "]"))
      return byNumber.str();
    ElementLoop loop;
    if (!findLoop(tokens_, i_, tokens_.spelling(i_ + 2), loop) || !overAll(loop))
      return byNumber.str();
    return problemInBody(loop);
  }

private:
  const std::set<std::string> *types(size_t x) const {
    const auto known = program_.facts.fragmentTypes.find({file_, tokens_[x].offset});
    return known == program_.facts.fragmentTypes.end() ? nullptr : &known->second;
  }

  // num_elements, or 8 for the accumulators of which a lane holds that many anyway.
  bool overAll(const ElementLoop &loop) const {
    if (loop.bound.ends_with("num_elements") || loop.bound.ends_with("num_storage_elements"))
      return isOfFragment(loop);
    for (const std::string &kind : kindsOf(*types(i_)))
      if (loop.bound != "8" || !llvm::StringRef(kind).starts_with("accumulator") ||
          kind == "accumulator 8x8")
        return false;
    return true;
  }

  // Is the bound that of a fragment in the body, or of a type?
  bool isOfFragment(const ElementLoop &loop) const {
    if (loop.bound.contains("::"))
      return true;
    const llvm::StringRef owner =
        loop.bound.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    for (size_t t = loop.body.first; t < loop.body.last; ++t)
      if (types(t)) {
        const size_t name = owningName(tokens_, t + 1, loop.body.first);
        if (name < loop.body.last && tokens_.is(name, owner))
          return true;
      }
    return false;
  }

  bool isElement(size_t t) const {
    return t >= 3 && tokens_.is(t - 1, "[") && tokens_.is(t + 1, "]") && types(t - 2);
  }

  std::string problemInBody(const ElementLoop &loop) const {
    for (size_t t = loop.body.first; t < loop.body.last; ++t) {
      if (!tokens_.is(t, loop.variable) || tokens_[t].directive >= 0)
        continue;
      if (!isElement(t))
        return "the number of a fragment's element is used for something else: which element "
               "that is, CUDA leaves open";
      if (kindsOf(*types(t - 2)) != kindsOf(*types(i_)))
        return "elements move between fragments of different use or shape, whose layouts differ";
    }
    return problemOfValues(loop);
  }

  // What the elements meet, and where they go.
  std::string problemOfValues(const ElementLoop &loop) const {
    if (const llvm::StringRef name = changedOutside(loop); !name.empty())
      return "'" + name.str() +
             "' may keep something of one element for the next: which elements a lane holds, and "
             "in "
             "which order, CUDA leaves open";
    if (meetsLaneValue(loop.body))
      return "elements of a fragment meet a value that differs by lane: which element a lane "
             "holds, CUDA leaves open";
    return "";
  }

  // What the body changes that is neither an element nor its own variable, calls for the sake of
  // what that does, or ends by; empty if nothing.
  llvm::StringRef changedOutside(const ElementLoop &loop) const {
    for (size_t t = loop.body.first; t < loop.body.last; ++t) {
      if (tokens_[t].directive >= 0)
        continue;
      if (isCallForEffect(t, loop) || tokens_.is(t, "break") || tokens_.is(t, "return") ||
          tokens_.is(t, "goto")) // what follows depends on the elements before
        return tokens_.spelling(t);
      const std::optional<size_t> name = changedAt(t, loop.body);
      if (!name || tokens_.spelling(*name) == rangeVariable(loop))
        continue;
      if (!isElementOf(*name, loop.body.last) && !isOwn(tokens_.spelling(*name), loop.body))
        return tokens_.spelling(*name);
    }
    return "";
  }

  // The name whose value the operator at token t changes, if it is one that does.
  std::optional<size_t> changedAt(size_t t, TokenStream::Range body) const {
    const tok::TokenKind kind = tokens_[t].kind, before = tokens_[t - 1].kind;
    if (!isAssignment(kind) && !isStep(kind))
      return std::nullopt;
    if (isStep(kind) && before != tok::raw_identifier && before != tok::r_square &&
        before != tok::r_paren)
      return t + 1; // ++x
    const size_t name = owningName(tokens_, t, body.first);
    return name < body.last ? name : t - 1; // (*p).x[i] = 0: what owns it is not seen
  }

  // `f(x, y);`, which may keep what it is given. Atomics are done in any order.
  bool isCallForEffect(size_t t, const ElementLoop &loop) const {
    const tok::TokenKind before = tokens_[t - 1].kind;
    std::vector<TokenStream::Range> arguments;
    size_t close = 0;
    return tokens_[t].kind == tok::raw_identifier && !tokens_.spelling(t).starts_with("atomic") &&
           (t == loop.body.first || before == tok::semi || before == tok::l_brace ||
            before == tok::r_brace || before == tok::r_paren) &&
           tokens_.callArguments(t + 1, arguments, close) && tokens_.is(close + 1, ";");
  }

  static llvm::StringRef rangeVariable(const ElementLoop &loop) {
    return loop.bound.empty() ? loop.variable : llvm::StringRef();
  }

  // Is what the name at token `t` owns an element of a fragment: c.x[t], c[i].x[t]?
  bool isElementOf(size_t t, size_t last) const {
    if (tokens_.is(t, "]"))
      return isElement(t - 1);
    for (++t; t < last; ++t)
      if (tokens_[t].kind == tok::l_square)
        t = tokens_.matching(t);
      else if (types(t))
        return true;
      else if (!tokens_.is(t, ".") && !tokens_.is(t, "->") &&
               tokens_[t].kind != tok::raw_identifier)
        return false;
    return false;
  }

  // Declared in the body: a name behind that of its type. A reference counts if it is one to an
  // element.
  bool isOwn(llvm::StringRef name, TokenStream::Range body) const {
    for (size_t t = body.first + 1; t + 1 < body.last; ++t) {
      if (!tokens_.is(t, name))
        continue;
      const bool isReference = tokens_.is(t - 1, "&");
      return (isReference || tokens_[t - 1].kind == tok::raw_identifier) &&
             !tokens_.is(t - 1, "else") &&
             (!isReference || (tokens_.is(t + 1, "=") && isElementOf(t + 2, body.last)));
    }
    return false;
  }

  // Is there any name but those of the fragments that differs by lane?
  bool meetsLaneValue(TokenStream::Range body) const {
    std::set<size_t> fragments;
    for (size_t t = body.first; t < body.last; ++t)
      if (types(t))
        fragments.insert(owningName(tokens_, t + 1, body.first));
    const Uniformity uniformity(tokens_, i_);
    for (size_t t = body.first; t < body.last; ++t)
      if (!fragments.count(t) && uniformity.ofName(t, body.last) == Varies::ByLane)
        return true;
    return false;
  }

  const Program &program_;
  unsigned file_;
  const TokenStream &tokens_;
  size_t i_;
};

} // namespace

std::string positionalUse(const Program &program, unsigned file, size_t i) {
  return Use(program, file, i).problem();
}

} // namespace layout_port
