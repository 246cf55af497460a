// Operands that are written straight into the product's call, or into its asm:
//
//   mma(c[j], a, word(p), word(p + 8));
//
//   lp::mma_m16n8k16_f32_f16_wave(c[j], a, lp::operand_b([&](int lane, int, int j, int r) {
//     const auto p = w + (j * 8 + lane / 4) * K + lane % 4 * 2;
//     return r == 0 ? word(p) : word(p + 8);
//   }, j));
//
// Nothing but the call holds their registers. Else they are operands that the kernel puts together
// (Gather.h): functions of (lane, warp, register) without effects.
#include "native/AstRead.h"
#include "native/Recovery.h"
#include "native/Turned.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int kMostSteps = 64;
constexpr uint64_t kWordBits = 32;
// Above the place of the call, where a fragment's number has its member's: no variable has this.
constexpr uint64_t kInCall = 0xfffffffe;

} // namespace

// A number that becomes a register's 32 bits without another's help: narrower ones are widened
// where they are handed on, as they are where they stand together.
bool Recovery::isWord(const Expr &value) const {
  const QualType type = stripped(&value)->getType();
  return type->isIntegerType() && !type->isEnumeralType() &&
         context_.getTypeSize(type) <= kWordBits;
}

// The array or struct in the thread's registers that it is an element of.
static const VarDecl *ownOf(const Expr &value) {
  const Expr *bare = stripped(&value);
  const VarDecl *variable = isa<ArraySubscriptExpr, MemberExpr>(bare) ? variableOf(bare) : nullptr;
  const bool isOwn =
      variable && variable->hasLocalStorage() && !variable->getType()->isPointerType();
  return isOwn ? variable : nullptr;
}

// *p, p[i] and p->x, whether that may change or not.
static bool leadsThroughPointer(const Expr &value) {
  class Places : public ExecutedVisitor {
  public:
    bool VisitExpr(Expr *expr) override {
      const auto *op = dyn_cast<UnaryOperator>(expr);
      const auto *access = dyn_cast<ArraySubscriptExpr>(expr);
      const auto *member = dyn_cast<MemberExpr>(expr);
      isFound = isFound || (op && op->getOpcode() == UO_Deref) || (member && member->isArrow()) ||
                (access && !stripped(access->getBase())->getType()->isArrayType());
      return !isFound;
    }
    bool isFound = false;
  };
  Places places;
  places.TraverseStmt(const_cast<Expr *>(&value));
  return places.isFound;
}

// const Words x = *(const Words *)p: what was read once, and lanes can be asked for as a whole.
bool Recovery::isReadOnce(const VarDecl &variable) {
  Inputs inputs;
  if (!isMadeOnce(variable))
    return false;
  inputs.TraverseStmt(const_cast<Expr *>(variable.getInit()));
  return inputs.readsMemory || leadsThroughPointer(*variable.getInit());
}

// b.y of what a wrapper's parameter b is handed, make_uint2(x, y): y.
static const Expr *partOfMade(const MemberExpr &member, const Expr &handed) {
  const auto *field = dyn_cast<FieldDecl>(member.getMemberDecl());
  const auto *made = dyn_cast<CallExpr>(throughCopies(&handed));
  const FunctionDecl *maker = made ? made->getDirectCallee() : nullptr;
  const bool isMade = field && maker && maker->getIdentifier() && isOfCuda(*maker) &&
                      maker->getName().starts_with("make_") &&
                      field->getFieldIndex() < made->getNumArgs();
  return isMade ? made->getArg(field->getFieldIndex()) : nullptr;
}

// The kernel's own expression, where a wrapper hands it on as it is; else the wrapper's.
const Expr *Recovery::writtenValue(const Expr *expr, const Binding *binding) const {
  const Expr *found = expr;
  for (int steps = 0; binding && steps < kMostSteps; ++steps) {
    expr = stripped(expr);
    const auto *cast = dyn_cast<ExplicitCastExpr>(expr);
    const auto *member = dyn_cast<MemberExpr>(expr);
    const VarDecl *variable = variableNamed(member ? member->getBase() : expr);
    const Expr *value = variable ? boundValue(variable, binding) : nullptr;
    if (value && member)
      value = partOfMade(*member, *value);
    if (!isWord(*expr) || context_.getTypeSize(expr->getType()) != kWordBits)
      return found;
    if (cast) {
      expr = cast->getSubExpr();
    } else if (value) {
      expr = value;
      binding = binding->outer;
    } else {
      return found;
    }
    if (!isWord(*expr))
      return found;
    if (!binding)
      found = expr;
  }
  return found;
}

// const half2 h = __floats2half2_rn(x, y); whatever is made again with its value.
bool Recovery::isMadeOnce(const VarDecl &variable) {
  return variable.getType()->isRecordType() && !isa<ParmVarDecl>(variable) && variable.getInit() &&
         isOfKernel(&variable) && sampler_.changesOf(&variable).empty() &&
         !sampler_.changesUnseen(&variable);
}

// mma(half2 a, half2 b, ...): what it is called with, and nothing else.
bool Recovery::isCopy(const VarDecl &parameter) {
  return isa<ParmVarDecl>(parameter) && parameter.getType()->isRecordType() &&
         sampler_.aliasOf(&parameter) && sampler_.changesOf(&parameter).empty() &&
         !sampler_.changesUnseen(&parameter);
}

std::set<const VarDecl *> Recovery::madeOnceIn(const Expr &value) {
  std::set<const VarDecl *> made;
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  for (const VarDecl *variable : inputs.found)
    if (isMadeOnce(*variable) || sampler_.isMadeByStatements(*variable) || isCopy(*variable))
      made.insert(variable);
  return made;
}

bool Recovery::addWritten(const std::vector<const Expr *> &registers, const Binding *binding,
                          const MmaSite &mma, bool isA, std::vector<Slot> &slots) {
  std::vector<const Expr *> values;
  size_t turned = 0;
  for (const Expr *expr : registers)
    if (const Expr *value = expr && isWord(*expr) ? writtenValue(expr, binding) : nullptr) {
      if (const auto made = turnedBy(*value); made && isWord(*made->value)) {
        noteWrapper(made->function);
        value = made->value;
        ++turned;
      }
      const VarDecl *own = ownOf(*value);
      if (own && !isReadOnce(*own))
        return false;
      values.push_back(value);
    }
  if (values.size() != registers.size() || values.empty())
    return false;
  LoadSite load;
  load.range = mma.range;
  load.isInCall = true;
  load.spelling = "operand written into the product's call";
  load.loops = loops_;
  load.decided = decided();
  const std::string name =
      "{" +
      llvm::join(llvm::map_range(values, [&](const Expr *value) { return texts_.spelled(value); }),
                 ", ") +
      "}";
  for (size_t i = 0; i < values.size(); ++i) {
    Slot slot;
    slot.variable = slot.tileText = name;
    slot.declaration = (kInCall + isA) << 32 | mma.range.begin;
    slot.reg = static_cast<int>(i);
    slot.text = name + "[" + std::to_string(i) + "]";
    slots.push_back(slot);
    const std::set<const VarDecl *> read = madeOnceIn(*values[i]);
    if (const std::string why = obstacleTo(values[i], context_, &read);
        load.problem.empty() && !why.empty())
      load.problem = "an operand that is written into the call: its value " + why;
  }
  load.registers = slots;
  load.isTurned = turned != 0;
  if (load.problem.empty() && turned && turned != values.size())
    load.problem = "movmatrix turns some of the registers that are written into the call";
  if (load.problem.empty() && inLambda_ && function_)
    load.problem = "an operand is written into the call in a lambda of a function";
  siteRange_ = load.range;
  const std::set<std::string> outer = std::exchange(tileVariables_, tileVariablesOf(mma.d));
  std::string unseen;
  fetchesNumbers_ = true;
  load.address = variablesOf(values, load.range.file, unseen);
  fetchesNumbers_ = false;
  tileVariables_ = outer;
  for (const VarDecl *variable : needed_)
    if (const Expr *argument = sampler_.aliasOf(variable)) {
      const std::set<const VarDecl *> read = madeOnceIn(*argument);
      if (const std::string why = obstacleTo(argument, context_, &read);
          load.problem.empty() && !why.empty())
        load.problem = "an operand that is written into the call: its value " + why;
    }
  for (const Expr *value : values) {
    load.address.dependsOnPair |= !sameValueForPair(value);
    load.values.push_back(textOf(value, load.address, load.range.file, unseen));
  }
  if (load.problem.empty())
    load.problem = unseen;
  if (values.size() > 1)
    load.registerName = freeName(load.address);
  inCall_[out_.loads.size()] = {spoken_.begin(), spoken_.end()};
  if (owner_)
    loadOwners_[out_.loads.size()] = {owner_, frame_};
  load.frame = frame_;
  out_.loads.push_back(std::move(load));
  return true;
}

// Lanes can be asked for what they read; fragments are other lanes' here, and so is what is made
// from them.
void Recovery::checkInCall() {
  if (inCall_.empty())
    return;
  Made fragments = madeFromResults();
  for (const auto &[declaration, root] : roots_)
    fragments.variables.insert(root.variable);
  for (const auto &[number, variables] : inCall_)
    for (const VarDecl *variable : variables)
      if (LoadSite &load = out_.loads[number]; load.problem.empty() && fragments.holds(*variable))
        load.problem =
            variable->hasAttr<CUDASharedAttr>()
                ? "an operand that is written into the call is read from '" +
                      variable->getNameAsString() +
                      "', which results may go into without a barrier behind them"
                : "an operand that is written into the call is made from the fragment '" +
                      variable->getNameAsString() + "'";
}

} // namespace layout_port::native
