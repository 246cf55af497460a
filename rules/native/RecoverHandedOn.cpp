// Functions that the kernel hands its sums to behind the products, all of them at once, and methods
// of the object that has them:
//
//   for (k...) gemm.step(tile);
//   gemm.store(C, N);              its text is ported where it stands, as the kernel's epilogue is
//
// Whether there are any is known when the kernel has been read once; it is read again with them as
// functions that handle fragments, so that what they are handed is known as it is of those.
#include "native/EpilogueMemory.h"
#include "native/FragmentName.h"
#include "native/Recovery.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

void Recovery::noteHandedOn(const CallExpr &call, const FunctionDecl &function) {
  if (owner_ == nullptr && !isa<CXXOperatorCallExpr>(call) && !isOfHeaders(function) &&
      rangeOf(function) && function.getReturnType()->isVoidType())
    handedOn_.push_back({&call, &function});
}

// What of the kernel's own it is handed by reference.
EpilogueCall Recovery::epilogueCallOf(const CallExpr &call, const FunctionDecl &function) const {
  EpilogueCall place{&function, &call, {}};
  if (const Expr *self = objectOf(call))
    if (const VarDecl *object = wholeVariable(*self))
      place.handed[nullptr] = object;
  for (unsigned i = 0; i < function.getNumParams() && i < call.getNumArgs(); ++i) {
    const ParmVarDecl *parameter = function.getParamDecl(i);
    const bool leads =
        parameter->getType()->isReferenceType() || parameter->getType()->isPointerType();
    if (const VarDecl *variable = leads ? wholeVariable(*call.getArg(i)) : nullptr)
      place.handed[parameter] = variable;
  }
  return place;
}

// Other arguments speak of no sums.
static bool namesNoOther(const CallExpr &call, const EpilogueCall &place, uint64_t sums,
                         ASTContext &context) {
  std::set<const Expr *> handed;
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(&call))
    handed.insert(stripped(member->getImplicitObjectArgument()));
  for (const auto &[parameter, variable] : place.handed)
    if (parameter)
      handed.insert(stripped(call.getArg(parameter->getFunctionScopeIndex())));
  return llvm::all_of(mentionsIn(&call), [&](const DeclRefExpr *name) {
    const auto *variable = cast<VarDecl>(name->getDecl());
    const FieldDecl *part = partNamed(*name, context);
    const bool isOfSums =
        part ? fragmentOf(*variable, part) == sums : isFragmentOf(*variable, sums);
    return !isOfSums || handed.count(name);
  });
}

// Behind the last product on sums that it is handed, and not before any of them.
bool Recovery::isHandedOnBehind(const CallExpr &call, const FunctionDecl &function) const {
  const auto range = texts_.statement(call.getSourceRange());
  const EpilogueCall place = epilogueCallOf(call, function);
  bool any = false;
  for (const MmaSite &mma : out_.mmas)
    for (const auto &[parameter, variable] : place.handed) {
      const uint64_t sums = mma.d[0].declaration;
      if (!isFragmentOf(*variable, sums))
        continue;
      if (!range || range->begin < regionOf(out_, sums).end ||
          !namesNoOther(call, place, sums, const_cast<ASTContext &>(context_)))
        return false;
      any = true;
    }
  return any;
}

void Recovery::findHandingOn() {
  std::set<const FunctionDecl *> others;
  for (const auto &[call, function] : handedOn_)
    (isHandedOnBehind(*call, *function) ? mayHandOn_ : others).insert(function);
  for (const FunctionDecl *function : others)
    mayHandOn_.erase(function);
}

std::vector<EpilogueCall> Recovery::epilogueCalls() const {
  std::vector<EpilogueCall> calls;
  for (const FunctionDecl *function : handingOn_) {
    const auto known = handings_.find(function);
    for (const Handing &handing : known == handings_.end() ? std::vector<Handing>() : known->second)
      calls.push_back(epilogueCallOf(*handing.call, *function));
  }
  const SourceManager &sm = context_.getSourceManager();
  llvm::sort(calls, [&](const EpilogueCall &a, const EpilogueCall &b) { // not by place in memory
    return sm.isBeforeInTranslationUnit(a.call->getBeginLoc(), b.call->getBeginLoc());
  });
  return calls;
}

// Its parameters are what this call gives them, while it is looked at.
Epilogue Recovery::epilogueIn(EpilogueInput input, const EpilogueCall &place) {
  Epilogue found;
  const auto frames = frames_.find(place.function);
  if (frames == frames_.end() || frames->second.size() != 1) {
    found.problem = "'" + place.function->getNameAsString() + "' is handed sums of several kinds";
    return found;
  }
  input.in = &place;
  speakOf(place.function, frames->second.front().number);
  holdsForCallsOf(*place.function, 0, [&](const Handing &handing) {
    if (handing.call != place.call)
      return true;
    const auto stands = [&] {
      for (const auto &[variable, value] : handing.latest)
        sampler_.alias(variable, value);
      for (unsigned i = 0; i < place.function->getNumParams(); ++i)
        handIn(handing, *place.function, i);
    };
    const auto rebind = input.rebind;
    input.rebind = [&](const std::vector<const Stmt *> &stmts, const EpilogueBody &body,
                       const std::set<const VarDecl *> &own, const std::set<const VarDecl *> &views,
                       bool laneOnly) { // which asks of all calls
      EpilogueBody::Rebound rebound = rebind(stmts, body, own, views, laneOnly);
      stands();
      return rebound;
    };
    stands();
    found = recoverEpilogue(input);
    return true;
  });
  speakOf(nullptr, 0);
  return found;
}

static bool areAlike(const EpilogueBody &a, const EpilogueBody &b) {
  const auto sameEdits = [](const std::vector<SourceEdit> &x, const std::vector<SourceEdit> &y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const SourceEdit &one, const SourceEdit &other) {
                        return one.range == other.range && one.text == other.text;
                      });
  };
  const auto sameNames = [&](const EpilogueBody::Rebound &x, const EpilogueBody::Rebound &y) {
    const auto sameVariables = [](const AddressFunction::Variable &one,
                                  const AddressFunction::Variable &other) {
      return one.type == other.type && one.name == other.name && one.value == other.value;
    };
    return x.problem == y.problem && x.names.usesLane == y.names.usesLane &&
           x.names.usesWarp == y.names.usesWarp && x.names.laneName == y.names.laneName &&
           x.names.warpName == y.names.warpName && x.names.laneType == y.names.laneType &&
           x.names.warpType == y.names.warpType && sameEdits(x.edits, y.edits) &&
           std::equal(x.names.variables.begin(), x.names.variables.end(), y.names.variables.begin(),
                      y.names.variables.end(), sameVariables);
  };
  return a.range == b.range && a.tiles.size() == b.tiles.size() && a.changes == b.changes &&
         a.usesLower == b.usesLower && a.usesPair == b.usesPair && a.ownTurns == b.ownTurns &&
         a.functions.empty() && b.functions.empty() && sameEdits(a.edits, b.edits) &&
         sameNames(a.forThread, b.forThread) && sameNames(a.forLane, b.forLane);
}

// What the functions do that the kernel hands these sums to is part of their epilogue.
void Recovery::addCalled(const EpilogueInput &input, Epilogue &epilogue) {
  handsOn_.clear();
  for (const EpilogueInput::Accumulator &sums : input.accumulators)
    handsOn_.insert(sums.declaration);
  for (const EpilogueCall &place : input.calls) {
    const bool isHanded = llvm::any_of(place.handed, [&](const auto &handed) {
      return llvm::any_of(handsOn_,
                          [&](uint64_t sums) { return isFragmentOf(*handed.second, sums); });
    });
    if (!isHanded || !epilogue.problem.empty())
      continue;
    const Epilogue its = epilogueIn(input, place);
    epilogue.problem = its.problem;
    epilogue.problemAt = its.problemAt;
    if (its.hasSums || (its.usesRows && input.between))
      epilogue.problem = "'" + place.function->getNameAsString() + "' speaks of what rows have";
    epilogue.usesRows |= its.usesRows;
    const size_t before = epilogue.bodies.size();
    for (const EpilogueBody &body : its.bodies) {
      const auto others =
          llvm::make_range(epilogue.bodies.begin(), std::next(epilogue.bodies.begin(), before));
      const auto known = llvm::find_if(others, [&](const EpilogueBody &other) {
        return other.range.file == body.range.file && other.range.begin < body.range.end &&
               body.range.begin < other.range.end;
      });
      if (known == others.end())
        epilogue.bodies.push_back(body);
      else if (!areAlike(*known, body))
        epilogue.problem =
            "two calls of '" + place.function->getNameAsString() + "' would have another text each";
    }
    for (const std::string &assumption : its.assumptions)
      if (!llvm::is_contained(epilogue.assumptions, assumption))
        epilogue.assumptions.push_back(assumption);
  }
  handsOn_.clear();
}

// Of the object whose sums these are; what becomes of them says the epilogue.
bool Recovery::namesHandedOn(const MemberExpr &member) const {
  const auto *field = dyn_cast<FieldDecl>(member.getMemberDecl());
  const auto object = handsOn_.empty() ? std::nullopt : handedTo(nullptr);
  return object && field && isa<CXXThisExpr>(stripped(member.getBase())) &&
         handsOn_.count(fragmentOf(*object->variable, field));
}

} // namespace layout_port::native
