// cuda::pipeline, cuda::barrier, cuda::memcpy_async and the __pipeline_ calls.
//
//   __pipeline_memcpy_async(s, g, 16)   ──▶  lp::pipeline_memcpy_async(s, g, 16)
//   cuda::barrier<scope> &b             ──▶  lp::barrier<lp::scope> &b
//
// A thread that waits keeps its wave busy. If the branch it waits in is not taken by the
// wave's other warp, and that warp is to arrive, both hang: a wait in such a branch is
// manual. Else all threads of the block wait, and the barrier of the block does for all.
// https://nvidia.github.io/cccl/libcudacxx/extended_api/synchronization_primitives.html
#include "source/Match.h"
#include "warp/uniform/Uniform.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

namespace {

llvm::StringRef chunkOf(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"pipeline", "make_pipeline", "pipeline_shared_state"}, "pipeline")
      .Case("pipeline_consumer_wait_prior", "pipeline")
      .Case("barrier", "barrier")
      .Case("memcpy_async", "memcpy_async")
      .Cases({"thread_scope_block", "thread_scope_thread", "thread_scope_device"}, "async_types")
      .Cases({"thread_scope_system", "thread_scope", "aligned_size_t"}, "async_types")
      .Default("");
}

bool isHeader(llvm::StringRef directive) {
  return directive.contains("<cuda/pipeline>") || directive.contains("<cuda/barrier>") ||
         directive.contains("cuda_pipeline");
}

// How much the conditions around token i differ inside a block.
Varies conditionsAround(const TokenStream &tokens, size_t i) {
  const Uniformity uniformity(tokens, i);
  Varies result = Varies::Never;
  for (size_t t = uniformity.body().first; t < i; ++t) {
    const bool branches = tokens.is(t, "if") || tokens.is(t, "while") || tokens.is(t, "for") ||
                          tokens.is(t, "switch");
    if (!branches || !tokens.is(t + 1, "(") || endOfStatement(tokens, t) <= i)
      continue;
    const size_t close = tokens.matching(t + 1);
    if (close < i)
      result = std::max(result, uniformity.of({t + 2, close}));
  }
  return result;
}

class PipelineRule : public Rule {
public:
  llvm::StringRef name() const override { return "async-pipeline"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    bool barriers = false, blocks = false;
    for (unsigned f = 0; f < program.files.size(); ++f)
      includes(f, program.file(f), sites);
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const TokenStream &tokens = file.tokens;
      if (tokens.is(i, "cuda") && tokens.is(i + 1, "::") && !tokens.is(i - 1, "::")) {
        barriers |= tokens.is(i + 2, "barrier");
        blocks |= tokens.is(i + 2, "pipeline_shared_state");
        qualified(f, file, i, sites);
      } else if (tokens.spelling(i).starts_with("__pipeline_")) {
        primitive(f, file, i, sites);
      } else if ((barriers && waitsAtBarrier(tokens, i)) ||
                 (blocks && waitsInPipeline(tokens, i))) {
        wait(f, file, i, sites);
      }
    });
  }

private:
  void includes(unsigned f, const SourceFile &file, std::vector<Site> &sites) const {
    for (const Directive &d : file.tokens.directives()) {
      const llvm::StringRef text = file.text().slice(d.begin, d.end);
      if (d.name != "include" || !isHeader(text))
        continue;
      Site site = siteAt(file, f, d.firstToken, d.lastToken, name(), text, Tier::Renamed,
                         "pipelines and barriers are those of the device runtime");
      site.edits.push_back({f, d.begin, 0, "// "});
      sites.push_back(site);
    }
  }

  // cuda::pipeline and its kin; other names of cuda:: are not this rule's.
  void qualified(unsigned f, const SourceFile &file, size_t i, std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    const llvm::StringRef what = tokens.spelling(i + 2);
    const llvm::StringRef chunk = chunkOf(what);
    Site site = siteAt(file, f, i, std::min(i + 3, tokens.size()), name(), what, Tier::Emulated,
                       "copies are done when they are issued");
    if (what == "pipeline_role" || (what == "make_pipeline" && arguments(tokens, i + 3) > 2)) {
      site.tier = Tier::Manual;
      site.reason = "producers and consumers of a pipeline in different warps: the two warps of a "
                    "wave would wait for each other";
    } else if (what == "barrier" && ofSeveralBlocks(tokens, i + 3)) {
      site.tier = Tier::Manual;
      site.reason = "a barrier of more than one block: who waits keeps its wave, and perhaps the "
                    "block that should arrive from starting";
    } else if (what == "device" || what == "ptx") {
      site.tier = Tier::Manual;
      site.reason = "transaction barriers and bulk copies have no counterpart on CDNA";
    } else if (chunk.empty()) {
      return;
    } else {
      if (chunk == "barrier")
        site.reason = "all its threads wait: the barrier of the block";
      site.edits.push_back({f, tokens[i].offset, tokens[i].length, "lp"});
      site.runtime = {chunk.str()};
    }
    sites.push_back(site);
  }

  // barrier<cuda::thread_scope_device>; without arguments it is of the whole system.
  static bool ofSeveralBlocks(const TokenStream &tokens, size_t open) {
    if (!tokens.is(open, "<"))
      return false;
    for (size_t t = open + 1; t < tokens.size() && !tokens.is(t, ">") && !tokens.is(t, ";"); ++t)
      if (tokens.is(t, "thread_scope_device") || tokens.is(t, "thread_scope_system"))
        return true;
    return tokens.is(open + 1, ">");
  }

  static size_t arguments(const TokenStream &tokens, size_t open) {
    std::vector<TokenStream::Range> args;
    size_t close = 0;
    return tokens.is(open, "(") && tokens.callArguments(open, args, close) ? args.size() : 0;
  }

  void primitive(unsigned f, const SourceFile &file, size_t i, std::vector<Site> &sites) const {
    const llvm::StringRef what = file.tokens.spelling(i);
    Site site = siteAt(file, f, i, i + 1, name(), what, Tier::Emulated,
                       "copies are done when they are issued");
    if (what == "__pipeline_memcpy_async" || what == "__pipeline_commit" ||
        what == "__pipeline_wait_prior") {
      const std::string function = what.drop_front(2).str();
      site.edits.push_back({f, site.begin, site.end - site.begin, "lp::" + function});
      site.runtime = {function};
    } else {
      site.tier = Tier::Manual;
      site.reason = "an arrival that copies make by themselves: arrive after them instead";
    }
    sites.push_back(site);
  }

  static bool isMemberCall(const TokenStream &tokens, size_t i) {
    return i > 0 && tokens.is(i + 1, "(") && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->"));
  }
  // b.wait(token), b.arrive_and_wait()
  static bool waitsAtBarrier(const TokenStream &tokens, size_t i) {
    return isMemberCall(tokens, i) &&
           (tokens.is(i, "wait") || tokens.is(i, "arrive_and_wait") || tokens.is(i, "wait_parity"));
  }
  static bool waitsInPipeline(const TokenStream &tokens, size_t i) {
    return tokens.is(i, "pipeline_consumer_wait_prior") ||
           (isMemberCall(tokens, i) &&
            (tokens.is(i, "producer_acquire") || tokens.is(i, "consumer_wait")));
  }

  void wait(unsigned f, const SourceFile &file, size_t i, std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    Site site = siteAt(file, f, i, i + 1, name(), tokens.spelling(i), Tier::Emulated,
                       "all warps of the block come here: its barrier waits for them");
    if (conditionsAround(tokens, i) != Varies::Never) {
      site.tier = Tier::Manual;
      site.reason = "waits in a branch that not all warps take: a wave would wait for its own "
                    "other half, which stands still meanwhile";
    }
    sites.push_back(site);
  }
};

} // namespace

std::unique_ptr<Rule> makePipelineRule() { return std::make_unique<PipelineRule>(); }

} // namespace layout_port
