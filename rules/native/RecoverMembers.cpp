// Members of an object that each thread has for itself, in addresses of the methods that are ported
// where they stand:
//
//   void init() { lane = threadIdx.x & 31; wm = (threadIdx.x >> 5 & 1) * 32; }
//   void step(const Tile &t) { ... ldsm4(a[i], &t.a[wm + i * 16 + lane % 16][k]); ... }
//     ->  lp::load_a(a[i], [&](int lane, int warp) {
//           const int wm = (warp & 1) * 32;
//           return &t.a[wm + i * 16 + lane % 16][k]; });
//
// What a member is once written (Members.h) and made from the thread's index alone, it is whenever
// it is read, in any object: it is made again. So is what the constructor of the one object makes
// of what it is given, where that is the lane or the warp. A member that is the same for all
// threads keeps its name. Any other is asked of the lane that has it, like a variable that walks.
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

bool isSelf(const Expr *expr) { return isa<CXXThisExpr>(stripped(expr)); }

// Parameters of a constructor that are anything but read in it.
class Reassigned : public ExecutedVisitor {
public:
  bool TraverseImplicitCastExpr(ImplicitCastExpr *cast) override {
    const bool isRead = cast->getCastKind() == CK_LValueToRValue &&
                        isa<DeclRefExpr>(cast->getSubExpr()->IgnoreParens());
    return isRead || ExecutedVisitor::TraverseImplicitCastExpr(cast);
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    found.insert(name->getDecl());
    return true;
  }
  std::set<const ValueDecl *> found;
};

// x of this->x, wherever it stands.
class OwnMembers : public DynamicRecursiveASTVisitor {
public:
  bool VisitMemberExpr(MemberExpr *member) override {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (field && isSelf(member->getBase()))
      found.push_back(field);
    return true;
  }
  std::vector<const FieldDecl *> found;
};

// Declared in the class or in one that it has from another.
const NamedDecl *memberNamed(const CXXRecordDecl &record, DeclarationName name) {
  const auto own = record.lookup(name);
  if (!own.empty())
    return own.front();
  for (const CXXBaseSpecifier &base : record.bases())
    if (const CXXRecordDecl *its = base.getType()->getAsCXXRecordDecl();
        its && its->hasDefinition())
      if (const NamedDecl *found = memberNamed(*its->getDefinition(), name))
        return found;
  return nullptr;
}

} // namespace

bool Recovery::speaksOfOwnObject() const {
  return function_ && handedTo(nullptr) && llvm::all_of(selves_, isSelf);
}

const MemberExpr *Recovery::ownMember(const Expr &place) const {
  const auto *member = dyn_cast<MemberExpr>(place.IgnoreParens());
  const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  const auto *record = field ? dyn_cast<CXXRecordDecl>(field->getParent()) : nullptr;
  return record && isSelf(member->getBase()) && field->getType()->isScalarType() &&
                 !field->isBitField() && !record->isUnion() && speaksOfOwnObject()
             ? member
             : nullptr;
}

// Where one object is meant by all calls, and the kernel makes it: what its constructor is given.
void Recovery::findObject() {
  const CXXConstructExpr *made = nullptr;
  std::set<const VarDecl *> objects;
  for (const Frame &frame : frames_[function_])
    if (const auto view = frame.views.find(nullptr); view != frame.views.end())
      objects.insert(view->second.depth ? nullptr : view->second.variable);
  const VarDecl *object = objects.size() == 1 ? *objects.begin() : nullptr;
  if (object && object->getInit() && object->getDeclContext() == &kernel_)
    made = dyn_cast<CXXConstructExpr>(object->getInit()->IgnoreImplicit());
  const auto *constructor =
      made ? dyn_cast_or_null<CXXConstructorDecl>(made->getConstructor()->getDefinition())
           : nullptr;
  if (!constructor)
    return;
  object_ = constructor;
  Reassigned reassigned;
  reassigned.traverseDefinition(*constructor);
  for (unsigned i = 0; i < constructor->getNumParams() && i < made->getNumArgs(); ++i) {
    const ParmVarDecl *parameter = constructor->getParamDecl(i);
    const Expr *argument = made->getArg(i);
    if (const auto *byDefault = dyn_cast<CXXDefaultArgExpr>(argument))
      argument = byDefault->getExpr();
    const bool isStill = (parameter->getType()->isScalarType() &&
                          !reassigned.found.count(parameter) && isStillGiven(*argument, 0)) ||
                         (parameter->getType()->isReferenceType() && isPlaceForAll(*argument));
    sampler_.alias(parameter, isStill ? argument : nullptr);
    if (!isStill)
      sampler_.handValueOfThread(parameter);
  }
}

// `tiles` of this->tiles, a reference to such a place: the name is enough.
bool Recovery::leadsToPlaceForAll(const MemberExpr &member) const {
  const auto *field = dyn_cast<FieldDecl>(member.getMemberDecl());
  const auto known = settled_.find(field);
  return field && field->getType()->isReferenceType() && isSelf(member.getBase()) &&
         speaksOfOwnObject() && known != settled_.end() && known->second;
}

// Shared memory, or a parameter of the kernel that stays what it is: all threads have the same there.
bool Recovery::isPlaceForAll(const Expr &value) {
  const VarDecl *variable = variableNamed(&value);
  return variable && (variable->hasAttr<CUDASharedAttr>() ||
                      (isa<ParmVarDecl>(variable) && variable->getDeclContext() == &kernel_ &&
                       sampler_.changesOf(variable).empty() && !sampler_.changesUnseen(variable) &&
                       !sampler_.dependsOnThread(variable)));
}

// Of the thread: made from variables that nothing changes.
bool Recovery::isStillGiven(const Expr &value, int depth) {
  constexpr int kDeepest = 16;
  if (!sampler_.dependsOnThread(&value))
    return !sampler_.asksOthers(&value);
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  return depth < kDeepest && !inputs.readsMemory && canBeMadeAgain(value) &&
         llvm::all_of(inputs.found, [&](const VarDecl *input) {
           return !sampler_.dependsOnThread(input) ||
                  (input->isLocalVarDecl() && input->hasLocalStorage() && input->getInit() &&
                   !sampler_.changes(input) && !sampler_.changesUnseen(input) &&
                   isStillGiven(*input->getInit(), depth + 1));
         });
}

void Recovery::settleMembers() {
  settled_.clear();
  sampler_.settle({});
  object_ = nullptr;
  if (!function_ || !handedTo(nullptr))
    return;
  findObject();
  OwnMembers members;
  members.TraverseStmt(function_->getBody());
  AsmFinder finder;
  finder.TraverseStmt(function_->getBody());
  for (const CallExpr *call : finder.calls) // that are looked through
    if (const FunctionDecl *callee = call->getDirectCallee())
      if (const FunctionDecl *its = callee->getDefinition(); its && isa<CXXMethodDecl>(its))
        members.TraverseStmt(its->getBody());
  for (const FieldDecl *field : members.found)
    settle(*field);
  Sampler::Settled settled;
  for (const auto &[field, value] : settled_)
    if (value)
      settled[field] = value;
  sampler_.settle(std::move(settled));
}

const Expr *Recovery::settle(const FieldDecl &field) {
  const auto [known, isNew] = settled_.try_emplace(&field, nullptr); // of itself it is nothing
  const Members::Write *write = isNew ? members_.once(field) : nullptr;
  if (!write)
    return known->second;
  const bool isOfObject = write->isInitial && object_ && write->by == object_;
  const bool isAlike = isOfObject && changesNothing(*write->value) &&
                       !sampler_.asksOthers(write->value) &&
                       !sampler_.dependsOnThread(write->value);
  if (isAlike || isOfThreadAlone(*write->value, *write))
    return settled_[&field] = write->value;
  return nullptr;
}

// Of its index, constants and such members of the same object: the same whenever it is computed.
bool Recovery::isOfThreadAlone(const Expr &value, const Members::Write &write) {
  const Expr *expr = stripped(&value);
  const auto *call = dyn_cast<CallExpr>(expr);
  if (threadIndexAxis(expr) || (call && sampler_.indexOf(call) != ThreadValue::Other) ||
      isa<IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr, UnaryExprOrTypeTraitExpr>(expr))
    return true;
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  if (name && isa<EnumConstantDecl>(name->getDecl()))
    return true;
  const auto *member = dyn_cast<MemberExpr>(expr);
  const ValueDecl *decl = name ? name->getDecl() : member ? member->getMemberDecl() : nullptr;
  if (const auto *field = dyn_cast_or_null<FieldDecl>(decl))
    return write.isInside && isSelf(member->getBase()) && settle(*field);
  if (const auto *parameter = dyn_cast_or_null<ParmVarDecl>(decl))
    return write.isInitial && object_ && parameter->getDeclContext() == object_ &&
           sampler_.aliasOf(parameter);
  if (const auto *variable = dyn_cast_or_null<VarDecl>(decl))
    return variable->hasGlobalStorage() ? variable->isUsableInConstantExpressions(context_)
                                        : isLocalOfWriter(*variable, write);
  const auto *op = dyn_cast<UnaryOperator>(expr);
  const auto *both = dyn_cast<BinaryOperator>(expr);
  const bool computes = (op && (op->isArithmeticOp() || op->getOpcode() == UO_LNot)) ||
                        (both && !both->isAssignmentOp() && both->getOpcode() != BO_Comma) ||
                        isa<ConditionalOperator, ExplicitCastExpr>(expr);
  return computes && expr->getType()->isScalarType() &&
         llvm::all_of(expr->children(), [&](const Stmt *child) {
           return isOfThreadAlone(*cast<Expr>(child), write);
         });
}

// const int warp = threadIdx.x / 32;  in the method that writes the member
bool Recovery::isLocalOfWriter(const VarDecl &variable, const Members::Write &write) {
  if (!write.by || variable.getDeclContext() != write.by || !variable.getInit() ||
      !variable.getType()->isScalarType())
    return false;
  if (write.by != function_ && writers_.insert(write.by).second)
    sampler_.consider(write.by->getBody());
  return !sampler_.changes(&variable) && !sampler_.changesUnseen(&variable) &&
         isOfThreadAlone(*variable.getInit(), write);
}

// A reference leads to one place all its life.
bool Recovery::memberStays(const FieldDecl &field) {
  const auto known = settled_.find(&field);
  return field.getType()->isReferenceType() || (known != settled_.end() && known->second) ||
         members_.isOfConstructors(field);
}

std::string Recovery::staleMember(const Expr &value) {
  OwnMembers members;
  if (speaksOfOwnObject())
    members.TraverseStmt(const_cast<Expr *>(&value));
  for (const FieldDecl *field : members.found)
    if (!memberStays(*field))
      return field->getNameAsString();
  return "";
}

// Something around may write it.
void Recovery::noteMemberWalk(const FieldDecl &field, AddressFunction &out) {
  if (!memberStays(field))
    for (const Loop &loop : loops_)
      out.walksIn.push_back(loop.variable);
}

bool Recovery::hangsOnObject(const Expr &value, const FunctionDecl &callee) {
  if (!function_ || !handedTo(nullptr) || !sampler_.dependsOnThread(&value))
    return false;
  const auto *own = cast<CXXMethodDecl>(function_);
  const auto *its = dyn_cast<CXXMethodDecl>(&callee);
  sampler_.settle({});
  sampler_.setThisOfThread(false);
  const bool depends = sampler_.dependsOnThread(&value);
  sampler_.setThisOfThread(isHandedOwn(*function_, nullptr));
  settleMembers();
  return !depends || (its && its->getParent() == own->getParent());
}

bool Recovery::hasMember(StringRef name) const {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(function_);
  return method && memberNamed(*method->getParent(), &context_.Idents.get(name));
}

bool Recovery::isOtherMember(StringRef name, ThreadValue meaning) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(function_);
  const NamedDecl *member =
      method ? memberNamed(*method->getParent(), &context_.Idents.get(name)) : nullptr;
  const auto known = settled_.find(dyn_cast_or_null<FieldDecl>(member));
  return member &&
         (known == settled_.end() || !known->second || classify(known->second) != meaning);
}

void Recovery::needMember(const MemberExpr &member, AddressFunction &out, std::string &problem,
                          unsigned file) {
  const auto &field = *cast<FieldDecl>(member.getMemberDecl());
  const std::string name = field.getNameAsString();
  if (!isFreeInMethod(field))
    problem = "'" + name + "' is a member, and a variable where it is used";
  const auto known = settled_.find(&field);
  const Expr *value = known == settled_.end() ? nullptr : known->second;
  if ((fetchesNumbers_ || readsThrough_) && field.getType()->isPointerType() &&
      !leadsElsewhere(value))
    problem = "'" + name + "', a member, may point to a variable of the thread's own";
  if (!neededMembers_.insert(&field).second)
    return;
  if (!sampler_.dependsOnThread(&member))
    return noteMemberWalk(field, out);
  if (value && makeMember(field, *value, out, problem, file))
    return;
  if (!fetchMember(field, out))
    problem = "'" + name + "' is a member that no other lane can be asked for";
}

bool Recovery::leadsElsewhere(const Expr *pointer) {
  OwnMembers members;
  if (pointer)
    members.TraverseStmt(const_cast<Expr *>(pointer));
  return pointer && members.found.empty() && !leadsToOwn(*pointer);
}

// The lane, the warp, or what is made from those.
bool Recovery::makeMember(const FieldDecl &field, const Expr &value, AddressFunction &out,
                          std::string &problem, unsigned file) {
  const std::string name = field.getNameAsString();
  const QualType type = field.getType().getCanonicalType().getUnqualifiedType();
  const std::string spelled = type.getAsString(context_.getPrintingPolicy());
  const bool isNumber = type->isIntegerType() && !type->isEnumeralType();
  const ThreadValue kind = isNumber ? classify(&value) : ThreadValue::Other;
  if (kind == ThreadValue::Lane || kind == ThreadValue::Warp) {
    const bool isLane = kind == ThreadValue::Lane;
    isLane ? takeLane(name, "const " + spelled, out) : takeWarp(name, "const " + spelled, out);
    if (name == (isLane ? out.laneName : out.warpName))
      (isLane ? out.laneType : out.warpType) = spelled == "unsigned int" ? "unsigned" : spelled;
    return true;
  }
  if (kind == ThreadValue::Thread) {
    out.usesLane = out.usesWarp = true;
    threads_.push_back({"const " + spelled, name, ""});
    return true;
  }
  if (!isNumber || !isMadeOfIndices(value) || !canBeMadeAgain(value))
    return false;
  needAll(&value, out, problem, file);
  out.variables.push_back({"const " + spelled, name, textOf(&value, out, file, problem)});
  return true;
}

// Not of what the constructor is given, but for the lane and the warp.
bool Recovery::isMadeOfIndices(const Expr &value) {
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  return llvm::all_of(inputs.found, [&](const VarDecl *input) {
    if (!isGivenToObject(*input))
      return true;
    const ThreadValue kind = classify(sampler_.aliasOf(input));
    return kind == ThreadValue::Lane || kind == ThreadValue::Warp;
  });
}

bool Recovery::isGivenToObject(const VarDecl &variable) const {
  return isa<ParmVarDecl>(variable) && object_ && variable.getDeclContext() == object_;
}

void Recovery::needGiven(const VarDecl &parameter, AddressFunction &out) {
  if (!needed_.insert(&parameter).second)
    return;
  takeSiteName(parameter, out);
  const std::string name = siteName(parameter), type = typeText(parameter);
  if (classify(sampler_.aliasOf(&parameter)) == ThreadValue::Lane)
    takeLane(name, type, out);
  else
    takeWarp(name, type, out);
}

bool Recovery::fetchMember(const FieldDecl &field, AddressFunction &out) {
  const std::string name = field.getNameAsString(), asked = askedAs(name);
  const bool isTaken = hasMember(asked) || freeName(asked) != asked ||
                       context_.Idents.get(asked).hasMacroDefinition();
  if (isTaken || field.getType().isVolatileQualified() || !isHeldByLanes(field.getType()))
    return false;
  out.usesLane = out.usesWarp = true;
  noteMemberWalk(field, out);
  out.fetched.push_back(name);
  out.variables.push_back(
      {"const auto", name,
       "lp::of_thread(" + asked + ", " + out.laneName + ", " + out.warpName + ")"});
  return true;
}

} // namespace layout_port::native
