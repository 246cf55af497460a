// Loops in which a lane waits for another lane that may be of its own wave.
//
//   if (lane == 0) while (atomicCAS(lock, 0, 1)) ;      two warps of a wave, one lock
//   while (turn != warp) ;                              turn in shared memory
//
// Since Volta each lane of a warp gets on by itself, and warps always did. On AMD a wave
// leaves a loop when all of its lanes do: the lane that holds the lock stands behind the
// loop, waiting for those that wait for it. One thread of a block may wait for other
// blocks; who takes a lock and gives it back in one pass of a loop does not wait here.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#independent-thread-scheduling
#include "source/Match.h"
#include "warp/uniform/Uniform.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

namespace {

using Range = TokenStream::Range;

bool isAcquire(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"atomicCAS", "atomicCAS_block", "atomicCAS_system"}, true)
      .Cases({"atomicExch", "atomicExch_block", "atomicExch_system"}, true)
      .Default(false);
}

bool changesSomething(const TokenStream &tokens, Range range) {
  for (size_t i = range.first; i < range.last; ++i) {
    const tok::TokenKind kind = tokens[i].kind;
    if (kind == tok::equal || kind == tok::plusequal || kind == tok::minusequal ||
        kind == tok::plusplus || kind == tok::minusminus || kind == tok::caretequal ||
        kind == tok::ampequal || kind == tok::pipeequal)
      return true;
  }
  return false;
}

// Nothing, or only what passes the time: `;`, `{}`, __nanosleep(ns), __threadfence().
bool onlyWaits(const TokenStream &tokens, Range body) {
  for (size_t i = body.first; i < body.last; ++i) {
    if (tokens[i].kind != tok::raw_identifier)
      continue;
    const bool idle = tokens.spelling(i).starts_with("__nanosleep") ||
                      tokens.spelling(i).starts_with("__threadfence");
    if (!idle && (tokens.is(i + 1, "(") || changesSomething(tokens, body)))
      return false;
  }
  return !changesSomething(tokens, body);
}

// A loop: where it stands, what it asks, what it does.
struct Loop {
  size_t keyword = 0, end = 0;
  Range condition{0, 0}, body{0, 0};
};

// The middle part of for (a; b; c).
Range middleOfFor(const TokenStream &tokens, Range head) {
  size_t semis[2] = {head.last, head.last}, n = 0;
  for (size_t i = head.first; i < head.last && n < 2; ++i) {
    if (tokens[i].kind == tok::l_paren || tokens[i].kind == tok::l_square)
      i = tokens.matching(i);
    else if (tokens[i].kind == tok::semi)
      semis[n++] = i;
  }
  return {semis[0] + 1, semis[1]};
}

bool parseLoop(const TokenStream &tokens, size_t i, Loop &loop) {
  loop.keyword = i;
  if (isCallOf(tokens, i, "while") || isCallOf(tokens, i, "for")) {
    const size_t close = tokens.matching(i + 1);
    if (close >= tokens.size())
      return false;
    loop.condition = {i + 2, close};
    if (tokens.is(i, "for"))
      loop.condition = middleOfFor(tokens, loop.condition);
    loop.body = {close + 1, endOfStatement(tokens, close + 1)};
    loop.end = loop.body.last;
    return loop.condition.first <= loop.condition.last;
  }
  if (!tokens.is(i, "do") || tokens[i].directive >= 0)
    return false;
  const size_t after = endOfStatement(tokens, i + 1);
  if (!isCallOf(tokens, after, "while"))
    return false;
  const size_t close = tokens.matching(after + 1);
  loop.body = {i + 1, after};
  loop.condition = {after + 2, close};
  loop.end = close + 1;
  return close < tokens.size();
}

// Is there a call that takes a lock: atomicExch(p, 1), atomicCAS(p, 0, 1)? In
// atomicCAS(p, seen, f(seen)) somebody always gets on.
bool takesLock(const TokenStream &tokens, Range range) {
  for (size_t i = range.first; i < range.last; ++i) {
    std::vector<Range> args;
    size_t close = 0;
    if (tokens[i].kind != tok::raw_identifier || !isAcquire(tokens.spelling(i)) ||
        !tokens.callArguments(i + 1, args, close) || args.size() < 2)
      continue;
    const auto isPlain = [&](Range arg) {
      return arg.last == arg.first + 1 || tokens.is(arg.first, "-");
    };
    if (isPlain(args[1]) && (args.size() < 3 || isPlain(args[2])))
      return true;
  }
  return false;
}

// while (true) { if (atomicCAS(lock, 0, 1) == 0) break; }
bool breaksOnLock(const TokenStream &tokens, Range body) {
  for (size_t i = body.first; i < body.last; ++i) {
    if (!isCallOf(tokens, i, "if"))
      continue;
    const size_t close = tokens.matching(i + 1);
    if (close >= body.last || !takesLock(tokens, {i + 2, close}))
      continue;
    const size_t first = tokens.is(close + 1, "{") ? close + 2 : close + 1;
    return tokens.is(first, "break");
  }
  return false;
}

// Names of variables in shared memory.
llvm::StringSet<> sharedNames(const TokenStream &tokens) {
  llvm::StringSet<> names;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "__shared__"))
      continue;
    for (size_t t = i + 1; t < tokens.size() && !tokens.is(t, ";"); ++t)
      if (tokens[t].kind == tok::raw_identifier &&
          (tokens.is(t + 1, ";") || tokens.is(t + 1, ",") || tokens.is(t + 1, "[")))
        names.insert(tokens.spelling(t));
  }
  return names;
}

bool readsOne(const TokenStream &tokens, Range range, const llvm::StringSet<> &names) {
  for (size_t i = range.first; i < range.last; ++i)
    if (tokens[i].kind == tok::raw_identifier && names.count(tokens.spelling(i)))
      return true;
  return false;
}

// Does one thread of a block at most come to token i?
bool oneThreadComes(const TokenStream &tokens, const Uniformity &uniformity, size_t i) {
  for (size_t t = uniformity.body().first; t < i; ++t) {
    if (!isCallOf(tokens, t, "if"))
      continue;
    const size_t close = tokens.matching(t + 1);
    if (close < i && i < endOfStatement(tokens, close + 1) &&
        uniformity.admitsOneThread({t + 2, close}))
      return true;
  }
  return false;
}

constexpr llvm::StringLiteral lockReason =
    "lanes wait for a lock that another lane of their wave may hold, and the wave leaves the loop "
    "only with all its lanes: take the lock, use it and give it back in one pass of the loop, or "
    "let one thread of the block take it";
constexpr llvm::StringLiteral flagReason =
    "waits for a thread of the same block, which may be in the same wave and then stands still "
    "meanwhile: use __syncthreads()";

class SpinRule : public Rule {
public:
  llvm::StringRef name() const override { return "warp-spin"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    for (unsigned f = 0; f < program.files.size(); ++f) {
      const SourceFile &file = program.file(f);
      const llvm::StringSet<> shared = sharedNames(file.tokens);
      for (size_t i = 0; i < file.tokens.size(); ++i) {
        Loop loop;
        if (parseLoop(file.tokens, i, loop))
          look(f, file, loop, shared, sites);
      }
    }
  }

private:
  void look(unsigned f, const SourceFile &file, const Loop &loop, const llvm::StringSet<> &shared,
            std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    const bool idle = onlyWaits(tokens, loop.body);
    const bool lock =
        (idle && takesLock(tokens, loop.condition)) || breaksOnLock(tokens, loop.body);
    const bool flag = idle && !lock && readsOne(tokens, loop.condition, shared) &&
                      !changesSomething(tokens, loop.condition);
    if (!lock && !flag)
      return;
    const Uniformity uniformity(tokens, loop.keyword);
    if (lock && oneThreadComes(tokens, uniformity, loop.keyword))
      return;
    sites.push_back(siteAt(file, f, loop.keyword, loop.end, name(), lock ? "lock" : "flag",
                           Tier::Manual, lock ? lockReason : flagReason));
  }
};

} // namespace

std::unique_ptr<Rule> makeSpinRule() { return std::make_unique<SpinRule>(); }

} // namespace layout_port
