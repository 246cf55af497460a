// Several matrix instructions in one statement: in one asm, in a wrapper's, or side by side in the
// text of a macro. Each is a part of the statement (MmaSite::part).
//
//   asm("{ .reg .u32 q;\n"
//       "  add.u32 q, %4, 512;\n"
//       "  ldmatrix... {%0,%1}, [%4];\n"      lp::load_b(b[0], [&](...) { return at; }),
//       "  ldmatrix... {%2,%3}, [q]; }" ..)   lp::load_b(b[1], [&](...) { return at + 512; });
//
// What stands beside them in the asm makes addresses, and is written out where they are asked for.
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

unsigned Recovery::partsOf(const Stmt &stmt) {
  if (const auto *text = dyn_cast<GCCAsmStmt>(&stmt)) {
    const auto read = isMatrix(*text) ? readAsm(*text) : std::nullopt;
    return read ? static_cast<unsigned>(matricesOf(read->block).size()) : 0;
  }
  const auto *whole = dyn_cast<ExprWithCleanups>(&stmt);
  const auto *call = dyn_cast<CallExpr>(whole ? whole->getSubExpr() : &stmt);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  const bool isIts = definition && definition->hasBody() && matrixWithin(definition) &&
                     isWrapper(*definition) && !returnedBy(*definition);
  return isIts ? partsIn(*definition) : 0;
}

unsigned Recovery::partsIn(const FunctionDecl &function) {
  unsigned parts = 0;
  for (const Stmt *stmt : flattened(function.getBody()))
    parts += partsOf(*stmt);
  return parts;
}

const Expr *Recovery::number(int64_t value) const {
  const QualType type = context_.IntTy;
  return IntegerLiteral::Create(context_, llvm::APInt(32, static_cast<uint64_t>(value), true), type,
                                SourceLocation());
}

// Of 32 bits. It has no place in the author's text, nor have its operands beside each other.
const Expr *Recovery::sumOf(const Expr *a, const Expr *b) const {
  auto &context = const_cast<ASTContext &>(context_);
  const auto operand = [&](const Expr *value) -> Expr * {
    auto *inner =
        new (context) ParenExpr(SourceLocation(), SourceLocation(), const_cast<Expr *>(value));
    return ImplicitCastExpr::Create(context, context.UnsignedIntTy, CK_IntegralCast, inner, nullptr,
                                    VK_PRValue, FPOptionsOverride());
  };
  const auto isWord = [&](const Expr *value) {
    return value && value->isPRValue() && value->getType()->isIntegerType() &&
           !value->getType()->isBooleanType() && context.getTypeSize(value->getType()) == 32;
  };
  if (!isWord(a) || !isWord(b))
    return nullptr;
  Expr *sum =
      BinaryOperator::Create(context, operand(a), operand(b), BO_Add, context.UnsignedIntTy,
                             VK_PRValue, OK_Ordinary, SourceLocation(), FPOptionsOverride());
  return new (context) ParenExpr(SourceLocation(), SourceLocation(), sum);
}

static bool isOfTypes(const ptx::Instruction &i, std::initializer_list<const char *> types) {
  return llvm::all_of(i.modifiers, [&](const std::string &modifier) {
    return llvm::is_contained(types, modifier);
  });
}

// What a register of the asm's own holds: the one instruction that writes it stands before its
// reader.
const Expr *Recovery::registerIn(const GCCAsmStmt &stmt, const ptx::Block &block,
                                 const ptx::Instruction &reader, const ptx::Operand &value) const {
  if (value.is(ptx::Operand::Kind::Immediate))
    return value.immediate.kind == ptx::Immediate::Kind::Integer && !value.negated
               ? number(static_cast<int32_t>(value.immediate.bits))
               : nullptr;
  if (!value.component.empty() || value.modifier || value.negated)
    return nullptr;
  if (value.is(ptx::Operand::Kind::AsmOperand))
    return operandReadBy(stmt, value);
  if (!value.is(ptx::Operand::Kind::Register))
    return nullptr;
  const ptx::Instruction *writer = nullptr;
  for (const ptx::Instruction &i : block.instructions) {
    const bool writes = !i.operands.empty() && i.operands[0].is(ptx::Operand::Kind::Register) &&
                        i.operands[0].declaration == value.declaration &&
                        i.operands[0].name == value.name;
    if (writes && (writer || &i >= &reader))
      return nullptr;
    writer = writes ? &i : writer;
  }
  if (!writer)
    return nullptr;
  const size_t inputs = writer->operands.size() - 1;
  const auto input = [&](size_t n) {
    return registerIn(stmt, block, *writer, writer->operands[n]);
  };
  const bool isCopied =
      (writer->opcode == "cvta" && writer->has("to") &&
       isOfTypes(*writer, {"to", "shared", "u64", "u32"})) ||
      (writer->opcode == "cvt" && isOfTypes(*writer, {"u64", "u32"})) ||
      (writer->opcode == "mov" && isOfTypes(*writer, {"u64", "u32", "b64", "b32", "s32"}));
  if (isCopied)
    return inputs == 1 ? input(1) : nullptr;
  const bool isSum = writer->opcode == "add" && isOfTypes(*writer, {"u32", "s32"});
  return isSum && inputs == 2 ? sumOf(input(1), input(2)) : nullptr;
}

const Expr *Recovery::addressIn(const GCCAsmStmt &stmt, const ptx::Block &block,
                                const ptx::Instruction &load, const ptx::Operand &address) const {
  if (address.elements.size() != 1 || !address.extra.empty())
    return nullptr;
  const Expr *base = registerIn(stmt, block, load, address.elements[0]);
  const auto offset = static_cast<int32_t>(address.offset);
  if (offset != address.offset)
    return nullptr;
  return base && offset ? sumOf(base, number(offset)) : base;
}

// Its name would not be known where the macro's text is not.
bool Recovery::declaresOne(const Stmt &site, const std::vector<Slot> &slots) {
  if (!site.getBeginLoc().isMacroID() || isa<DeclStmt>(site))
    return false;
  const auto range = texts_.statement(site.getSourceRange());
  return llvm::any_of(slots, [&](const Slot &slot) {
    return llvm::any_of(rootsOf(slot.declaration), [&](const Root &root) {
      const SourceLocation at = root.variable->getLocation();
      const auto its = at.isMacroID() ? texts_.statement(SourceRange(at, at)) : std::nullopt;
      return its && range && range->contains(*its);
    });
  });
}

} // namespace layout_port::native
