// Reductions of a block, one level a wave instead of one a warp.
//
//   int lane = tid % 32, warp = tid / 32;            lane = tid % 64, warp = tid / 64
//   for (int o = 16; o > 0; o /= 2)                  for (int o = 32; o > 0; o /= 2)
//     v += __shfl_down_sync(full, v, o);       ──▶     v += lp::wave_xor(v, o);
//   if (lane == 0) part[warp] = v;                   unchanged
//   __syncthreads();
//   v = tid < blockDim.x / 32 ? part[lane] : 0;      v = tid < blockDim.x / 64 ? ...
//   if (warp == 0) <the loop again>                  ...
//   if (tid == 0) *out = v;                          unchanged
//
// With W for the size of a warp the code says: sum W values, keep one sum for each W
// threads, add those. Any W that divides the block gives the same; so W may be 64 where
// (1) the block is known to be whole waves, (2) lane, warp and the numbers 32, 31, 16 and 5
// stand nowhere but in these roles, and (3) only thread 0 looks at the result, which other
// threads of the first warp would find changed. Each is checked on the tokens; where one
// does not hold the reduction keeps its 32 lanes and a note says why.
#include "warp/widen/Widen.h"

#include "source/Match.h"
#include "warp/uniform/Uniform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

namespace {

using Range = TokenStream::Range;

// One replacement of tokens.
struct Change {
  Range tokens;
  std::string text;
};

// for (int o = 16; o > 0; o /= 2) v = op(v, shfl(v, o))
struct Tree {
  Range tokens{0, 0};
  llvm::StringRef value;
  std::vector<Change> changes;
};

bool isWarpName(llvm::StringRef s) {
  return s == "warpSize" || s.equals_insensitive("warp_size") || s.equals_insensitive("warpsize") ||
         s.equals_insensitive("kWarpSize");
}

bool is32(llvm::StringRef s) { return s == "32" || s == "32u" || s == "32U" || isWarpName(s); }

// A number or name that speaks of a warp of 32 lanes.
bool speaksOfWarp(llvm::StringRef s) {
  return is32(s) || s == "31" || s == "0x1f" || s == "0x1F" || s == "31u" || s == "16" || s == "5";
}

// The body of a function and what is known of its names.
class Body {
public:
  Body(const Program &program, unsigned file, size_t i)
      : program_(program), file_(file), tokens_(program.file(file).tokens), uniform_(tokens_, i) {}

  const TokenStream &tokens() const { return tokens_; }
  Range range() const { return uniform_.body(); }
  const Uniformity &uniform() const { return uniform_; }

  // The tree that begins at token i, if one does.
  bool parseTree(size_t i, Tree &tree) const;
  bool isWholeShuffle(size_t i, llvm::StringRef value, llvm::StringRef step, size_t &end) const;

private:
  const Program &program_;
  const unsigned file_;
  const TokenStream &tokens_;
  const Uniformity uniform_;
};

// __shfl_xor_sync(full, value, step), with width 32 or none.
bool Body::isWholeShuffle(size_t i, llvm::StringRef value, llvm::StringRef step,
                          size_t &end) const {
  const bool sync = tokens_.is(i, "__shfl_xor_sync") || tokens_.is(i, "__shfl_down_sync");
  if (!sync && !tokens_.is(i, "__shfl_xor") && !tokens_.is(i, "__shfl_down"))
    return false;
  std::vector<Range> args;
  if (!tokens_.callArguments(i + 1, args, end))
    return false;
  const size_t first = sync ? 1 : 0;
  if (args.size() < first + 2 || args.size() > first + 3 || tokens_.textOf(args[first]) != value ||
      tokens_.textOf(args[first + 1]) != step)
    return false;
  if (args.size() == first + 3 && !is32(tokens_.textOf(args[first + 2])))
    return false;
  const Place place{file_, tokens_[i].offset};
  return !sync || (program_.facts.wholeMasks.count(place) != 0 &&
                   program_.facts.partialMasks.count(place) == 0);
}

bool isAssociative(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"max", "min", "fmaxf", "fminf", "fmax", "fmin"}, true)
      .Cases({"__hadd2", "__hadd", "__hmax2", "__hmin2", "__hmax", "__hmin"}, true)
      .Default(false);
}

bool Body::parseTree(size_t i, Tree &tree) const {
  const TokenStream &t = tokens_;
  if (!isCallOf(t, i, "for"))
    return false;
  const size_t close = t.matching(i + 1);
  // (int o = 16; o > 0; o /= 2)
  size_t name = i + 2;
  while (name < close && !t.is(name + 1, "="))
    ++name;
  const llvm::StringRef step = t.spelling(name);
  size_t start = name + 2, semi = start;
  while (semi < close && !t.is(semi, ";"))
    ++semi;
  const bool half = semi == start + 3 && is32(t.spelling(start)) &&
                    ((t.is(start + 1, "/") && t.is(start + 2, "2")) ||
                     (t.is(start + 1, ">>") && t.is(start + 2, "1")));
  if (name >= close || (!half && !(semi == start + 1 && t.is(start, "16"))))
    return false;
  size_t test = semi + 1, second = test;
  while (second < close && !t.is(second, ";"))
    ++second;
  const std::string condition = t.textOf({test, second}).str();
  if (condition != (step + " > 0").str() && condition != (step + ">0").str() &&
      condition != (step + " >= 1").str() && condition != step)
    return false;
  const bool halves = t.is(second + 1, step) && second + 4 == close &&
                      ((t.is(second + 2, "/=") && t.is(second + 3, "2")) ||
                       (t.is(second + 2, ">>=") && t.is(second + 3, "1")));
  if (!halves)
    return false;
  // v += shfl(...);  v = max(v, shfl(...));
  size_t v = close + 1;
  const bool braces = t.is(v, "{");
  v += braces;
  tree.value = t.spelling(v);
  size_t shuffle = v + 2, end = 0;
  if (t.is(v + 1, "=") && isAssociative(t.spelling(v + 2)) && t.is(v + 3, "(") &&
      t.is(v + 4, tree.value) && t.is(v + 5, ","))
    shuffle = v + 6;
  else if (t.is(v + 1, "=") && t.is(v + 2, tree.value) && t.is(v + 3, "+"))
    shuffle = v + 4;
  else if (!t.is(v + 1, "+=") && !t.is(v + 1, "|=") && !t.is(v + 1, "&=") && !t.is(v + 1, "^="))
    return false;
  if (!isWholeShuffle(shuffle, tree.value, step, end))
    return false;
  size_t last = end + 1;
  if (shuffle == v + 6) {
    if (!t.is(last, ")"))
      return false;
    ++last;
  }
  if (!t.is(last, ";") || (braces && !t.is(last + 1, "}")))
    return false;
  tree.tokens = {i, last + 1 + braces};
  tree.changes = {
      {{start, semi}, "32"},
      {{shuffle, end + 1}, "lp::wave_xor(" + tree.value.str() + ", " + step.str() + ")"}};
  return true;
}

// Finds the reductions of one function and says what would change.
class Reduction {
public:
  Reduction(const Body &body, const llvm::StringMap<Tree> &helpers)
      : body_(body), t_(body.tokens()), helpers_(helpers) {}

  // Empty if it may be widened; then changes() and calls() are set.
  std::string read() {
    findTrees();
    if (trees_ == 0)
      return "no tree over 32 lanes is recognised in it";
    findNames();
    if (lane_.empty() || warp_.empty())
      return "the lane and the warp of a thread are not seen to come from its number";
    const char *missing = findRoles();
    if (missing)
      return missing;
    return findOthers();
  }

  const std::vector<Change> &changes() const { return changes_; }
  const llvm::StringSet<> &calls() const { return calls_; }
  bool returnsValue() const { return returns_; }

private:
  void cover(Range range) {
    for (size_t i = range.first; i < range.last; ++i)
      covered_.insert(i);
  }

  void findTrees() {
    for (size_t i = body_.range().first; i < body_.range().last; ++i) {
      Tree tree;
      if (body_.parseTree(i, tree)) {
        ++trees_;
        value_ = tree.value;
        llvm::append_range(changes_, tree.changes);
        cover(tree.tokens);
        treeAt_.insert({i, tree.tokens.last});
      } else if (t_.is(i + 1, "=") && helpers_.count(t_.spelling(i + 2)) && t_.is(i + 3, "(") &&
                 t_.is(i + 4, t_.spelling(i)) && t_.is(i + 5, ")") && t_.is(i + 6, ";")) {
        ++trees_; // v = warpSum(v);
        value_ = t_.spelling(i);
        calls_.insert(t_.spelling(i + 2));
        treeAt_.insert({i, i + 7});
        cover({i, i + 7});
      }
    }
  }

  // The number that divides: `X % 32`, `X & 31`, `X / 32`, `X >> 5` with X a thread's number.
  bool isPart(Range value, bool ofLane) const {
    if (value.last < value.first + 3)
      return false;
    const size_t op = value.last - 2;
    const llvm::StringRef n = t_.spelling(op + 1);
    const bool lane = (t_.is(op, "%") && is32(n)) || (t_.is(op, "&") && (n == "31" || n == "0x1f"));
    const bool warp = (t_.is(op, "/") && is32(n)) || (t_.is(op, ">>") && n == "5");
    return (ofLane ? lane : warp) && body_.uniform().isThreadNumber({value.first, op});
  }

  static std::string widened(llvm::StringRef n) {
    return llvm::StringSwitch<std::string>(n)
        .Cases({"31", "0x1f", "0x1F", "31u"}, "63")
        .Case("5", "6")
        .Default("64");
  }

  void widenNumber(size_t i) {
    changes_.push_back({{i, i + 1}, widened(t_.spelling(i))});
    covered_.insert(i);
  }

  Range valueAt(size_t first) const {
    size_t last = first;
    for (int depth = 0; last < body_.range().last; ++last) {
      depth += t_.is(last, "(") - t_.is(last, ")");
      if (depth < 0 || t_.is(last, ";") || (depth == 0 && t_.is(last, ",")))
        break;
    }
    return {first, last};
  }

  // lane, warp and the number of warps.
  void findNames() {
    for (size_t i = body_.range().first + 1; i < body_.range().last; ++i) {
      if (!t_.is(i, "=") || t_[i - 1].kind != tok::raw_identifier)
        continue;
      const Range value = valueAt(i + 1);
      const llvm::StringRef name = t_.spelling(i - 1);
      if (isPart(value, /*ofLane=*/true) && lane_.empty())
        lane_ = name;
      else if (isPart(value, /*ofLane=*/false) && warp_.empty())
        warp_ = name;
      else if (isCount(value) && count_.empty())
        count_ = name;
      else
        continue;
      covered_.insert(i - 1);
      for (size_t n = value.first; n < value.last; ++n)
        if (speaksOfWarp(t_.spelling(n)))
          widenNumber(n);
    }
  }

  // blockDim.x / 32, blockDim.x >> 5, (blockDim.x + 31) / 32
  bool isCount(Range value) const {
    std::string text;
    for (size_t i = value.first; i < value.last; ++i)
      text += is32(t_.spelling(i)) ? "32" : t_.spelling(i).str();
    return text == "blockDim.x/32" || text == "blockDim.x>>5" || text == "(blockDim.x+31)/32" ||
           text == "(blockDim.x/32)" || text == "(blockDim.x+32-1)/32";
  }

  bool isZero(size_t i, llvm::StringRef name) const {
    return (t_.is(i, name) && t_.is(i + 1, "==") && t_.is(i + 2, "0")) ||
           (t_.is(i, "!") && t_.is(i + 1, name));
  }

  // The parts behind the first tree; null if all are there.
  const char *findRoles() {
    const size_t from = body_.range().first, to = body_.range().last;
    size_t kept = 0, read = 0;
    for (size_t i = from; i < to; ++i) {
      if (isCallOf(t_, i, "if") && isZero(i + 2, lane_)) {
        const size_t at = t_.matching(i + 1) + 1 + t_.is(t_.matching(i + 1) + 1, "{");
        if (t_.is(at + 1, "[") && t_.is(at + 2, warp_) && t_.is(at + 3, "]") &&
            t_.is(at + 4, "=") && t_.is(at + 5, value_) && t_.is(at + 6, ";")) {
          kept = at;
          part_ = t_.spelling(at);
          cover({i, at + 7});
        }
      } else if (kept && t_.is(i, value_) && t_.is(i + 1, "=") && isSecondRead(i, read)) {
        i = read;
      } else if (kept && isCallOf(t_, i, "if") && isZero(i + 2, warp_)) {
        const size_t next = t_.matching(i + 1) + 1, inner = next + t_.is(next, "{");
        const auto tree = treeAt_.find(skipPragma(inner));
        if (tree != treeAt_.end())
          cover({i, next});
      } else if (kept && isCallOf(t_, i, "if") && isFirstWarp({i + 2, t_.matching(i + 1)})) {
        const size_t next = t_.matching(i + 1) + 1;
        if (treeAt_.count(skipPragma(next + t_.is(next, "{"))))
          widenNumber(t_.matching(i + 1) - 1);
      }
    }
    if (!kept)
      return "no lane 0 is seen to keep the sum of its warp in shared memory";
    if (!read)
      return "the second level is not seen to read one value a warp";
    if (trees_ != 2 || treeAt_.begin()->first > kept || treeAt_.rbegin()->first < read)
      return "it is not one tree for each of two levels";
    begin_ = treeAt_.begin()->second;
    end_ = treeAt_.rbegin()->second;
    return nullptr;
  }

  // tid < 32
  bool isFirstWarp(Range test) const {
    return test.last >= test.first + 3 && t_.is(test.last - 2, "<") &&
           is32(t_.spelling(test.last - 1)) &&
           body_.uniform().isThreadNumber({test.first, test.last - 2});
  }

  // Does every thread of the block come to the first level?
  bool allThreadsCome() const {
    const size_t first = treeAt_.begin()->first;
    for (size_t i = body_.range().first; i < end_; ++i) {
      if (t_.is(i, "return"))
        return false;
      const bool branches = isCallOf(t_, i, "if") || isCallOf(t_, i, "for") ||
                            isCallOf(t_, i, "while") || isCallOf(t_, i, "switch");
      const size_t close = branches && i < first ? t_.matching(i + 1) : 0;
      if (close && close < first && first < endOfStatement(t_, i) &&
          body_.uniform().of({i + 2, close}) != Varies::Never)
        return false;
    }
    return true;
  }

  size_t skipPragma(size_t i) const {
    while (i < t_.size() && t_[i].directive >= 0)
      ++i;
    return i;
  }

  // v = tid < blockDim.x / 32 ? part[lane] : 0;
  bool isSecondRead(size_t i, size_t &end) {
    const Range value = valueAt(i + 2);
    size_t question = value.first;
    while (question < value.last && !t_.is(question, "?"))
      ++question;
    if (question + 6 > value.last || !t_.is(question + 1, part_) || !t_.is(question + 2, "[") ||
        !t_.is(question + 3, lane_) || !t_.is(question + 4, "]") || !t_.is(question + 5, ":"))
      return false;
    Range test{value.first, question};
    if (t_.is(test.first, "(") && t_.matching(test.first) + 1 == test.last)
      test = {test.first + 1, test.last - 1};
    size_t less = test.first;
    while (less < test.last && !t_.is(less, "<"))
      ++less;
    if (less == test.last)
      return false;
    const Range who{test.first, less}, bound{less + 1, test.last};
    const bool known = (who.last == who.first + 1 && t_.is(who.first, lane_)) ||
                       body_.uniform().isThreadNumber(who);
    const bool counts = isCount(bound) || (bound.last == bound.first + 1 && !count_.empty() &&
                                           t_.is(bound.first, count_));
    if (!known || !counts)
      return false;
    for (size_t n = bound.first; n < bound.last; ++n)
      if (speaksOfWarp(t_.spelling(n)))
        widenNumber(n);
    cover({i, value.last});
    end = value.last;
    return true;
  }

  // No other use of what speaks of warps, and nobody but thread 0 sees the result.
  std::string findOthers() {
    if (!allThreadsCome())
      return "not all threads of the block are seen to come to it";
    for (size_t i = body_.range().first; i < body_.range().last; ++i) {
      if (covered_.count(i) || t_[i].directive >= 0)
        continue;
      if (t_.is(i, "__shared__")) {
        while (!t_.is(i, ";"))
          ++i; // room for one value a warp is more than enough
        continue;
      }
      const llvm::StringRef s = t_.spelling(i);
      if (s == lane_ || s == warp_ || (!count_.empty() && s == count_))
        return "'" + s.str() + "' is used for something else too";
      if (speaksOfWarp(s))
        return "'" + s.str() + "' may speak of a warp elsewhere in it";
      if (s == part_)
        return "'" + s.str() + "' is read elsewhere too";
      if (s.starts_with("__shfl") || s.starts_with("__ballot") || s.starts_with("__syncwarp"))
        return "there is a " + s.str() + " beside it";
      if (i >= begin_ && i < end_ && s == value_)
        return "'" + s.str() + "' is used between the levels";
      if (i >= end_ && s == value_ && !underOneThread(i)) {
        if (!t_.is(i - 1, "return"))
          return "threads other than the first look at the result";
        returns_ = true;
      }
    }
    return "";
  }

  bool underOneThread(size_t i) const {
    for (size_t f = end_; f < i; ++f) {
      if (!isCallOf(t_, f, "if"))
        continue;
      const size_t close = t_.matching(f + 1);
      if (close < i && i < endOfStatement(t_, close + 1) &&
          body_.uniform().admitsOneThread({f + 2, close}))
        return true;
    }
    return false;
  }

  const Body &body_;
  const TokenStream &t_;
  const llvm::StringMap<Tree> &helpers_;
  std::set<size_t> covered_;
  std::map<size_t, size_t> treeAt_;
  std::vector<Change> changes_;
  llvm::StringSet<> calls_;
  llvm::StringRef value_, lane_, warp_, count_, part_;
  unsigned trees_ = 0;
  size_t begin_ = 0, end_ = 0; // behind the first tree, and behind the second
  bool returns_ = false;
};

// The name of the function whose body begins at `open`.
size_t nameBefore(const TokenStream &tokens, size_t open) {
  for (size_t t = open; t-- > 0 && !tokens.is(t, ";") && !tokens.is(t, "}");)
    if (tokens.is(t, ")")) {
      int depth = 1;
      while (t-- > 0 && depth > 0)
        depth += tokens.is(t, ")") - tokens.is(t, "(");
      return t < tokens.size() && tokens[t].kind == tok::raw_identifier ? t : tokens.size();
    }
  return tokens.size();
}

class Widener {
public:
  explicit Widener(const Program &program) : program_(program) {}

  WidenedReductions run() {
    if (const std::string problem = blocks(); !problem.empty()) {
      result_.notes.push_back("--widen: reductions keep 32 lanes: " + problem);
      return std::move(result_);
    }
    for (unsigned f = 0; f < program_.files.size(); ++f)
      findHelpers(f);
    forEachIdentifier(program_, [&](unsigned, const SourceFile &file, size_t i) {
      if (file.tokens[i].directive >= 0 && helpers_.count(file.tokens.spelling(i)))
        narrow_.insert(file.tokens.spelling(i)); // a macro calls it
    });
    for (unsigned f = 0; f < program_.files.size(); ++f)
      eachFunction(f, [&](const Body &body, llvm::StringRef name) { look(f, body, name); });
    finishHelpers();
    return std::move(result_);
  }

private:
  // Each launch must be of whole waves.
  std::string blocks() const {
    if (program_.facts.launches.empty())
      return "no launch with a known block is in view";
    for (const auto &[place, launch] : program_.facts.launches)
      if (launch.threads % 64)
        return launch.kernel + " is launched with " + std::to_string(launch.threads) +
               " threads a block";
    std::string problem;
    forEachIdentifier(program_, [&](unsigned f, const SourceFile &file, size_t i) {
      if (file.tokens.is(i + 1, "<<<") &&
          !program_.facts.launches.count({f, file.tokens[i].offset}))
        problem = file.tokens.spelling(i).str() + " is launched with a block not known here";
    });
    return problem;
  }

  template <class Visit> void eachFunction(unsigned f, Visit visit) const {
    const TokenStream &tokens = program_.file(f).tokens;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!tokens.is(i, "{") || tokens[i].directive >= 0)
        continue;
      const Body body(program_, f, i + 1);
      if (body.range().first != i)
        continue;
      if (const size_t name = nameBefore(tokens, i); name < tokens.size())
        visit(body, tokens.spelling(name));
      i = body.range().last - 1;
    }
  }

  // T warpSum(T v) { <a tree over v> return v; }
  void findHelpers(unsigned f) {
    eachFunction(f, [&](const Body &body, llvm::StringRef name) {
      const TokenStream &t = body.tokens();
      size_t i = body.range().first + 1;
      while (t[i].directive >= 0)
        ++i;
      Tree tree;
      if (!names_.insert(name).second) {
        helpers_.erase(name); // several functions of one name
        return;
      }
      if (!body.parseTree(i, tree))
        return;
      const size_t end = tree.tokens.last;
      if (t.is(end, "return") && t.is(end + 1, tree.value) && t.is(end + 2, ";") &&
          end + 4 == body.range().last) {
        helpers_[name] = tree;
        helperFile_[name] = f;
      }
    });
  }

  void look(unsigned f, const Body &body, llvm::StringRef name) {
    if (helpers_.count(name) || !hasTree(body))
      return;
    Reduction reduction(body, helpers_);
    std::string problem = reduction.read();
    if (problem.empty() && reduction.returnsValue())
      problem = callers(name);
    if (!problem.empty()) {
      for (const auto &helper : helpers_)
        if (mentions(body, helper.first()))
          narrow_.insert(helper.first());
      result_.notes.push_back("--widen: the reduction in " + name.str() +
                              " keeps 32 lanes: " + problem);
      return;
    }
    pending_.push_back({f, name.str(), reduction.changes(), reduction.calls()});
  }

  bool mentions(const Body &body, llvm::StringRef name) const {
    for (size_t i = body.range().first; i < body.range().last; ++i)
      if (body.tokens().is(i, name))
        return true;
    return false;
  }

  bool hasTree(const Body &body) const {
    Tree tree;
    for (size_t i = body.range().first; i < body.range().last; ++i)
      if (body.parseTree(i, tree) || helpers_.count(body.tokens().spelling(i)))
        return true;
    return false;
  }

  // X = blockSum(v), and X is looked at by thread 0 only.
  std::string callers(llvm::StringRef name) const {
    std::string problem;
    forEachIdentifier(program_, [&](unsigned, const SourceFile &file, size_t i) {
      const TokenStream &t = file.tokens;
      if (!problem.empty() || !t.is(i, name))
        return;
      if (!t.is(i + 1, "(")) {
        problem = "it is used other than in a plain call";
        return;
      }
      const Uniformity uniform(t, i);
      if (uniform.body().last <= uniform.body().first || !t.is(i - 1, "=")) {
        if (uniform.body().last > uniform.body().first && !t.is(i - 1, "="))
          problem = "its result is not seen to be looked at by thread 0 only";
        return;
      }
      const llvm::StringRef result = t.spelling(i - 2);
      for (size_t u = t.matching(i + 1); u < uniform.body().last; ++u)
        if (t.is(u, result) && !underOneThread(t, uniform, u))
          problem = "threads other than the first look at its result";
    });
    return problem;
  }

  static bool underOneThread(const TokenStream &t, const Uniformity &uniform, size_t i) {
    for (size_t f = uniform.body().first; f < i; ++f) {
      if (!isCallOf(t, f, "if"))
        continue;
      const size_t close = t.matching(f + 1);
      if (close < i && i < endOfStatement(t, close + 1) && uniform.admitsOneThread({f + 2, close}))
        return true;
    }
    return false;
  }

  // A helper is widened with all who call it, or with none.
  void finishHelpers() {
    for (bool changed = true; changed;) {
      changed = false;
      for (Pending &p : pending_)
        for (const auto &call : p.calls)
          if (!p.dropped && narrow_.count(call.first())) {
            p.dropped = changed = true;
            result_.notes.push_back("--widen: the reduction in " + p.name +
                                    " keeps 32 lanes: others that do call " + call.first().str() +
                                    " too");
            for (const auto &other : p.calls)
              narrow_.insert(other.first());
          }
    }
    llvm::StringSet<> done;
    for (const Pending &p : pending_) {
      if (p.dropped)
        continue;
      emit(p.file, p.changes);
      for (const auto &call : p.calls)
        if (done.insert(call.first()).second)
          emit(helperFile_[call.first()], helpers_[call.first()].changes);
    }
  }

  void emit(unsigned f, const std::vector<Change> &changes) {
    for (const Change &change : changes) {
      Site site = siteAt(program_.file(f), f, change.tokens.first, change.tokens.last, "warp-widen",
                         program_.file(f).tokens.textOf(change.tokens), Tier::Emulated,
                         "a reduction of the block by waves of 64: blocks are whole waves, and "
                         "only thread 0 looks at the result");
      site.edits.push_back({f, site.begin, site.end - site.begin, change.text});
      if (llvm::StringRef(change.text).starts_with("lp::"))
        site.runtime = {"wave_xor"};
      result_.sites.push_back(site);
    }
  }

  struct Pending {
    unsigned file;
    std::string name;
    std::vector<Change> changes;
    llvm::StringSet<> calls;
    bool dropped = false;
  };

  const Program &program_;
  WidenedReductions result_;
  llvm::StringMap<Tree> helpers_;
  llvm::StringMap<unsigned> helperFile_;
  llvm::StringSet<> narrow_, names_;
  std::vector<Pending> pending_;
};

} // namespace

WidenedReductions widenReductions(const Program &program) { return Widener(program).run(); }

} // namespace layout_port
