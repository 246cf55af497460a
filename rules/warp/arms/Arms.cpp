// What the whole warp must do together, in both arms of a branch that splits the warp.
//
//   if (lane < 16) { s[0] = v; __syncwarp(); }         if (lane & 1) a = __shfl_sync(~0u, x, 0);
//   else           { __syncwarp(); v = s[0]; }         else          a = __shfl_sync(~0u, y, 1);
//
// Since Volta the arms meet there. A wave of AMD runs one arm to its end and then the
// other, in an order of the compiler's: what the first arm writes behind its barrier, or
// the second before its own, comes at the wrong time, and a shuffle or vote finds the
// lanes of its own arm only. Masks that name no lane of the other arm are right as they
// are. A function that holds such a call counts as one.
//
//   if (warp == 0) { fill(s); __syncthreads(); }       warps 0 and 1 are one wave
//   else           { __syncthreads(); use(s); }
//
// A barrier of the block counts waves on AMD: one that the two warps of a wave come to in
// different arms is waited at twice. CUDA's guide leaves it undefined, and kernels whose warps
// have roles do it.
//
//   if (warp == 1) { s[lane] = v; return; }            nobody waits for who has left
//   __syncthreads(); use(s);
//
// There the wave may come to its barrier before it does what the other warp does on its way out.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#independent-thread-scheduling
#include "source/Match.h"
#include "source/WarpFacts.h"
#include "warp/uniform/Uniform.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace layout_port {

namespace {

bool isAllOnes(llvm::StringRef text) {
  std::string digits = text.trim().rtrim("uUlL").lower();
  return digits == "0xffffffff" || digits == "~0" || digits == "-1" || digits == "4294967295";
}

// __shfl_down_sync, __ballot_sync, __match_any_sync, __reduce_add_sync, __syncwarp ...
bool isWarpWide(llvm::StringRef name) {
  if (name == "__syncwarp")
    return true;
  return name.ends_with("_sync") &&
         (name.starts_with("__shfl") || name.starts_with("__match_") ||
          name.starts_with("__reduce_") || name == "__ballot_sync" || name == "__any_sync" ||
          name == "__all_sync" || name == "__uni_sync");
}

// Constants of the program that stand for all 32 lanes: `#define FULL 0xffffffff`,
// `constexpr unsigned full = ~0u`.
llvm::StringSet<> wholeMaskNames(const Program &program) {
  llvm::StringSet<> names;
  for (const std::unique_ptr<SourceFile> &file : program.files) {
    const TokenStream &tokens = file->tokens;
    for (const Directive &d : tokens.directives())
      if (d.name == "define" && d.firstToken + 3 < d.lastToken) {
        const TokenStream::Range body{d.firstToken + 3, d.lastToken};
        const llvm::StringRef text = tokens.textOf(body);
        if (isAllOnes(text) || isAllOnes(text.trim("() ")))
          names.insert(tokens.spelling(d.firstToken + 2));
      }
    for (size_t i = 1; i + 2 < tokens.size(); ++i)
      if (tokens[i].kind == tok::equal && tokens[i].directive < 0) {
        size_t end = i + 1;
        while (end < tokens.size() && tokens[end].kind != tok::semi &&
               tokens[end].kind != tok::comma && end < i + 5)
          ++end;
        if (isAllOnes(tokens.textOf({i + 1, end})))
          names.insert(tokens.spelling(i - 1));
      }
  }
  return names;
}

// Calls of all 32 lanes in a program, those of functions that hold one included.
class WholeWarpCalls {
public:
  explicit WholeWarpCalls(const Program &program)
      : program_(program), masks_(wholeMaskNames(program)) {
    while (addFunctions()) {
    }
  }

  // The name of the first such call in a range; empty if there is none.
  llvm::StringRef firstIn(unsigned f, TokenStream::Range range) const {
    const TokenStream &tokens = program_.file(f).tokens;
    for (size_t i = range.first; i < range.last; ++i)
      if (isCall(f, i))
        return tokens.spelling(i);
    return "";
  }

private:
  bool isCall(unsigned f, size_t i) const {
    const TokenStream &tokens = program_.file(f).tokens;
    if (tokens[i].kind != tok::raw_identifier)
      return false;
    const llvm::StringRef name = tokens.spelling(i);
    if (functions_.count(name))
      return tokens.is(i + 1, "(") || tokens.is(i + 1, "<");
    std::vector<TokenStream::Range> args;
    size_t close = 0;
    if (!isWarpWide(name) || !tokens.callArguments(i + 1, args, close))
      return false;
    if (args.empty())
      return name == "__syncwarp";
    const llvm::StringRef mask = tokens.textOf(args[0]);
    return isAllOnes(mask) || masks_.count(mask) ||
           program_.facts.wholeMasks.count({f, tokens[i].offset});
  }

  // The name before the parameter list of the function whose body begins at `open`.
  static llvm::StringRef nameOfBody(const TokenStream &tokens, size_t open) {
    for (size_t t = open; t-- > 0 && tokens[t].kind != tok::semi;)
      if (tokens[t].kind == tok::r_paren) {
        int depth = 1;
        while (t-- > 0 && depth > 0)
          depth += (tokens[t].kind == tok::r_paren) - (tokens[t].kind == tok::l_paren);
        return t < tokens.size() && tokens[t].kind == tok::raw_identifier ? tokens.spelling(t) : "";
      }
    return "";
  }

  bool addFunctions() {
    bool added = false;
    for (unsigned f = 0; f < program_.files.size(); ++f) {
      const TokenStream &tokens = program_.file(f).tokens;
      for (size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].directive >= 0 || !isCall(f, i))
          continue;
        const TokenStream::Range body = Uniformity(tokens, i).body();
        if (body.last > body.first)
          if (const llvm::StringRef name = nameOfBody(tokens, body.first); !name.empty())
            added |= functions_.insert(name).second;
        i = std::max(i, body.last == 0 ? i : body.last - 1); // the body has been counted
      }
    }
    return added;
  }

  const Program &program_;
  const llvm::StringSet<> masks_;
  llvm::StringSet<> functions_;
};

class ArmsRule : public Rule {
public:
  explicit ArmsRule(const WarpFacts &warps) : warps_(warps) {}
  llvm::StringRef name() const override { return "warp-arms"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    const WholeWarpCalls calls(program);
    for (unsigned f = 0; f < program.files.size(); ++f) {
      const SourceFile &file = program.file(f);
      for (size_t i = 0; i < file.tokens.size(); ++i)
        if (isCallOf(file.tokens, i, "if"))
          branch(calls, f, file, i, sites);
        else if (file.tokens[i].kind == tok::question && file.tokens[i].directive < 0)
          choice(calls, f, file, i, sites);
    }
  }

private:
  void branch(const WholeWarpCalls &calls, unsigned f, const SourceFile &file, size_t i,
              std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    const size_t close = tokens.matching(i + 1);
    if (close >= tokens.size())
      return;
    const size_t middle = endOfStatement(tokens, close + 1);
    if (!tokens.is(middle, "else"))
      return leaving(f, file, i, {close + 1, middle}, sites);
    const TokenStream::Range first{close, middle}, second{middle, endOfStatement(tokens, i)};
    arms(calls, f, file, {i + 2, close}, first, second, i, sites);
    const std::string parting = partsAtBarrier(f, tokens, first);
    const std::string other = partsAtBarrier(f, tokens, second);
    if (parting.empty() != other.empty() && acts(tokens, parting.empty() ? first : second))
      sites.push_back(waitsAlone(file, f, i, close + 1, parting.empty() ? other : parting));
    if (!parting.empty() && !other.empty())
      sites.push_back(
          siteAt(file, f, i, close + 1, "warp-arms", "__syncthreads", Tier::Manual,
                 "both arms of a branch inside a wave wait at __syncthreads: " + parting +
                     ", and a wave runs one arm to its end before the other"));
  }

  // Does it do anything but leave?
  static bool acts(const TokenStream &tokens, TokenStream::Range range) {
    for (size_t i = range.first; i < range.last; ++i)
      if (!tokens.is(i, "return") && !tokens.is(i, ";") && !tokens.is(i, "{") &&
          !tokens.is(i, "}") && !tokens.is(i, "else") && !tokens.is(i, ")"))
        return true;
    return false;
  }

  static Site waitsAlone(const SourceFile &file, unsigned f, size_t first, size_t last,
                         const std::string &why) {
    return siteAt(file, f, first, last, "warp-arms", "__syncthreads", Tier::Manual,
                  "one part of a wave waits at __syncthreads for what the other does before it "
                  "leaves: " +
                      why + ", and a wave may run the one that waits first");
  }

  // if (...) { what is done; return; }  and what is behind it, to the function's end.
  void leaving(unsigned f, const SourceFile &file, size_t i, TokenStream::Range arm,
               std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    bool leaves = false;
    for (size_t t = arm.first; t < arm.last; ++t)
      leaves |= tokens.is(t, "return");
    if (!leaves || !acts(tokens, arm))
      return;
    const std::string parting =
        partsAtBarrier(f, tokens, {arm.last, Uniformity(tokens, i).body().last});
    if (!parting.empty())
      sites.push_back(waitsAlone(file, f, i, arm.first, parting));
  }

  // Why a barrier of the block in these tokens is not the whole wave's; empty: none is known.
  std::string partsAtBarrier(unsigned f, const TokenStream &tokens,
                             TokenStream::Range range) const {
    for (size_t i = range.first; i < range.last; ++i) {
      if (!isCallOf(tokens, i, "__syncthreads"))
        continue;
      const WaveState state = warps_.waveAt({f, tokens[i].offset});
      if (state.kind == WaveState::Kind::Half ||
          (state.kind == WaveState::Kind::Perhaps &&
           llvm::StringRef(state.why).contains("may part by")))
        return state.why;
    }
    return "";
  }

  // condition ? first : second
  static void choice(const WholeWarpCalls &calls, unsigned f, const SourceFile &file, size_t i,
                     std::vector<Site> &sites) {
    const TokenStream &tokens = file.tokens;
    const size_t colon = endOfOperand(tokens, i + 1);
    if (!tokens.is(colon, ":"))
      return;
    arms(calls, f, file, {beginOfCondition(tokens, i), i}, {i, colon},
         {colon, endOfOperand(tokens, colon + 1)}, beginOfCondition(tokens, i), sites);
  }

  static size_t endOfOperand(const TokenStream &tokens, size_t first) {
    int choices = 0;
    for (size_t t = first; t < tokens.size(); ++t) {
      const tok::TokenKind kind = tokens[t].kind;
      if (kind == tok::l_paren || kind == tok::l_square || kind == tok::l_brace)
        t = tokens.matching(t);
      else if (kind == tok::question)
        ++choices;
      else if (kind == tok::colon && choices-- == 0)
        return t;
      else if (kind == tok::semi || kind == tok::comma || kind == tok::r_paren ||
               kind == tok::r_square || kind == tok::r_brace)
        return t;
    }
    return tokens.size();
  }

  static size_t beginOfCondition(const TokenStream &tokens, size_t question) {
    int depth = 0;
    for (size_t t = question; t-- > 0;) {
      const tok::TokenKind kind = tokens[t].kind;
      depth += kind == tok::r_paren || kind == tok::r_square;
      depth -= kind == tok::l_paren || kind == tok::l_square;
      if (depth < 0 ||
          (depth == 0 && (kind == tok::semi || kind == tok::comma || kind == tok::equal ||
                          kind == tok::plusequal || kind == tok::l_brace || kind == tok::r_brace ||
                          tokens.is(t, "return"))))
        return t + 1;
    }
    return question;
  }

  static void arms(const WholeWarpCalls &calls, unsigned f, const SourceFile &file,
                   TokenStream::Range condition, TokenStream::Range first,
                   TokenStream::Range second, size_t at, std::vector<Site> &sites) {
    const llvm::StringRef call = calls.firstIn(f, first), other = calls.firstIn(f, second);
    if (call.empty() || other.empty() || !Uniformity(file.tokens, at).splitsWarp(condition))
      return;
    sites.push_back(siteAt(file, f, at, condition.last + 1, "warp-arms", call, Tier::Manual,
                           "both arms of a branch inside a warp meet at " + call.str() +
                               ": a wave runs one arm to its end before the other"));
  }

  const WarpFacts &warps_;
};

} // namespace

std::unique_ptr<Rule> makeArmsRule(const WarpFacts &warps) {
  return std::make_unique<ArmsRule>(warps);
}

} // namespace layout_port
