#include "tensor/wmma/Elements.h"

#include "warp/uniform/Uniform.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port {

namespace {

// for (int t = 0; t < bound; t++) body
struct ElementLoop {
  llvm::StringRef variable, bound;
  TokenStream::Range body{0, 0};
};

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
    if (loop.bound.contains("num_elements") || loop.bound.contains("num_storage_elements"))
      return true;
    for (const std::string &kind : kindsOf(*types(i_)))
      if (loop.bound != "8" || !llvm::StringRef(kind).starts_with("accumulator") ||
          kind == "accumulator 8x8")
        return false;
    return true;
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
    if (meetsLaneValue(loop.body))
      return "elements of a fragment meet a value that differs by lane: which element a lane "
             "holds, CUDA leaves open";
    return "";
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
