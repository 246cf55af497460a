// Asm: integer arithmetic and address conversions of PTX are followed; what anything else
// writes is unknown.
//
//   { .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }      %0 = u32(%1)
#include "recover/Walk.h"

#include "ptx/Parser.h"

#include "llvm/ADT/StringSwitch.h"

#include <functional>

using namespace clang;

namespace layout_port::recover {

namespace {

// The registers of one asm text while it runs.
class Registers {
public:
  Registers(IndexGraph &graph, const std::vector<AsmValue> &operands,
            std::function<std::optional<Index>(const std::string &)> special)
      : graph_(graph), operands_(operands), special_(std::move(special)) {}

  void run(const ptx::Block &block) {
    for (const ptx::Instruction &i : block.instructions) {
      Index value = i.guard ? nullptr : compute(i);
      if (i.operands.empty())
        continue;
      for (const ptx::Operand *to : destinations(i))
        values_[keyOf(*to)] = value;
    }
  }

  // What operand %n holds at the end; nothing when it was not written.
  std::optional<Index> written(unsigned n) const {
    const auto found = values_.find("%" + std::to_string(n));
    return found == values_.end() ? std::nullopt : std::optional<Index>(found->second);
  }

private:
  static std::vector<const ptx::Operand *> destinations(const ptx::Instruction &i) {
    std::vector<const ptx::Operand *> all;
    const ptx::Operand &first = i.operands[0];
    if (first.is(ptx::Operand::Kind::Vector) || first.is(ptx::Operand::Kind::Pair))
      for (const ptx::Operand &element : first.elements)
        all.push_back(&element);
    else
      all.push_back(&first);
    return all;
  }

  static std::string keyOf(const ptx::Operand &o) {
    if (o.is(ptx::Operand::Kind::AsmOperand) && o.index >= 0)
      return "%" + std::to_string(o.index);
    return o.name + "#" + std::to_string(o.declaration);
  }

  Index value(const ptx::Operand &o, IndexType type) {
    if (o.is(ptx::Operand::Kind::Immediate) && o.immediate.kind == ptx::Immediate::Kind::Integer)
      return graph_.constant(o.immediate.bits, type);
    if (o.is(ptx::Operand::Kind::Special)) {
      const auto known = special_(o.component.empty() ? o.name : o.name + "." + o.component);
      return known && *known ? graph_.convert(*known, type) : nullptr;
    }
    const auto held = values_.find(keyOf(o));
    if (held != values_.end())
      return held->second ? graph_.convert(held->second, type) : nullptr;
    if (!o.is(ptx::Operand::Kind::AsmOperand) || o.index < 0 ||
        size_t(o.index) >= operands_.size() || o.modifier)
      return nullptr;
    const Index given = operands_[size_t(o.index)].value;
    return given ? graph_.convert(given, type) : nullptr;
  }

  // .u32, .s64, .b16; nothing for others.
  static std::optional<IndexType> typeOf(const std::string &modifier) {
    return llvm::StringSwitch<std::optional<IndexType>>(modifier)
        .Cases({"u32", "b32"}, kU32)
        .Case("s32", kI32)
        .Cases({"u64", "b64"}, kU64)
        .Case("s64", kI64)
        .Cases({"u16", "b16"}, IndexType{16, false})
        .Case("s16", IndexType{16, true})
        .Case("s8", IndexType{8, true})
        .Case("u8", IndexType{8, false})
        .Default(std::nullopt);
  }

  Index compute(const ptx::Instruction &i) {
    std::vector<IndexType> types;
    for (const std::string &modifier : i.modifiers)
      if (const auto type = typeOf(modifier))
        types.push_back(*type);
    if (types.empty() || i.operands.size() < 2)
      return nullptr;
    const IndexType type = types.back();
    const Index a = value(i.operands[1], type);
    if (!a)
      return nullptr;
    if (i.opcode == "mov" || i.opcode == "cvta")
      return i.operands.size() == 2 ? a : nullptr;
    if (i.opcode == "cvt")
      return types.size() == 2 ? graph_.convert(a, types[0]) : nullptr;
    if (i.opcode == "not")
      return graph_.bitNot(a);
    if (i.opcode == "neg")
      return graph_.negate(a);
    const Index b = i.operands.size() > 2 ? value(i.operands[2], type) : nullptr;
    if (!b)
      return nullptr;
    if (i.opcode == "mad" && i.has("lo") && i.operands.size() == 4)
      if (const Index c = value(i.operands[3], type))
        return graph_.add(graph_.mul(a, b), c);
    if (i.opcode == "mul" && !i.has("lo"))
      return nullptr;
    const auto op = llvm::StringSwitch<std::optional<Op>>(i.opcode)
                        .Case("add", Op::Add)
                        .Case("sub", Op::Sub)
                        .Case("mul", Op::Mul)
                        .Case("and", Op::And)
                        .Case("or", Op::Or)
                        .Case("xor", Op::Xor)
                        .Case("shl", Op::Shl)
                        .Case("shr", Op::Shr)
                        .Case("div", Op::Div)
                        .Case("rem", Op::Rem)
                        .Case("min", Op::Min)
                        .Case("max", Op::Max)
                        .Default(std::nullopt);
    return op && i.operands.size() == 3 ? graph_.binary(*op, a, b) : nullptr;
  }

  IndexGraph &graph_;
  const std::vector<AsmValue> &operands_;
  std::function<std::optional<Index>(const std::string &)> special_;
  std::map<std::string, Index> values_;
};

} // namespace

void Walk::inlineAsm(const GCCAsmStmt *s) {
  AsmSite site;
  site.stmt = s;
  site.text = s->getAsmString();
  site.line = outerLine(s);
  for (unsigned i = 0; i < s->getNumOutputs(); ++i) {
    AsmValue operand;
    site.names.push_back(s->getOutputName(i).str());
    operand.expr = s->getOutputExpr(i);
    operand.isOutput = true;
    operand.constraint = s->getOutputConstraint(i);
    operand.place = place(operand.expr);
    if (operand.constraint.find('+') != std::string::npos && typeOf(operand.expr->getType()))
      operand.value = load(operand.place, operand.expr->getType(), operand.expr);
    site.operands.push_back(std::move(operand));
  }
  for (unsigned i = 0; i < s->getNumInputs(); ++i) {
    AsmValue operand;
    site.names.push_back(s->getInputName(i).str());
    operand.expr = s->getInputExpr(i);
    operand.constraint = s->getInputConstraint(i);
    const Expr *read = operand.expr;
    if (const auto *c = dyn_cast<CastExpr>(read->IgnoreParens());
        c && c->getCastKind() == CK_LValueToRValue) {
      operand.place = place(c->getSubExpr());
      operand.value = load(operand.place, read->getType(), read);
      if (live() && operand.value)
        remember(read, operand.value);
    } else {
      operand.value = rvalue(read);
    }
    if (!typeOf(operand.expr->getType()))
      operand.value = nullptr;
    site.operands.push_back(std::move(operand));
  }
  if (live())
    observer_->onAsm(site, control_);
  ptx::ParseOptions options;
  options.names = site.names;
  const auto parsed = ptx::parse(site.text, options);
  Registers registers(graph, site.operands, [&](const std::string &name) {
    return specialRegister(llvm::StringRef(name).ltrim('%'));
  });
  if (parsed)
    registers.run(*parsed);
  const std::string what = parsed && !parsed->instructions.empty()
                               ? parsed->instructions.front().opcode
                               : std::string("an asm");
  for (unsigned i = 0; i < s->getNumOutputs(); ++i) {
    const Expr *e = s->getOutputExpr(i);
    const auto value = registers.written(i);
    const Place to = site.operands[i].place;
    if (value && *value && typeOf(e->getType())) {
      store(to, fit(*value, e->getType()), e, nullptr);
      continue;
    }
    if (to.object && to.object->space == Space::Local && !to.offset->isConstant(0)) {
      lose(environment_[to.object->number], where(s) + "it is written by " + what);
      continue;
    }
    store(to, unknown(e->getType(), e, "written by " + what), e, nullptr);
  }
}

} // namespace layout_port::recover
