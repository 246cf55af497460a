#include "warp/uniform/Uniform.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

// The outermost braces around token i that follow a parameter list, which is to say
// no namespace and no class.
static TokenStream::Range functionBody(const TokenStream &tokens, size_t i) {
  for (size_t open = 0; open < i; ++open) {
    if (tokens[open].kind != tok::l_brace || tokens[open].directive >= 0)
      continue;
    const size_t close = tokens.matching(open);
    if (close <= i || close >= tokens.size())
      continue;
    for (size_t t = open; t-- > 0;) {
      const tok::TokenKind kind = tokens[t].kind;
      if (kind == tok::r_paren)
        return {open, close + 1};
      if (kind == tok::semi || kind == tok::l_brace || kind == tok::r_brace)
        break;
    }
  }
  return {0, 0};
}

static Varies builtinVariation(llvm::StringRef name) {
  return llvm::StringSwitch<Varies>(name)
      .Cases({"threadIdx", "__laneid", "__activemask", "thread_rank"}, Varies::ByLane)
      .Cases({"lanemask_lt", "__match_any_sync", "coalesced_threads"}, Varies::ByLane)
      // Parameters and functions of the author's, by what everybody calls them.
      .CasesLower({"lane", "laneid", "lane_id", "laneidx", "lane_idx"}, Varies::ByLane)
      .CasesLower({"get_lane_id", "getlaneid", "tid", "tidx", "thread_id"}, Varies::ByLane)
      .CasesLower({"threadid", "thread_idx", "get_laneid"}, Varies::ByLane)
      .Default(Varies::Never);
}

static bool isThirtyTwo(llvm::StringRef s) {
  return s == "32" || s == "32u" || s == "warpSize" || s.contains_insensitive("warp_size") ||
         s.contains_insensitive("warpsize");
}

// Is token i, a name that differs by lane, divided by the size of a warp at once?
static bool dividedByWarp(const TokenStream &tokens, size_t i, size_t last) {
  size_t next = i + 1;
  if (tokens.is(next, ".") && tokens.is(next + 1, "x"))
    next += 2;
  if (next + 1 >= last)
    return false;
  return (tokens.is(next, "/") && isThirtyTwo(tokens.spelling(next + 1))) ||
         (tokens.is(next, ">>") && tokens.is(next + 1, "5"));
}

Uniformity::Uniformity(const TokenStream &tokens, size_t i)
    : tokens_(tokens), body_(functionBody(tokens, i)) {
  while (visitAssignments()) {
  }
}

Varies Uniformity::ofName(size_t i, size_t last) const {
  if (tokens_[i].kind != tok::raw_identifier)
    return Varies::Never;
  const llvm::StringRef name = tokens_.spelling(i);
  const auto known = names_.find(name);
  const Varies varies = known != names_.end() ? known->second : builtinVariation(name);
  return varies == Varies::ByLane && dividedByWarp(tokens_, i, last) ? Varies::ByWarp : varies;
}

Varies Uniformity::of(TokenStream::Range expression) const {
  Varies result = Varies::Never;
  for (size_t i = expression.first; i < expression.last; ++i)
    result = std::max(result, ofName(i, expression.last));
  return result;
}

static bool isAssignment(tok::TokenKind kind) {
  return kind == tok::equal || kind == tok::plusequal || kind == tok::minusequal ||
         kind == tok::starequal || kind == tok::slashequal || kind == tok::percentequal ||
         kind == tok::ampequal || kind == tok::pipeequal || kind == tok::caretequal ||
         kind == tok::lesslessequal || kind == tok::greatergreaterequal;
}

static size_t endOfValue(const TokenStream &tokens, size_t first, size_t last);

bool Uniformity::mentions(llvm::StringRef name, llvm::StringRef member) const {
  for (size_t i = body_.first; i < body_.last; ++i)
    if (tokens_.is(i, name) && tokens_.is(i + 1, ".") && tokens_.is(i + 2, member))
      return true;
  return false;
}

static std::string withoutSpaces(llvm::StringRef text) {
  std::string out;
  for (const char c : text)
    if (!isspace(static_cast<unsigned char>(c)) && c != '(' && c != ')')
      out += c;
  return out;
}

// The number of a thread in its block: threadIdx.x of a block with one row,
// threadIdx.y * blockDim.x + threadIdx.x, or a name that is set to one of these once.
bool Uniformity::isThreadNumber(TokenStream::Range expression) const {
  const std::string text = withoutSpaces(tokens_.textOf(expression));
  if (text == "threadIdx.x")
    return !mentions("threadIdx", "y") && !mentions("threadIdx", "z");
  if (text == "threadIdx.y*blockDim.x+threadIdx.x" ||
      text == "threadIdx.x+threadIdx.y*blockDim.x" ||
      text == "threadIdx.x+blockDim.x*threadIdx.y" || text == "blockDim.x*threadIdx.y+threadIdx.x")
    return !mentions("threadIdx", "z");
  if (expression.last != expression.first + 1 ||
      tokens_[expression.first].kind != tok::raw_identifier)
    return false;
  int assignments = 0;
  TokenStream::Range value{0, 0};
  for (size_t i = body_.first + 1; i + 1 < body_.last; ++i)
    if (tokens_.spelling(i) == text) {
      const bool changes = isAssignment(tokens_[i + 1].kind) || tokens_.is(i + 1, "++") ||
                           tokens_.is(i + 1, "--") || tokens_.is(i - 1, "++") ||
                           tokens_.is(i - 1, "--") || tokens_.is(i - 1, "&");
      assignments += changes;
      if (tokens_[i + 1].kind == tok::equal)
        value = {i + 2, endOfValue(tokens_, i + 2, body_.last)};
    }
  return assignments == 1 && value.last > value.first &&
         withoutSpaces(tokens_.textOf(value)) != text && isThreadNumber(value);
}

static bool isWarpMultiple(llvm::StringRef s) {
  unsigned number = 0;
  return isThirtyTwo(s) || (!s.rtrim("uU").getAsInteger(0, number) && number % 32 == 0);
}

bool Uniformity::splitsWarp(TokenStream::Range condition) const {
  if (of(condition) != Varies::ByLane)
    return false;
  // tid < 64, tid >= warpSize
  if (condition.last < condition.first + 3)
    return true;
  const size_t op = condition.last - 2;
  const bool aligned = (tokens_.is(op, "<") || tokens_.is(op, ">=")) &&
                       isWarpMultiple(tokens_.spelling(op + 1)) &&
                       isThreadNumber({condition.first, op});
  return !aligned;
}

bool Uniformity::admitsOneThread(TokenStream::Range condition) const {
  int depth = 0;
  size_t first = condition.first;
  for (size_t i = condition.first; i <= condition.last; ++i) {
    if (i < condition.last) {
      const tok::TokenKind kind = tokens_[i].kind;
      depth += kind == tok::l_paren || kind == tok::l_square;
      depth -= kind == tok::r_paren || kind == tok::r_square;
      if (depth == 0 && kind == tok::pipepipe)
        return false;
      if (depth != 0 || kind != tok::ampamp)
        continue;
    }
    // The conjunct [first, i): !tid, tid == 0, 0 == tid.
    const size_t n = i - first;
    if (n >= 2 && tokens_.is(first, "!") && isThreadNumber({first + 1, i}))
      return true;
    if (n >= 3 && tokens_.is(i - 2, "==") && isThreadNumber({first, i - 2}) &&
        of({i - 1, i}) == Varies::Never)
      return true;
    if (n >= 3 && tokens_.is(first + 1, "==") && isThreadNumber({first + 2, i}) &&
        of({first, first + 1}) == Varies::Never)
      return true;
    first = i + 1;
  }
  return false;
}

size_t owningName(const TokenStream &tokens, size_t end, size_t first) {
  for (size_t t = end; t-- > first;) {
    if (tokens[t].kind == tok::r_square) {
      int depth = 0;
      do {
        depth += tokens[t].kind == tok::r_square;
        depth -= tokens[t].kind == tok::l_square;
      } while (depth > 0 && t-- > first);
      continue;
    }
    if (tokens[t].kind != tok::raw_identifier)
      return tokens.size();
    if (!tokens.is(t - 1, ".") && !tokens.is(t - 1, "->"))
      return t;
    --t;
  }
  return tokens.size();
}

static size_t endOfValue(const TokenStream &tokens, size_t first, size_t last) {
  for (size_t t = first; t < last; ++t) {
    const tok::TokenKind kind = tokens[t].kind;
    if (kind == tok::l_paren || kind == tok::l_square || kind == tok::l_brace)
      t = tokens.matching(t);
    else if (kind == tok::semi || kind == tok::comma || kind == tok::r_paren ||
             kind == tok::r_brace)
      return t;
  }
  return last;
}

bool Uniformity::visitAssignments() {
  bool changed = false;
  for (size_t i = body_.first; i < body_.last; ++i) {
    if (!isAssignment(tokens_[i].kind))
      continue;
    const size_t name = owningName(tokens_, i, body_.first);
    if (name == tokens_.size())
      continue;
    const Varies varies = of({i + 1, endOfValue(tokens_, i + 1, body_.last)});
    Varies &known = names_.try_emplace(tokens_.spelling(name), Varies::Never).first->second;
    changed |= varies > known;
    known = std::max(known, varies);
  }
  return changed;
}

size_t endOfStatement(const TokenStream &tokens, size_t first) {
  while (first < tokens.size() && tokens[first].directive >= 0)
    ++first; // #pragma unroll
  if (first >= tokens.size())
    return first;
  if (tokens[first].kind == tok::l_brace)
    return std::min(tokens.matching(first) + 1, tokens.size());
  const llvm::StringRef word = tokens.spelling(first);
  if ((word == "for" || word == "while" || word == "if" || word == "switch") &&
      tokens.is(first + 1, "(")) {
    size_t end = endOfStatement(tokens, tokens.matching(first + 1) + 1);
    if (word == "if" && tokens.is(end, "else"))
      end = endOfStatement(tokens, end + 1);
    return end;
  }
  for (size_t t = first; t < tokens.size(); ++t) {
    const tok::TokenKind kind = tokens[t].kind;
    if (kind == tok::l_paren || kind == tok::l_square || kind == tok::l_brace)
      t = tokens.matching(t);
    else if (kind == tok::semi)
      return t + 1;
    else if (kind == tok::r_brace)
      return t;
  }
  return tokens.size();
}

} // namespace layout_port
