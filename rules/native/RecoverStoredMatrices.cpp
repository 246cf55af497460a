// Results that stmatrix stores to shared memory between the products, and behind the last.
//
//   stsm4(&sP[row0 + lane % 16][j * 8 + lane / 16 * 8], packed(p[j][0], p[j][1]), ...);
//
//   ──▶  lp::store_matrices<0>([&](int lane, int warp) {
//          const int row0 = warp * 16;
//          return &sP[row0 + lane % 16][j * 8 + lane / 16 * 8];
//        }, packed(p[j][0], p[j][1]), ...);
//
// Lane 8 m + r says where row r of matrix m goes, whatever it holds itself. So the lanes that have
// the results here ask for the address as CUDA's would, and write what they have: no element moves.
// As of other stores (RecoverStored.cpp) two rows may not go to one place, and a barrier has to
// part this from whatever else is done with the memory.
#include "native/EpilogueMemory.h"
#include "native/Recovery.h"
#include "native/SharedFlow.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr unsigned kRowsOfMatrix = 8;

// A function that stores the matrices and does no more, but for making the address.
bool onlyStores(const CallExpr &call, const GCCAsmStmt &code) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *function = callee ? callee->getDefinition() : nullptr;
  const auto *body = function ? dyn_cast_or_null<CompoundStmt>(function->getBody()) : nullptr;
  const auto isQuiet = [](const Stmt *stmt) {
    const auto *declarations = dyn_cast<DeclStmt>(stmt);
    const auto *cast = dyn_cast<GCCAsmStmt>(stmt);
    return (cast && onlyCasts(*cast)) ||
           (declarations && llvm::all_of(declarations->decls(), [](const Decl *decl) {
              const auto *local = dyn_cast<VarDecl>(decl);
              return local && local->hasLocalStorage() &&
                     (!local->getInit() || changesNothing(*local->getInit()));
            }));
  };
  return body && llvm::is_contained(body->body(), &code) &&
         llvm::all_of(body->body(),
                      [&](const Stmt *stmt) { return stmt == &code || isQuiet(stmt); });
}

const Expr *argumentFor(const CallExpr &call, const VarDecl &parameter) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *function = callee ? callee->getDefinition() : nullptr;
  if (!function || isa<CXXOperatorCallExpr>(call))
    return nullptr;
  for (unsigned i = 0; i < function->getNumParams() && i < call.getNumArgs(); ++i)
    if (function->getParamDecl(i) == &parameter)
      return isa<CXXDefaultArgExpr>(call.getArg(i)) ? nullptr : call.getArg(i);
  return nullptr;
}

} // namespace

// The kernel's own expression for the address; null: the function that stores makes it.
const Expr *Recovery::placeOfMatrices(const StoredMatrices &stored) {
  constexpr int kSteps = 16;
  const Expr *at = stored.address;
  for (int step = 0; stored.call && step < kSteps; ++step) {
    at = stripped(at);
    const auto *cast = dyn_cast<ExplicitCastExpr>(at);
    const auto *call = dyn_cast<CallExpr>(at);
    const VarDecl *variable = variableNamed(at);
    const auto *parameter = dyn_cast_or_null<ParmVarDecl>(variable);
    if (parameter)
      return sampler_.changesOf(parameter).empty() ? argumentFor(*stored.call, *parameter)
                                                   : nullptr;
    at = cast       ? cast->getSubExpr()
         : call     ? sharedPointerIn(*call)
         : variable ? variable->getInit()
                    : nullptr;
    if (!at || (variable && !sampler_.changesOf(variable).empty()))
      return nullptr;
  }
  return stored.call ? nullptr : at;
}

// The words of a number that is handed as another would not be its own.
std::string Recovery::whyNoWord(const Expr &value, QualType as) const {
  const QualType own = value.IgnoreParenImpCasts()->getType().getNonReferenceType();
  const auto isWord = [&](QualType type) {
    return type->isIntegerType() && !type->isEnumeralType() && context_.getTypeSize(type) == 32;
  };
  as = as.getNonReferenceType();
  const bool isSame = context_.hasSameUnqualifiedType(own, as) && context_.getTypeSize(own) == 32;
  return isSame || (isWord(own) && isWord(as)) ? "" : "'" + texts_.spelled(&value) + "' is no word";
}

// Of a matrix: what the kernel says, where a function is handed it.
std::string Recovery::matrixText(const StoredMatrices &stored, const Expr *matrix,
                                 std::string &problem) {
  const auto quoted = [&](const Expr *expr) {
    const auto range = texts_.range(expr->getSourceRange());
    if (!range || range->file != out_.range.file) {
      problem = "a macro or another file makes what it stores";
      return std::string();
    }
    return sourceRange(range->begin, range->end);
  };
  if (!stored.call)
    return quoted(matrix);
  matrix = stripped(matrix);
  const auto *access = dyn_cast<ArraySubscriptExpr>(matrix);
  Expr::EvalResult number;
  const VarDecl *parameter = variableNamed(access ? access->getBase() : matrix);
  const Expr *argument = parameter ? argumentFor(*stored.call, *parameter) : nullptr;
  if (!argument || !sampler_.changesOf(parameter).empty() ||
      (access &&
       (!access->getIdx()->EvaluateAsInt(number, context_) || !variableNamed(argument)))) {
    problem = "the function that stores makes what it stores";
    return "";
  }
  if (access)
    return quoted(argument) + "[" + std::to_string(number.Val.getInt().getExtValue()) + "]";
  if (problem.empty())
    problem = whyNoWord(*argument, parameter->getType());
  return quoted(argument);
}

// Of a call that names the address and the matrices behind it what it says, with the author's
// breaks; empty: it says something else.
std::string Recovery::argumentsBehind(const Expr &place, const StoredMatrices &stored) const {
  const CallExpr *call = stored.call;
  const size_t count = stored.matrices.size(), all = call ? call->getNumArgs() : 0;
  if (all <= count || call->getArg(static_cast<unsigned>(all - count - 1)) != &place)
    return "";
  for (size_t i = 0; i < count; ++i) {
    const VarDecl *parameter = variableNamed(stored.matrices[i]);
    const Expr *given = call->getArg(static_cast<unsigned>(all - count + i));
    if (!parameter || argumentFor(*call, *parameter) != given)
      return "";
  }
  const auto from = texts_.range(place.getSourceRange());
  const auto to = texts_.range(call->getArg(static_cast<unsigned>(all - 1))->getSourceRange());
  const bool isPlain = !place.getEndLoc().isMacroID() && !call->getEndLoc().isMacroID();
  return isPlain && from && to ? sourceRange(from->end, to->end) : "";
}

// The one shared variable that an address is made of, and nothing sets it to another. Of a struct
// the member, where the address names it.
Memory Recovery::sharedBehind(const Expr &address) {
  if (const Memory named = memoryOf(address); named.root && isSharedVariable(named.root))
    return named;
  std::set<const VarDecl *> roots, seen;
  bool isClear = true;
  const std::function<bool(const Expr &)> leads = [&](const Expr &value) {
    bool any = false;
    Mentions mentions([&](const DeclRefExpr &name) {
      const auto *variable = dyn_cast<VarDecl>(name.getDecl());
      if (!variable)
        return;
      if (isSharedVariable(variable)) {
        roots.insert(variable);
        any = true;
      } else if (variable->hasLocalStorage() && seen.insert(variable).second) {
        const bool isOfMemory = variable->getInit() && leads(*variable->getInit());
        any |= isOfMemory;
        isClear &= !isOfMemory ||
                   (sampler_.changesOf(variable).empty() && !sampler_.changesUnseen(variable));
        isClear &= !variable->getType()->isPointerType() || isOfMemory;
      }
    });
    mentions.TraverseStmt(const_cast<Expr *>(&value));
    return any;
  };
  leads(address);
  return isClear && roots.size() == 1 ? Memory{*roots.begin(), nullptr} : Memory();
}

std::string Recovery::whyNotStored(const Exchange &exchange, const StoredMatrices &stored) {
  const Expr *place = placeOfMatrices(stored);
  if (!place)
    return "the function that stores makes the address";
  if (sampler_.isMirrored())
    return "the block is padded, and the other half of its wave would write, too";
  const Memory memory = sharedBehind(*place);
  if (!memory.root)
    return "where its address leads to is not clear";
  const auto writeOf = [](const StoredMatrices &its, const Expr *address) -> const Expr * {
    return its.call ? its.call : address;
  };
  const Expr &write = *writeOf(stored, place);
  std::vector<Sampler::Rows> rows; // that are stored in one turn of the loops around
  std::set<const Expr *> addresses;
  for (const auto &[site, other] : exchange.storedMatrices) {
    const Expr *its = placeOfMatrices(other);
    const bool isBeside = its && sharedBehind(*its) == memory &&
                          loopAround(*writeOf(other, its)) == loopAround(write);
    if (!isBeside)
      continue;
    addresses.insert(its);
    rows.push_back({its, static_cast<unsigned>(other.matrices.size()) * kRowsOfMatrix,
                    countersOf(*its, nullptr)});
  }
  const std::optional<bool> areApart = sampler_.areRowsApart(rows);
  if (!areApart || !*areApart)
    return areApart ? "several rows are stored to one place"
                    : "whether each row is stored to a place of its own is not clear";
  const std::string name = "'" + memory.root->getNameAsString() + "'";
  if (isReachedByOthers(*memory.root))
    return "functions, or other names, get at " + name + " by themselves";
  if (!isWrittenApart(memory, write, {}, *kernel_.getBody(), addresses, true))
    return name + " is used otherwise without a barrier between, or it cannot be told";
  return "";
}

// The author's ';' ends what comes in the place of the macro's use.
bool Recovery::isAllOfMacro(const Stmt &site, const TextRange &range) {
  const SourceManager &sm = context_.getSourceManager();
  const SourceLocation end = sm.getExpansionRange(site.getSourceRange()).getEnd();
  const auto next = Lexer::findNextToken(end, sm, context_.getLangOpts());
  return standsAlone(site, range) && next && next->is(tok::semi);
}

std::string Recovery::writeMatrices(const StoredMatrices &stored) {
  const Stmt &site = stored.call ? static_cast<const Stmt &>(*stored.call) : *stored.code;
  const Expr *place = behindMacro(placeOfMatrices(stored));
  const auto range = texts_.statement(site.getSourceRange());
  const FunctionDecl *function = enclosingFunction(site);
  if (!range || range->file != out_.range.file)
    return "it stands in another file";
  if (site.getBeginLoc().isMacroID() && !isAllOfMacro(site, *range))
    return "a macro writes it together with something else";
  if (!function || function->getLocation() != kernel_.getLocation())
    return "it stands in a function that the kernel calls";
  if (stored.call && !onlyStores(*stored.call, *stored.code))
    return "the function that stores does more than that";
  const auto *method = dyn_cast_or_null<CXXMemberCallExpr>(stored.call);
  if (method && !changesNothing(*method->getImplicitObjectArgument()))
    return "its call changes something";
  if (stored.call && isPartOfExpression(*stored.call))
    return "it is part of an expression";
  if (stored.call && llvm::any_of(stored.call->arguments(),
                                  [&](const Expr *argument) { return !changesNothing(*argument); }))
    return "its call changes something";
  placeAt(*place, *range);
  keepsSign_ = true;
  tileVariables_.clear();
  std::string problem;
  const AddressFunction address = addressOf(place, range->file, problem);
  keepsSign_ = false;
  loops_.clear();
  if (problem.empty() && !address.fetched.empty())
    problem =
        "it uses '" + address.fetched[0] + "', which cannot be computed anew for another lane";
  const auto parameter = [](bool isUsed, const std::string &type, const std::string &name) {
    return isUsed ? type + " " + name : std::string("int");
  };
  const std::string indent = indentOf(site.getBeginLoc());
  const std::string line = address.variables.empty() ? " " : "\n" + indent + "  ";
  std::string text =
      std::string(stored.isTurned ? "lp::store_matrices_trans<" : "lp::store_matrices<") +
      std::to_string(stored.bit) + ">([&](" +
      parameter(address.usesLane, address.laneType, address.laneName) + ", " +
      parameter(address.usesWarp, address.warpType, address.warpName) + ") {";
  for (const AddressFunction::Variable &variable : address.variables)
    text += line + declared(variable);
  text += line + "return " + address.expression + ";" +
          (address.variables.empty() ? " }" : "\n" + indent + "}");
  std::string matrices;
  for (const Expr *matrix : stored.matrices)
    matrices += ", " + matrixText(stored, matrix, problem);
  const std::string whole = argumentsBehind(*place, stored);
  text += (whole.empty() ? matrices : whole) + ")";
  if (!problem.empty())
    return problem;
  llvm::append_range(out_.toldBetween, address.told);
  llvm::append_range(out_.keptBetween, address.kept);
  if (stored.call)
    noteWrapper(stored.call->getDirectCallee()->getDefinition());
  return addBetween(out_, {*range, text}) ? "" : "it is stored in several ways";
}

bool Recovery::lookAtStoredMatrices(Exchange &exchange) {
  for (const auto &[site, stored] : exchange.storedMatrices) {
    std::string why = whyNotStored(exchange, stored);
    if (why.empty())
      why = writeMatrices(stored);
    if (!why.empty()) {
      fail(exchange, std::string(kStored) + " by stmatrix: " + why, site->getSourceRange());
      return false;
    }
  }
  return true;
}

} // namespace layout_port::native
