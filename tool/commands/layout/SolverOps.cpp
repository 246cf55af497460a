// serve: the solvers: convert, swizzle, tile_swizzle, gather, retile.
#include "Ops.h"

#include "layout_port/layouts/Convert.h"
#include "layout_port/layouts/Gather.h"
#include "layout_port/layouts/Retile.h"
#include "layout_port/layouts/Swizzle.h"

namespace layout_port::serve {

namespace json = llvm::json;
using wire::Reader;

namespace {

// Solvers count the registers of a wave one by one; a request may not make them count
// further than this.
constexpr int kMaxSolverBits = 18;

// What convert and swizzle have in common.
struct Conversion {
  LinearLayout src, dst;
  int bits;
  isa::Arch arch;
};

Result<LinearLayout> boundedLayout(const Reader &request, llvm::StringRef field) {
  Result<LinearLayout> layout = request.layout(field);
  if (layout && std::max(layout->totalInBits(), layout->totalOutBits()) > kMaxSolverBits)
    return makeError("field '%s': more than 2^%d elements", field.str().c_str(), kMaxSolverBits);
  return layout;
}

Result<Conversion> conversionOf(const Reader &request) {
  const Result<LinearLayout> src = boundedLayout(request, "src");
  if (!src)
    return src.error();
  const Result<LinearLayout> dst = boundedLayout(request, "dst");
  if (!dst)
    return dst.error();
  const Result<int64_t> bits = request.integer("bits", 1, 1024);
  if (!bits)
    return bits.error();
  const Result<isa::Arch> arch = request.arch();
  if (!arch)
    return arch.error();
  return Conversion{*src, *dst, static_cast<int>(*bits), *arch};
}

json::Array stepTexts(const ConversionPlan &plan) {
  json::Array steps;
  for (const PlanStep &step : plan.steps)
    steps.push_back(describe(step));
  return steps;
}

// contents[thread][register], null where a register holds nothing.
json::Array toJson(const Contents &contents) {
  json::Array threads;
  threads.reserve(contents.size());
  for (const std::vector<int64_t> &registers : contents) {
    json::Array elements;
    for (const int64_t element : registers)
      elements.push_back(element < 0 ? json::Value(nullptr) : json::Value(element));
    threads.push_back(std::move(elements));
  }
  return threads;
}

Answer convert(const Reader &request) {
  const Result<Conversion> asked = conversionOf(request);
  if (!asked)
    return asked.error();
  const Result<bool> run = request.flag("execute");
  if (!run)
    return run.error();
  const Result<ConversionPlan> plan =
      planConversion(asked->src, asked->dst, asked->bits, asked->arch);
  if (!plan)
    return plan.error();
  json::Object result{{"kind", planKindName(plan->kind)}, {"steps", stepTexts(*plan)},
                      {"selects", plan->cost.selects},    {"moves", plan->cost.moves},
                      {"lds_ops", plan->cost.ldsOps},     {"cycles", plan->cost.cycles}};
  if (!plan->note.empty())
    result["note"] = plan->note;
  if (*run) {
    const Result<Contents> contents = execute(*plan, contentsOf(asked->src, plan->waveSize));
    if (!contents)
      return contents.error();
    result["contents"] = toJson(*contents);
  }
  return json::Value(std::move(result));
}

Answer swizzle(const Reader &request) {
  const Result<Conversion> asked = conversionOf(request);
  if (!asked)
    return asked.error();
  const Result<std::optional<int>> write = request.optionalInteger("write_vector_bits", 1, 1024);
  if (!write)
    return write.error();
  const Result<std::optional<int>> read = request.optionalInteger("read_vector_bits", 1, 1024);
  if (!read)
    return read.error();
  SwizzleOptions options;
  options.writeVectorBits = *write;
  options.readVectorBits = *read;
  const Result<SwizzleSolution> found =
      solveSwizzle(asked->src, asked->dst, asked->bits, asked->arch, options);
  if (!found)
    return found.error();
  return json::Value(json::Object{
      {"layout", wire::toJson(found->memory)},
      {"write_vector_bits", found->write.vectorBits},
      {"read_vector_bits", found->read.vectorBits},
      {"write_instr", found->write.instruction},
      {"read_instr", found->read.instruction},
      {"write_passes", found->write.passes},
      {"read_passes", found->read.passes},
      {"lower_bound", found->lowerBound()},
      {"confidence",
       isa::confidenceName(std::min(found->write.confidence, found->read.confidence))}});
}

Answer gather(const Reader &request) {
  const Result<LinearLayout> src = boundedLayout(request, "src");
  if (!src)
    return src.error();
  const Result<LinearLayout> index = boundedLayout(request, "index");
  if (!index)
    return index.error();
  const Result<std::string> axis = request.text("axis");
  if (!axis)
    return axis.error();
  const Result<isa::Arch> arch = request.arch();
  if (!arch)
    return arch.error();
  if (!src->hasOut(*axis) || !index->hasOut(*axis))
    return makeError("field 'axis': '%.64s' is no out-dim of both layouts", axis->c_str());
  const Result<GatherPlan> plan = planGather(*src, *index, *axis, *arch);
  if (!plan)
    return json::Value(json::Object{{"legal", false}, {"why", plan.error().message}});
  return json::Value(json::Object{{"legal", true},
                                  {"kind", planKindName(plan->kind)},
                                  {"cost", plan->cost.cycles},
                                  {"selects", plan->cost.selects},
                                  {"moves", plan->cost.moves},
                                  {"lds_ops", plan->cost.ldsOps},
                                  {"lds_cost", plan->ldsCost.cycles}});
}

// ---- Retile --------------------------------------------------------------------

Result<PairBit> pairOf(const Reader &spare) {
  const Result<std::string> pair = spare.text("pair", "n");
  if (!pair)
    return pair.error();
  const std::pair<const char *, PairBit> names[] = {
      {"n", PairBit::N}, {"m", PairBit::M}, {"shared", PairBit::Shared}};
  for (const auto &[name, bit] : names)
    if (*pair == name)
      return bit;
  return Error{"field 'pair': n, m or shared"};
}

// {"n": ["j0", "j1"], "m": ["i0"], "k": ["kk0"], "pair": "n"}; absent: no spare bits.
Result<RetileRequest> retileRequestOf(const Reader &request) {
  const Result<std::string> mma = request.text("mma");
  if (!mma)
    return mma.error();
  const Result<isa::Arch> arch = request.arch();
  if (!arch)
    return arch.error();
  RetileRequest asked;
  asked.mma = *mma;
  asked.arch = *arch;
  const json::Value *value = request.find("spare");
  if (!value)
    return asked;
  if (!value->getAsObject())
    return Error{"field 'spare': {\"n\": [...], \"m\": [...], \"k\": [...], \"pair\": ...}"};
  const Reader spare(*value->getAsObject());
  const std::pair<const char *, std::vector<std::string> *> lists[] = {
      {"n", &asked.n}, {"m", &asked.m}, {"k", &asked.k}};
  for (const auto &[name, list] : lists) {
    if (!spare.has(name))
      continue;
    const Result<std::vector<std::string>> bits = spare.texts(name);
    if (!bits)
      return bits.error();
    *list = *bits;
  }
  const Result<PairBit> pair = pairOf(spare);
  if (!pair)
    return pair.error();
  asked.pair = *pair;
  return asked;
}

json::Value toJson(const RetileSolution &solution, isa::Arch arch) {
  const RetileCost &cost = solution.cost;
  return json::Object{{"instruction", solution.instruction->mnemonic(arch)},
                      {"swap", solution.swap},
                      {"assignment", json::Object{{"m", json::Array(solution.m)},
                                                  {"n", json::Array(solution.n)},
                                                  {"k", json::Array(solution.k)},
                                                  {"loops", json::Array(solution.loops)}}},
                      {"virtual_lane", json::Object{{"A", wire::toJson(solution.a.virtualLane)},
                                                    {"B", wire::toJson(solution.b.virtualLane)},
                                                    {"C", wire::toJson(solution.c.virtualLane)}}},
                      {"cost", cost.total},
                      {"mfmas", cost.mfmas},
                      {"registers", cost.registers}};
}

Answer retileOp(const Reader &request) {
  const Result<RetileRequest> asked = retileRequestOf(request);
  if (!asked)
    return asked.error();
  const Result<std::vector<RetileSolution>> solutions = retile(*asked);
  if (!solutions)
    return solutions.error();
  json::Array list;
  list.reserve(solutions->size());
  for (const RetileSolution &solution : *solutions)
    list.push_back(toJson(solution, asked->arch));
  return json::Value(std::move(list));
}

constexpr Op ops[] = {
    {"convert", convert},
    {"swizzle", swizzle},
    {"gather", gather},
    {"retile", retileOp},
};

} // namespace

llvm::ArrayRef<Op> solverOps() { return ops; }

} // namespace layout_port::serve
