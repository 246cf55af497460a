// Blocks of an odd number of warps, padded to whole waves.
//
//   k<<<grid, 32>>>(...)           ──▶  k<<<grid, 64 /* 32 */>>>(...)
//   __launch_bounds__(32)          ──▶  __launch_bounds__(64 /* 32 */)
//   threadIdx.x, in k              ──▶  (threadIdx.x & 31)
//   blockDim.x, in k               ──▶  32 /* blockDim.x */
//
//   k<<<grid, 96>>>(...)           ──▶  k<<<grid, 128 /* 96 */>>>(...)
//   threadIdx.x, in k              ──▶  lp::mirrored_thread(96)
//
//     lane    0 .. 31   32 .. 63        the wave that has one warp too few
//     thread  64 .. 95  64 .. 95
//
// MFMA wants 64 lanes, and the last warp has half of them. The other half mirrors it: lane
// l + 32 has the number, and so the data and the way, of lane l. Both walk in step, so both
// read before either writes, and what they write is the same. That holds for loads and stores;
// what counts how often it is done (atomics, prints, votes of the block) must not be in the
// kernel, nor anything else that tells the two apart. The kernel stays right for a launch that
// is not padded.
#include "launch/odd_warps/OddWarps.h"

#include "source/Match.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace layout_port {

namespace {

using Range = TokenStream::Range;

// A function of the program with a body, by the tokens of its definition.
struct Function {
  unsigned file = 0;
  size_t begin = 0; // of its declaration
  size_t name = 0;
  Range body{0, 0};
};

// `for (...) {` is no definition of a function called for.
bool isKeyword(llvm::StringRef name) {
  static const llvm::StringSet<> keywords = {"if",     "for",       "while",    "switch",
                                             "catch",  "constexpr", "noexcept", "requires",
                                             "sizeof", "decltype",  "alignas",  "return"};
  return keywords.contains(name);
}

// The functions named `name` that have a body.
std::vector<Function> definitions(const Program &program, llvm::StringRef name) {
  std::vector<Function> found;
  if (isKeyword(name))
    return found;
  forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
    const TokenStream &tokens = file.tokens;
    if (!tokens.is(i, name) || !tokens.is(i + 1, "("))
      return;
    size_t open = tokens.matching(i + 1) + 1;
    while (tokens.is(open, "const") || tokens.is(open, "noexcept"))
      ++open;
    if (!tokens.is(open, "{") || tokens.matching(open) >= tokens.size())
      return;
    Function function{f, i, i, {open, tokens.matching(open) + 1}};
    while (function.begin > 0 && !tokens.is(function.begin - 1, ";") &&
           !tokens.is(function.begin - 1, "}") && !tokens.is(function.begin - 1, "{") &&
           tokens[function.begin - 1].directive < 0)
      --function.begin;
    found.push_back(function);
  });
  return found;
}

// The word stands in PTX, and not as the end of another: "red." in "ldmatrix.shared.b16".
bool says(llvm::StringRef ptx, llvm::StringRef word) {
  for (size_t at = ptx.find(word); at != ptx.npos; at = ptx.find(word, at + 1))
    if (at == 0 || (!llvm::isAlnum(ptx[at - 1]) && ptx[at - 1] != '.' && ptx[at - 1] != '_') ||
        ptx.substr(0, at).ends_with("\\n") || ptx.substr(0, at).ends_with("\\t"))
      return true;
  return false;
}

// What counts how often it is done, or tells a thread from its mirror.
std::string distinguishing(const TokenStream &tokens, size_t i) {
  const llvm::StringRef name = tokens.spelling(i);
  if (name.starts_with("atomic"))
    return "an atomic would be done twice";
  if (name == "printf" || name == "malloc" || name == "new" || name == "free")
    return "'" + name.str() + "' would be done twice";
  if (name == "__syncthreads_count")
    return "'" + name.str() + "' would count twice";
  if (name == "cooperative_groups" || name == "cg" || name == "this_thread_block" || name == "cuda")
    return "groups and barriers of the block would count the mirror too";
  if (name == "asm" || name == "__asm__" || name == "__asm") {
    const size_t open = tokens.is(i + 1, "(") ? i + 1 : i + 2;
    const llvm::StringRef text =
        tokens.is(open, "(") ? tokens.textOf({open, tokens.matching(open)}) : "";
    for (const char *word :
         {"%tid", "%ntid", "%warpid", "%nwarpid", "atom.", "red.", "bar.", "barrier.", "mbarrier."})
      if (says(text, word))
        return std::string("PTX with ") + word + " would tell the halves apart";
  }
  return "";
}

// threadIdx.x % 32 and threadIdx.x & 31 are the same for a thread and its mirror.
bool takesLane(const TokenStream &tokens, size_t after) {
  return (tokens.is(after, "%") &&
          (tokens.is(after + 1, "32") || tokens.is(after + 1, "warpSize"))) ||
         (tokens.is(after, "&") && (tokens.is(after + 1, "31") || tokens.is(after + 1, "0x1f")));
}

class Padder {
public:
  // threads: of a block, an odd number of warps.
  Padder(const Program &program, unsigned threads, std::vector<Site> &sites)
      : program_(program), threads_(threads), sites_(sites) {}

  // Empty when the kernel was padded, else why not.
  std::string pad(const std::string &kernel) {
    const std::vector<Function> bodies = definitions(program_, kernel);
    if (bodies.size() != 1)
      return bodies.empty() ? "its body is not in view" : "there are several kernels of this name";
    std::string problem = collectLaunches(kernel, bodies[0]);
    if (problem.empty())
      problem = rewriteKernel(bodies[0]);
    if (problem.empty())
      llvm::move(made_, std::back_inserter(sites_));
    return problem;
  }

private:
  const TokenStream &tokensOf(unsigned f) const { return program_.file(f).tokens; }

  void replace(unsigned f, size_t first, size_t last, const std::string &text,
               llvm::StringRef construct, llvm::StringRef reason) {
    Site site = siteAt(program_.file(f), f, first, last, "launch-odd-warps", construct,
                       Tier::Emulated, reason);
    site.edits.push_back({f, site.begin, site.end - site.begin, text});
    made_.push_back(site);
  }

  // Each mention of the kernel is its definition, a declaration, or a launch of so many threads.
  std::string collectLaunches(const std::string &kernel, const Function &body) {
    std::string problem;
    unsigned launches = 0;
    forEachIdentifier(program_, [&](unsigned f, const SourceFile &file, size_t i) {
      if (!problem.empty() || !file.tokens.is(i, kernel) || (f == body.file && i == body.name))
        return;
      size_t chevrons = i + 1;
      if (file.tokens.is(chevrons, "<"))
        while (chevrons < file.tokens.size() && !file.tokens.is(chevrons, "<<<") &&
               !file.tokens.is(chevrons, ";"))
          ++chevrons;
      if (file.tokens.is(chevrons, "<<<")) {
        ++launches;
        problem = launch(f, i, chevrons);
      } else if (!isDeclaration(file.tokens, i)) {
        problem = "it is used other than in a launch, so not every launch is in view";
      } else if (f != 0) {
        problem = "a header declares it, so not every launch is in view";
      }
    });
    if (problem.empty() && launches == 0)
      return "no launch is in view";
    return problem;
  }

  static bool isDeclaration(const TokenStream &tokens, size_t i) {
    size_t open = i + 1;
    if (tokens.is(open, "<")) // an explicit instantiation
      while (open < tokens.size() && !tokens.is(open, "(") && !tokens.is(open, ";"))
        ++open;
    if (!tokens.is(open, "("))
      return false;
    const size_t close = tokens.matching(open);
    for (size_t t = i; t-- > 0 && !tokens.is(t, ";") && !tokens.is(t, "}");)
      if (tokens.is(t, "__global__"))
        return tokens.is(close + 1, ";");
    return false;
  }

  // k<<<grid, threads, ...>>>
  std::string launch(unsigned f, size_t name, size_t chevrons) {
    const TokenStream &tokens = tokensOf(f);
    const auto known = program_.facts.launches.find({f, tokens[name].offset});
    if (known == program_.facts.launches.end() || known->second.threads != threads_)
      return "it is launched with another number of threads too, or one not known here";
    size_t comma = chevrons + 1, end = 0;
    int depth = 0;
    for (; comma < tokens.size() && !(depth == 0 && tokens.is(comma, ",")); ++comma)
      depth += depthOf(tokens, comma);
    for (end = comma + 1, depth = 0;
         end < tokens.size() && !(depth == 0 && (tokens.is(end, ",") || tokens.is(end, ">>>")));
         ++end)
      depth += depthOf(tokens, end);
    const Range size{comma + 1, end};
    if (end >= tokens.size() || !isOneRow(tokens, size))
      return "the shape of its block is not seen to be one row";
    replace(f, size.first, size.last, padded(tokens.textOf(size)), "<<<>>>",
            threads_ == 32
                ? "a block of one warp, padded to a wave: the second half mirrors the first"
                : "a block of an odd number of warps, padded: the half wave left over mirrors the "
                  "last warp");
    return "";
  }

  static int depthOf(const TokenStream &tokens, size_t i) {
    const tok::TokenKind kind = tokens[i].kind;
    return (kind == tok::l_paren || kind == tok::l_brace || kind == tok::l_square) -
           (kind == tok::r_paren || kind == tok::r_brace || kind == tok::r_square);
  }

  std::string padded(llvm::StringRef text) const {
    return std::to_string(threads_ + 32) + " /* " + text.str() + " */";
  }

  // 32, WARP_SIZE, dim3(32), dim3(32, 1): a row. A variable that is a dim3 must be
  // made so wherever one of its name is. (That it keeps its value the launch's fact says.)
  bool isOneRow(const TokenStream &tokens, Range size) const {
    if (tokens.is(size.first, "dim3"))
      return size.last > size.first + 2 && isRowOfDim3(tokens, size.first + 1);
    if (size.last != size.first + 1)
      return true; // an expression of a whole number
    for (size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (!tokens.is(i, tokens.spelling(size.first)))
        continue;
      const bool set = tokens.is(i + 1, "=");
      const bool made = set || tokens.is(i + 1, "(") || tokens.is(i + 1, "{");
      if (made && !isRowOfDim3(tokens, set ? i + 2 : i + 1))
        return false;
    }
    return true;
  }

  // (32), (32, 1, 1), {32}; of `= 32` too.
  static bool isRowOfDim3(const TokenStream &tokens, size_t open) {
    if (tokens.is(open, "dim3"))
      ++open;
    if (!tokens.is(open, "(") && !tokens.is(open, "{"))
      return !tokens.is(open, ";");
    const size_t close = tokens.matching(open);
    int depth = 0;
    bool beyond = false;
    for (size_t i = open + 1; i < close; ++i) {
      depth += depthOf(tokens, i);
      if (depth == 0 && tokens.is(i, ","))
        beyond = true;
      else if (beyond && !tokens.is(i, "1"))
        return false;
    }
    return true;
  }

  std::string rewriteKernel(const Function &kernel) {
    const TokenStream &tokens = tokensOf(kernel.file);
    for (size_t i = kernel.begin; i < kernel.body.first; ++i)
      if (tokens.is(i, "__launch_bounds__")) {
        std::vector<Range> args;
        size_t close = 0;
        if (!tokens.callArguments(i + 1, args, close) || args.empty())
          return "its __launch_bounds__ cannot be read";
        replace(kernel.file, args[0].first, args[0].last, padded(tokens.textOf(args[0])),
                "__launch_bounds__", "padded to whole waves");
      }
    reached_.insert(tokens.spelling(kernel.name));
    return walk(kernel, /*rewrites=*/true);
  }

  // Looks at a function, and at those that it calls.
  std::string walk(const Function &function, bool rewrites) {
    const TokenStream &tokens = tokensOf(function.file);
    for (size_t i = function.body.first; i < function.body.last; ++i) {
      if (tokens[i].kind != tok::raw_identifier && !tokens.is(i, "new"))
        continue;
      std::string problem = distinguishing(tokens, i);
      if (problem.empty() && (tokens.is(i, "threadIdx") || tokens.is(i, "blockDim")))
        problem = place(function, i, rewrites);
      else if (problem.empty() && (tokens.is(i + 1, "(") || tokens.is(i + 1, "<")))
        problem = called(tokens.spelling(i));
      if (!problem.empty())
        return problem;
    }
    return "";
  }

  std::string called(llvm::StringRef name) {
    if (!reached_.insert(name).second)
      return "";
    for (const Function &function : definitions(program_, name))
      if (std::string problem = walk(function, /*rewrites=*/false); !problem.empty())
        return problem;
    return "";
  }

  // threadIdx.x or blockDim.x
  std::string place(const Function &function, size_t i, bool rewrites) {
    const TokenStream &tokens = tokensOf(function.file);
    if (!tokens.is(i + 1, "."))
      return "'" + tokens.spelling(i).str() + "' is used as a whole";
    if (!tokens.is(i + 2, "x") || (tokens.is(i, "threadIdx") && takesLane(tokens, i + 3)))
      return "";
    if (!rewrites || tokens[i].directive >= 0)
      return "a function or macro that it calls reads " + tokens.textOf({i, i + 3}).str();
    const bool thread = tokens.is(i, "threadIdx");
    if (thread)
      mirrorThread(function.file, i);
    else
      replace(function.file, i, i + 3, std::to_string(threads_) + " /* blockDim.x */", "blockDim.x",
              "padded to whole waves");
    return "";
  }

  void mirrorThread(unsigned f, size_t i) {
    if (threads_ == 32)
      return replace(f, i, i + 3, "(threadIdx.x & 31)", "threadIdx.x",
                     "the second half of the wave mirrors the first");
    replace(f, i, i + 3, "lp::mirrored_thread(" + std::to_string(threads_) + ")", "threadIdx.x",
            "the half wave left over mirrors the last warp");
    made_.back().runtime = {"mirrored_thread"};
  }

  const Program &program_;
  const unsigned threads_;
  std::vector<Site> &sites_;
  std::vector<Site> made_;
  llvm::StringSet<> reached_;
};

} // namespace

WarpBlockPorts padWarpBlocks(const Program &program, std::vector<Site> &sites) {
  WarpBlockPorts ports;
  std::map<std::string, unsigned> kernels;
  for (const auto &[place, launch] : program.facts.launches)
    if (launch.threads % 64 == 32)
      kernels.emplace(launch.kernel, launch.threads);
  for (const auto &[kernel, threads] : kernels) {
    const std::string problem = Padder(program, threads, sites).pad(kernel);
    if (problem.empty()) {
      ports.padded.push_back(kernel);
      continue;
    }
    ports.unpadded[kernel] = problem;
    ports.notes.push_back("kernel " + kernel + " keeps its blocks of " +
                          (threads == 32 ? "one warp" : std::to_string(threads / 32) + " warps") +
                          ": " + problem);
  }
  return ports;
}

} // namespace layout_port
