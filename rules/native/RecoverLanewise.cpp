// Operands that lanes compute from values of their own (Lanewise.h): which of a kernel's
// second operands are so, and the values that they begin with, as sites.
#include "native/Recovery.h"

#include "native/FragmentName.h"
#include "native/Operands.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int kMostSteps = 64;
constexpr int64_t kWordBytes = 4;
// Words of B that a value returned by a function can be handed on as (words2, words4).
constexpr size_t kComputedWords = 2;

} // namespace

const Expr *Recovery::kernelOperand(const Expr *expr, const Binding *binding) {
  for (int steps = 0; steps < kMostSteps; ++steps) {
    expr = stripped(expr);
    if (!binding)
      return expr;
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr)) {
      expr = cast->getSubExpr();
    } else if (const auto *op = dyn_cast<UnaryOperator>(expr)) {
      expr = op->getSubExpr();
    } else if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
      expr = access->getBase();
    } else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
      const Expr *handed =
          llvm::isa<FieldDecl>(member->getMemberDecl()) ? memberHanded(*member, *binding) : nullptr;
      expr = handed ? handed : member->getBase();
      binding = handed ? binding->outer : binding;
    } else if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (!variable)
        return nullptr;
      if (const Expr *value = boundValue(variable, binding)) {
        expr = value;
        binding = binding->outer;
      } else if (variable->getInit() && !llvm::isa<ParmVarDecl>(variable)) {
        expr = variable->getInit();
      } else {
        return nullptr;
      }
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

std::optional<Recovery::Word> Recovery::wordAt(const Expr *expr, const Binding *binding) {
  expr = stripped(expr);
  if (!binding)
    return Word{expr, 0};
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    const auto index = constant(access->getIdx());
    auto word = wordBehind(access->getBase(), binding);
    if (!index || !word)
      return std::nullopt;
    word->byte += *index * context_.getTypeSizeInChars(access->getType()).getQuantity();
    return word;
  }
  if (const auto *member = dyn_cast<MemberExpr>(expr)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    auto word = member->isArrow() ? wordBehind(member->getBase(), binding)
                                  : wordAt(member->getBase(), binding);
    if (!field || field->isBitField() || !word)
      return std::nullopt;
    word->byte += static_cast<int64_t>(context_.getFieldOffset(field) / 8);
    return word;
  }
  if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_Deref)
    return wordBehind(op->getSubExpr(), binding);
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable || variable->getType()->isPointerType())
    return std::nullopt;
  if (const Expr *value = boundValue(variable, binding))
    return wordAt(value, binding->outer);
  return variable->getType()->isReferenceType() && variable->getInit()
             ? wordAt(variable->getInit(), binding)
             : std::nullopt;
}

std::optional<Recovery::Word> Recovery::wordBehind(const Expr *pointer, const Binding *binding) {
  pointer = stripped(pointer);
  if (const auto *op = dyn_cast<UnaryOperator>(pointer); op && op->getOpcode() == UO_AddrOf)
    return wordAt(op->getSubExpr(), binding);
  if (pointer->getType()->isArrayType())
    return wordAt(pointer, binding);
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(pointer))
    return wordBehind(cast->getSubExpr(), binding);
  const auto *name = dyn_cast<DeclRefExpr>(pointer);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!binding || !variable)
    return std::nullopt;
  if (const Expr *value = boundValue(variable, binding))
    return wordBehind(value, binding->outer);
  return variable->getInit() && !llvm::isa<ParmVarDecl>(variable) &&
                 sampler_.changesOf(variable).empty()
             ? wordBehind(variable->getInit(), binding)
             : std::nullopt;
}

// All words are those of one value, or each is a value: mma(c, a, dequant(q)), or
// mma(c, a, dequant(q, 0), dequant(q, 8)).
bool Recovery::addComputed(const std::vector<const Expr *> &registers, const Binding *binding,
                           unsigned file, std::vector<Slot> &slots) {
  if (registers.size() != kComputedWords)
    return false;
  std::vector<const Expr *> values;
  bool isOne = true;
  for (size_t i = 0; i < registers.size(); ++i) {
    const auto word = registers[i] ? wordAt(registers[i], binding) : std::nullopt;
    if (!word)
      return false;
    isOne &= word->byte == static_cast<int64_t>(i) * kWordBytes && (!i || word->value == values[0]);
    if (!isOne && word->byte)
      return false;
    values.push_back(word->value);
  }
  if (isOne)
    values.resize(1);
  // Else another lane can compute it by itself (RecoverInCall.cpp), or it is a register as it is.
  const auto readsRegisters = [&](const Expr *value) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(value));
    return llvm::isa<CallExpr, BinaryOperator>(stripped(value)) &&
           llvm::any_of(inputs.found, [](const VarDecl *input) {
             return input->getType()->isArrayType() && input->hasLocalStorage() &&
                    !input->hasAttr<CUDASharedAttr>();
           });
  };
  if (!isOne && llvm::none_of(values, readsRegisters))
    return false;
  if (const auto *made = isOne ? dyn_cast<CallExpr>(throughCopies(values[0])) : nullptr;
      made && cudaName(made->getDirectCallee()).starts_with("make_") &&
      llvm::none_of(made->arguments(), readsRegisters))
    return false;
  const int64_t bytes = static_cast<int64_t>(registers.size() / values.size()) * kWordBytes;
  std::string names, texts;
  for (const Expr *value : values) {
    const QualType type = value->getType();
    const auto range = texts_.range(value->getSourceRange());
    if (!type.isTriviallyCopyableType(context_) || !range || range->file != file ||
        context_.getTypeSizeInChars(type).getQuantity() != bytes)
      return false;
    names += (names.empty() ? "" : ", ") + texts_.spelled(value);
    const std::string text = texts_.quote(value, file);
    texts += (texts.empty() ? "" : ", ") + (isOne ? text : "lp::bits<unsigned>(" + text + ")");
  }
  const std::string words = "lp::words" + std::to_string(kComputedWords);
  for (size_t i = 0; i < registers.size(); ++i) {
    Slot slot;
    slot.variable = names;
    slot.declaration = values[0]->getBeginLoc().getRawEncoding();
    slot.reg = static_cast<int>(i);
    slot.tileText = isOne ? "lp::bits<" + words + ">(" + texts + ")" : words + "{" + texts + "}";
    slot.text = slot.tileText + "[" + std::to_string(i) + "]";
    slots.push_back(slot);
  }
  return true;
}

// Those of one variable are followed together; all of them, if they hang together.
void Recovery::followOperands() {
  std::map<uint64_t, std::vector<size_t>> of;
  std::vector<size_t> all;
  for (size_t i = 0; i < out_.mmas.size(); ++i) {
    const uint64_t operand = out_.mmas[i].b[0].declaration;
    const bool isRead =
        out_.isConverted(out_.mmas[i].b) || llvm::any_of(out_.loads, [&](const LoadSite &load) {
          return load.registers[0].declaration == operand;
        });
    if (!out_.problem.empty() || isRead || seconds_[i].empty() || putsTogether_)
      continue;
    of[operand].push_back(i);
    all.push_back(i);
  }
  if (!all.empty() && !followTogether(all) && of.size() > 1)
    for (const auto &[operand, products] : of)
      followTogether(products);
  for (const size_t i : computed_)
    if (!lanewise_.count(i) && out_.problem.empty()) {
      out_.problem =
          "an operand of " + out_.mmas[i].name + " is not a register of a fragment variable";
      if (const auto why = whyNotLanewise_.find(i); why != whyNotLanewise_.end())
        out_.problem += ": " + why->second;
      out_.problemAt = out_.mmas[i].range;
    }
}

// const Words b = read(p): not register by register.
static bool isWhole(const Lanewise::Begin &begin, const ASTContext &context) {
  return hasParts(begin.target->getType(), context) && begin.target->getInit() == begin.value;
}

bool Recovery::followTogether(const std::vector<size_t> &products) {
  std::vector<const Expr *> operands;
  for (const size_t i : products)
    llvm::append_range(operands, seconds_[i]);
  Lanewise flow = followLanewise(
      operands, {context_, kernel_.getBody(),
                 [&](const VarDecl *variable) { return sampler_.dependsOnThread(variable); },
                 [&](const Stmt *body) { return sampler_.dependsOnThread(body); },
                 [&](const Expr *expr) { return sampler_.sameForWave(expr); },
                 [&](const Stmt *stmt) { return llvm::is_contained(sites_, stmt); },
                 [&](const Expr &value) { return madeOnceIn(value); }});
  // Where a value begins, or becomes another.
  const auto mayPart = [&](const Stmt *stmt) {
    const auto at = texts_.statement(stmt->getSourceRange());
    return !at || llvm::any_of(partings_,
                               [&](const auto &parting) { return parting.first.contains(*at); });
  };
  const auto mayBegin = [&](const Lanewise::Begin &begin) { return mayPart(begin.value); };
  if (flow.problem.empty() && (earlyReturn_ || llvm::any_of(flow.begins, mayBegin) ||
                               llvm::any_of(flow.statements, mayPart)))
    flow.problem = "the lanes of a wave may part";
  if (flow.problem.empty() && llvm::any_of(flow.begins, [&](const Lanewise::Begin &begin) {
        return begin.lambda && !calls_.count({begin.lambda->getCallOperator(), frame_});
      }))
    flow.problem = "it is read in a lambda that handles no fragments";
  // Registers that are read one by one are Gather's.
  const bool isGathered = llvm::any_of(flow.begins, [&](const Lanewise::Begin &begin) {
    return begin.target && !isWhole(begin, context_) && llvm::any_of(products, [&](size_t i) {
             return isFragmentOf(*begin.target, out_.mmas[i].b[0].declaration);
           });
  });
  for (const size_t i : products)
    if (!flow.problem.empty())
      whyNotLanewise_[i] = flow.problem;
  if (!flow.problem.empty() || isGathered)
    return false;
  const uint64_t group = flow.begins[0].value->getBeginLoc().getRawEncoding();
  for (const size_t i : products) {
    const std::set<std::string> turns = turnsOf(flow, out_.mmas[i]);
    for (Slot &slot : out_.mmas[i].b)
      slot.turns = turns;
    lanewise_[i] = group;
  }
  for (const Lanewise::Begin &begin : flow.begins)
    addBegin(begin, products, group);
  llvm::append_range(sites_, flow.statements);
  return true;
}

// The loops around a product in whose turns its operand may be another, but for what begins
// anew in each: what it is made with differs, or a variable lives longer than the turn.
std::set<std::string> Recovery::turnsOf(const Lanewise &flow, const MmaSite &mma) {
  loops_ = mma.loops;
  Inputs inputs;
  for (const Expr *value : flow.between)
    inputs.TraverseStmt(const_cast<Expr *>(value));
  for (const Lanewise::Condition &condition : flow.conditions)
    if (const auto owner = texts_.statement(condition.owner->getSourceRange());
        !owner || !owner->contains(mma.range))
      inputs.TraverseStmt(const_cast<Expr *>(condition.value));
  llvm::erase_if(inputs.found, [&](const VarDecl *v) { return flow.variables.count(v); });
  std::set<std::string> turns = turnsOf(inputs.found);
  for (const VarDecl *variable : flow.variables) {
    const auto place = texts_.statement(SourceRange(variable->getLocation()));
    for (const Loop &loop : loops_)
      if (!place || !loop.range.contains(*place))
        turns.insert(loop.variable);
  }
  loops_.clear();
  return turns;
}

void Recovery::addBegin(const Lanewise::Begin &begin, const std::vector<size_t> &products,
                        uint64_t group) {
  LoadSite site;
  const auto range = texts_.range(begin.value->getSourceRange());
  site.spelling = kBeginSpelling;
  site.range = range ? *range : out_.mmas[products[0]].range;
  for (Slot slot : out_.mmas[products[0]].b) {
    slot.declaration = group;
    slot.reg = static_cast<int>(site.registers.size()); // wherever it lies in its array
    site.registers.push_back(std::move(slot));
  }
  if (!range || range->file != out_.range.file)
    site.problem = "a value that operand B is computed from stands in a macro";
  placeAt(*begin.value, site.range);
  site.loops = loops_;
  const Decl *const operation = begin.lambda ? begin.lambda->getCallOperator() : nullptr;
  speakOfLambda(operation);
  const auto leave = llvm::make_scope_exit([&] { speakOf(nullptr, 0), speakOfLambda(nullptr); });
  if (operation)
    site.calls = calls_[{operation, frame_}];
  for (const Lanewise::Condition &condition : begin.conditions)
    if (llvm::isa<IfStmt, SwitchStmt, AbstractConditionalOperator, BinaryOperator>(condition.owner))
      deciding_.push_back(condition.value);
  site.decided = decided();
  deciding_.clear();
  for (const size_t i : products)
    for (const std::string &name : tileVariablesOf(out_.mmas[i].d))
      tileVariables_.insert(name);
  std::string problem;
  site.address = variablesOf({begin.value}, site.range.file, problem);
  site.values = {textOf(begin.value, site.address, site.range.file, problem)};
  site.address.dependsOnPair = !sameValueForPair(begin.value);
  if (site.problem.empty())
    site.problem = problem;
  loops_.clear();
  tileVariables_.clear();
  out_.loads.push_back(std::move(site));
}

// Which tile a register is of does not matter any more: each value begins in its own turn.
void Recovery::finishLanewise() {
  for (const auto &[i, group] : lanewise_)
    for (Slot &slot : out_.mmas[i].b) {
      slot.declaration = group;
      slot.tile.clear();
      slot.extents.clear();
      slot.extentTexts.clear();
    }
}

} // namespace layout_port::native
