#include "recover/Sites.h"

#include "ptx/Parser.h"
#include "ptx/decode/Decode.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"

#include <variant>

using namespace clang;

namespace layout_port::recover {

namespace {

class Collector : public Observer {
public:
  Collector(KernelWalk &walk, const ASTContext &context, KernelSites &sites)
      : walk_(walk), context_(context), sites_(sites) {}

  void onAccess(const AccessSite &site, const Control &control) override {
    MemorySite memory;
    memory.line = site.line;
    memory.innerLine = lineOf(site.expr);
    memory.isWrite = site.kind == AccessSite::Kind::Store;
    memory.what = memory.isWrite ? "store" : "load";
    memory.bytes = site.bytes;
    memory.place = site.place;
    memory.control = control;
    sites_.memory.push_back(std::move(memory));
  }

  void onAsm(const AsmSite &site, const Control &control) override {
    ptx::ParseOptions options;
    options.names = site.names;
    const auto block = ptx::parse(site.text, options);
    if (!block)
      return;
    for (const ptx::Instruction &instruction : block->instructions)
      if (const auto meaning = ptx::decode(instruction, *block))
        decoded(site, control, *meaning);
  }

  void onShuffle(const ShuffleSite &site, const Control &control) override {
    sites_.shuffles.push_back({site, control});
  }
  void onBranch(const BranchSite &site, const Control &control) override {
    sites_.branches.push_back({site, control});
  }
  void onBarrier(const CallExpr *call, const Control &control) override {
    const unsigned line = control.calls.empty() ? lineOf(call) : lineOf(control.calls.front());
    sites_.barriers.push_back({line, control});
  }

private:
  unsigned lineOf(const Stmt *s) const {
    const SourceManager &sm = context_.getSourceManager();
    return sm.getPresumedLoc(sm.getExpansionLoc(s->getBeginLoc())).getLine();
  }

  void decoded(const AsmSite &site, const Control &control, const ptx::Meaning &meaning) {
    if (const auto *move = std::get_if<ptx::MatrixMove>(&meaning)) {
      if (!move->address)
        return;
      MemorySite memory = memoryAt(site, control, *move->address, 16);
      memory.what = move->name;
      memory.isWrite = move->kind == ptx::MatrixMove::Kind::Store;
      memory.lanes = 8 * move->tiles;
      memory.registers = valuesOf(site, move->registers);
      sites_.memory.push_back(std::move(memory));
    } else if (const auto *copy = std::get_if<ptx::AsyncCopy>(&meaning)) {
      const unsigned bytes = copy->bytes.value_or(constantOf(site, copy->size));
      MemorySite from = memoryAt(site, control, *copy->source, bytes);
      from.what = "cp.async source";
      MemorySite to = memoryAt(site, control, *copy->destination, bytes);
      to.what = "cp.async destination";
      to.isWrite = true;
      sites_.memory.push_back(std::move(from));
      sites_.memory.push_back(std::move(to));
    } else if (const auto *access = std::get_if<ptx::MemoryAccess>(&meaning)) {
      const unsigned bytes = unsigned(access->registers.size()) * ptx::bitsOf(access->type) / 8;
      MemorySite memory = memoryAt(site, control, *access->address, bytes);
      memory.what = access->load ? "ld" : "st";
      memory.isWrite = !access->load;
      memory.registers = valuesOf(site, access->registers);
      sites_.memory.push_back(std::move(memory));
    } else if (const auto *mma = std::get_if<ptx::Mma>(&meaning)) {
      MatrixSite matrix;
      matrix.line = site.line;
      matrix.innerLine = lineOf(site.stmt);
      matrix.name = mma->name;
      matrix.d = valuesOf(site, mma->d);
      matrix.a = valuesOf(site, mma->a);
      matrix.b = valuesOf(site, mma->b);
      matrix.c = valuesOf(site, mma->c);
      matrix.control = control;
      sites_.matrices.push_back(std::move(matrix));
    }
  }

  static const AsmValue *operandOf(const AsmSite &site, const ptx::Operand *o) {
    const bool bound = o && o->is(ptx::Operand::Kind::AsmOperand) && o->index >= 0;
    return bound && size_t(o->index) < site.operands.size() ? &site.operands[size_t(o->index)]
                                                            : nullptr;
  }

  static std::vector<AsmValue> valuesOf(const AsmSite &site,
                                        const std::vector<const ptx::Operand *> &operands) {
    std::vector<AsmValue> values;
    for (const ptx::Operand *o : operands) {
      const AsmValue *value = operandOf(site, o);
      values.push_back(value ? *value : AsmValue());
    }
    return values;
  }

  unsigned constantOf(const AsmSite &site, const ptx::Operand *o) const {
    const AsmValue *value = operandOf(site, o);
    return value && value->value && value->value->isConstant() ? unsigned(value->value->value) : 0;
  }

  MemorySite memoryAt(const AsmSite &site, const Control &control, const ptx::Operand &address,
                      unsigned bytes) {
    MemorySite memory;
    memory.line = site.line;
    memory.innerLine = lineOf(site.stmt);
    memory.bytes = bytes;
    memory.control = control;
    memory.place.bytes = bytes;
    IndexGraph &graph = walk_.graph();
    Index total = nullptr;
    for (const ptx::Operand &part : address.elements) {
      const AsmValue *value = operandOf(site, &part);
      if (!value || !value->value || part.negated)
        return memory;
      total = total ? graph.add(total, value->value) : value->value;
    }
    if (!total)
      return memory;
    memory.place.address = graph.add(total, graph.constant(uint64_t(address.offset), total->type));
    memory.place.object =
        static_cast<const Object *>(baseObject(graph, memory.place.address, &memory.place.offset));
    return memory;
  }

  KernelWalk &walk_;
  const ASTContext &context_;
  KernelSites &sites_;
};

} // namespace

KernelSites findSites(KernelWalk &walk, ASTContext &context) {
  KernelSites sites;
  Collector collector(walk, context, sites);
  walk.run(collector);
  return sites;
}

Uniformity uniformityOf(KernelWalk &walk, const Control &control) {
  Uniformity worst = Uniformity::Uniform;
  for (const Condition &condition : control.conditions)
    if (condition.value)
      worst = std::max(worst, uniformity(walk.graph(), condition.value, walk.threads()));
  for (const LoopScope &loop : control.loops)
    worst = std::max(worst, loop.trips);
  return worst;
}

std::vector<uint64_t> waveAddresses(const NumericForm &form, const ThreadVariables &threads,
                                    uint64_t rest) {
  std::vector<uint64_t> addresses;
  for (uint64_t lane = 0; lane < 64; ++lane) {
    uint64_t flat = 0, left = rest;
    int offset = 0;
    for (size_t v = 0; v < form.inputs.size(); ++v) {
      const int bits = form.dims[v].bits;
      uint64_t value = 0;
      if (form.inputs[v] == threads.lane)
        value = lane & 31;
      else if (form.inputs[v] == threads.pair)
        value = bits ? lane >> 5 : 0;
      else {
        value = left & ((uint64_t(1) << bits) - 1);
        left >>= bits;
      }
      flat |= value << offset;
      offset += bits;
    }
    const auto address = form.at(flat);
    if (!address)
      return {};
    addresses.push_back(*address);
  }
  return addresses;
}

} // namespace layout_port::recover
