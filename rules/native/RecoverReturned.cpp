// Wrappers around one instruction that return its registers by value:
//
//   uint4 ldmatrix_x4(const half *p) { uint4 r; asm("ldmatrix..." : "=r"(r.x), ... ); return r; }
//   float4 mma(float4 c, uint4 a, uint2 b) { asm("mma..." : "+f"(c.x), ... ); return c; }
//
// What takes the value at the call stands for the variable that is returned, if it takes it as it
// is: the whole statement is written anew.
//
//   const uint4 a = ldmatrix_x4(p);  ──▶  uint4 a;
//                                         lp::load_a(a, ...);
//   c[j] = mma(c[j], a, b);          ──▶  lp::mma_wave(c[j], a, b);
//   Frag a[2] = {load(p), load(q)};  ──▶  Frag a[2];
//                                         lp::load_a(a[0], ...);
//                                         lp::load_a(a[1], ...);
//
// A function may hand on what another returns: uint4 a(int row) { return ldmatrix_x4(&s[row]); }
#include "native/Recovery.h"

#include "ptx/decode/MatrixMove.h"

#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

constexpr int64_t kByteBits = 8;

// How many registers the instruction writes; 0: it is not understood.
static size_t resultsOf(const GCCAsmStmt &stmt) {
  const auto text = readAsm(stmt);
  if (!text || !text->matrix || text->block.instructions.size() != 1)
    return 0;
  if (text->matrix->opcode == "mma") {
    const auto mma = ptx::decodeMma(*text->matrix);
    return mma ? mma->d.size() : 0;
  }
  const auto move = ptx::decodeMatrixMove(*text->matrix);
  return move ? move->registers.size() : 0;
}

// Where a register lies in the variable, in bytes; none: it is no piece of it.
std::optional<int64_t> Recovery::pieceOf(const Expr *place, const VarDecl &whole) const {
  place = place->IgnoreParens();
  if (const Expr *word = wordSeenAs(*place))
    place = word;
  if (const auto *name = dyn_cast<DeclRefExpr>(place))
    return name->getDecl() == &whole ? std::optional<int64_t>(0) : std::nullopt;
  if (const auto *member = dyn_cast<MemberExpr>(place); member && !member->isArrow()) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    const auto begin = field ? pieceOf(member->getBase(), whole) : std::nullopt;
    if (!begin || field->isBitField() || field->getType()->isReferenceType())
      return std::nullopt;
    return *begin + static_cast<int64_t>(context_.getFieldOffset(field)) / kByteBits;
  }
  const auto *element = dyn_cast<ArraySubscriptExpr>(place);
  const Expr *array = element ? element->getBase()->IgnoreParenImpCasts() : nullptr;
  const auto begin =
      array && array->getType()->isConstantArrayType() ? pieceOf(array, whole) : std::nullopt;
  const auto index = begin ? constant(element->getIdx()) : std::nullopt;
  const int64_t size = context_.getTypeSizeInChars(place->getType()).getQuantity();
  return index ? std::optional(*begin + *index * size) : std::nullopt;
}

// The instruction's results are pieces of the variable, each another one, and there is no more of
// it.
bool Recovery::writesWhole(const GCCAsmStmt &stmt, const VarDecl &whole) const {
  std::set<int64_t> pieces;
  int64_t bytes = 0;
  for (unsigned i = 0; i < stmt.getNumOutputs(); ++i) {
    const auto piece = pieceOf(stmt.getOutputExpr(i), whole);
    if (!piece || !pieces.insert(*piece).second)
      return false;
    bytes += context_.getTypeSizeInChars(stmt.getOutputExpr(i)->getType()).getQuantity();
  }
  return stmt.getNumOutputs() == resultsOf(stmt) &&
         bytes == context_.getTypeSizeInChars(whole.getType()).getQuantity();
}

const VarDecl *Recovery::returnedBy(const FunctionDecl &function) {
  const QualType type = function.getReturnType();
  if (!type->isRecordType() || !type.isTriviallyCopyableType(context_) || !function.hasBody())
    return nullptr;
  if (const CallExpr *call = handedOnBy(function))
    return returnedBy(*call->getDirectCallee()->getDefinition());
  const std::vector<const Stmt *> body = flattened(function.getBody());
  const size_t count = body.size();
  const auto *leave = count < 2 ? nullptr : dyn_cast<ReturnStmt>(body[count - 1]);
  const auto *stmt = leave ? dyn_cast<GCCAsmStmt>(body[count - 2]) : nullptr;
  const auto *name = stmt && isMatrix(*stmt)
                         ? dyn_cast<DeclRefExpr>(throughCopies(leave->getRetValue()))
                         : nullptr;
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const bool isOwn = variable && variable->getDeclContext() == &function &&
                     variable->hasLocalStorage() &&
                     context_.hasSameType(variable->getType(), type.getUnqualifiedType());
  const bool isAlone = llvm::all_of(llvm::ArrayRef(body).drop_back(2), [](const Stmt *other) {
    const auto *text = dyn_cast<GCCAsmStmt>(other);
    return isa<DeclStmt>(other) || (text && onlyCasts(*text));
  });
  return isOwn && isAlone && writesWhole(*stmt, *variable) ? variable : nullptr;
}

// return f(...);  and nothing else, where f returns an instruction's registers.
const CallExpr *Recovery::handedOnBy(const FunctionDecl &function) {
  const std::vector<const Stmt *> body = flattened(function.getBody());
  const auto *leave = body.size() == 1 ? dyn_cast<ReturnStmt>(body[0]) : nullptr;
  if (!leave || !leave->getRetValue() ||
      !context_.hasSameUnqualifiedType(leave->getRetValue()->getType(), function.getReturnType()) ||
      !handing_.insert(&function).second) // it calls itself
    return nullptr;
  const CallExpr *call = returningCall(leave->getRetValue());
  handing_.erase(&function);
  return call;
}

const CallExpr *Recovery::returningCall(const Expr *value) {
  const auto *call = value ? dyn_cast<CallExpr>(throughCopies(value)) : nullptr;
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  const bool isOfObject =
      isa_and_nonnull<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(definition);
  const bool isIts = definition && definition->hasBody() && !isOfObject &&
                     matrixWithin(definition) && returnedBy(*definition);
  return isIts ? call : nullptr;
}

// T x = f(...);  and  x = f(...);
std::optional<Recovery::Taking> Recovery::takingAt(const Stmt &stmt, IsTaken isTaken) const {
  Taking taking;
  if (const auto *declaration = dyn_cast<DeclStmt>(&stmt)) {
    for (const Decl *decl : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl))
        if (const CallExpr *call = isTaken(variable->getInit())) {
          taking.call = call;
          taking.declared = variable;
          taking.isAlone = declaration->isSingleDecl();
          return taking;
        }
    return std::nullopt;
  }
  const auto *whole = dyn_cast<FullExpr>(&stmt);
  const auto *op = dyn_cast<CXXOperatorCallExpr>(whole ? whole->getSubExpr() : &stmt);
  const auto *assignment = op && op->getOperator() == OO_Equal && op->getNumArgs() == 2
                               ? dyn_cast_or_null<CXXMethodDecl>(op->getDirectCallee())
                               : nullptr;
  if (!assignment || !assignment->isTrivial())
    return std::nullopt;
  taking.call = isTaken(op->getArg(1));
  taking.destination = op->getArg(0);
  return taking.call ? std::optional(taking) : std::nullopt;
}

// Why the value does not go straight into registers that have a name; empty when it does.
std::string Recovery::obstacleToTaking(const Taking &taking, const Stmt &stmt) {
  const std::string function = "'" + taking.call->getDirectCallee()->getNameAsString() + "'";
  if (const VarDecl *variable = taking.declared) {
    const std::string name = "'" + variable->getNameAsString() + "'";
    if (!taking.isAlone)
      return name + " takes what " + function +
             " returns and is declared together with other variables";
    if (!isa_and_nonnull<CompoundStmt>(parentOf(DynTypedNode::create(stmt))))
      return name + " takes what " + function + " returns in the head of a statement";
    if (!variable->hasLocalStorage() || isa<DecompositionDecl>(variable) ||
        variable->getType()->isReferenceType() || variable->getType().isVolatileQualified())
      return name + " takes what " + function + " returns and is no plain variable";
    if (variable->getInitStyle() != VarDecl::CInit || stmt.getBeginLoc().isMacroID() ||
        stmt.getEndLoc().isMacroID())
      return name + " is declared in another way than T x = " +
             taking.call->getDirectCallee()->getNameAsString() + "(...)";
    const CXXRecordDecl *record = variable->getType()->getAsCXXRecordDecl();
    if (!record || !record->hasDefaultConstructor() || record->hasUserProvidedDefaultConstructor())
      return name + " cannot be declared without a value";
  } else if (const Stmt *outer = parentOf(DynTypedNode::create(stmt));
             !isa_and_nonnull<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, CXXForRangeStmt,
                              SwitchCase>(outer)) {
    return "what " + function + " returns is used in an expression: give it a variable of its own";
  }
  const QualType type =
      taking.declared ? taking.declared->getType() : taking.destination->getType();
  if (!context_.hasSameUnqualifiedType(type, taking.call->getType()) || type.isVolatileQualified())
    return "what " + function + " returns becomes another type";
  const bool isFree = (!taking.destination || changesNothing(*taking.destination)) &&
                      llvm::all_of(taking.call->arguments(), [&](const Expr *argument) {
                        return changesNothing(*argument) || isTakenAhead(*argument, stmt);
                      });
  const Expr *object = objectOf(*taking.call);
  return isFree && (!object || changesNothing(*object))
             ? ""
             : "the statement that takes what " + function + " returns changes something else, too";
}

// The type as it stands, but for what only a declaration with its value may say.
std::string Recovery::declarationOf(const VarDecl &variable) const {
  const TypeSourceInfo *info = variable.getTypeSourceInfo();
  const bool isSaid = info && !info->getType()->getContainedDeducedType();
  const auto range =
      isSaid ? texts_.range(info->getTypeLoc().getUnqualifiedLoc().getSourceRange()) : std::nullopt;
  // Of several variables each has a byte of the statement: what is quoted would hold its edits.
  const auto *declaration = dyn_cast_or_null<DeclStmt>(parentOf(DynTypedNode::create(variable)));
  const bool isOne = !declaration || declaration->isSingleDecl();
  const std::string text =
      range && range->file == siteRange_.file
          ? isOne
                ? sourceRange(range->begin, range->end)
                : Lexer::getSourceText(CharSourceRange::getTokenRange(
                                           info->getTypeLoc().getUnqualifiedLoc().getSourceRange()),
                                       context_.getSourceManager(), context_.getLangOpts())
                      .str()
          : variable.getType().getCanonicalType().getUnqualifiedType().getAsString(
                context_.getPrintingPolicy());
  return text + " " + variable.getNameAsString();
}

bool Recovery::readsFrom(const CallExpr &call, const VarDecl &variable) {
  bool any = false;
  Mentions mentions([&](const DeclRefExpr &name) { any = any || name.getDecl() == &variable; });
  for (const Stmt *part : call.children())
    mentions.TraverseStmt(const_cast<Stmt *>(part));
  return any;
}

const Expr *Recovery::nameOf(const VarDecl &variable) const {
  return DeclRefExpr::Create(const_cast<ASTContext &>(context_), NestedNameSpecifierLoc(),
                             SourceLocation(), const_cast<VarDecl *>(&variable), false,
                             variable.getLocation(), variable.getType(), VK_LValue);
}

bool Recovery::visitTaking(const Stmt &stmt) {
  const auto *declaration = dyn_cast<DeclStmt>(&stmt);
  const bool takesAll = declaration && !declaration->isSingleDecl() &&
                        llvm::all_of(declaration->decls(), [&](const Decl *decl) {
                          const auto *variable = dyn_cast<VarDecl>(decl);
                          return variable && returningCall(variable->getInit());
                        });
  if (takesAll) {
    declarator_ = 0;
    for (const Decl *decl : declaration->decls()) {
      Taking taking;
      taking.declared = cast<VarDecl>(decl);
      taking.call = returningCall(taking.declared->getInit());
      take(taking, stmt);
      ++declarator_;
    }
    return true;
  }
  if (declaration && takeList(*declaration))
    return true;
  const auto taking = takingAt(stmt, [this](const Expr *value) { return returningCall(value); });
  if (taking)
    take(*taking, stmt);
  return taking.has_value();
}

// Frag a[2] = {load(p), load(q)};  each element takes what its call returns.
bool Recovery::takeList(const DeclStmt &declaration) {
  const auto *variable =
      declaration.isSingleDecl() ? dyn_cast<VarDecl>(declaration.getSingleDecl()) : nullptr;
  const std::vector<const Expr *> values =
      variable ? callsListed(*variable) : std::vector<const Expr *>();
  const std::string text = values.empty() ? "" : arrayDeclarationOf(*variable);
  if (text.empty())
    return false;
  gathered_.insert(variable);
  const size_t products = out_.mmas.size();
  listed_ = static_cast<unsigned>(values.size());
  for (declarator_ = 0; declarator_ < listed_; ++declarator_) {
    Taking taking;
    taking.call = returningCall(values[declarator_]);
    taking.destination = elementAt(*nameOf(*variable), declarator_);
    const size_t before = out_.loads.size();
    take(taking, declaration);
    if (declarator_ == 0 && out_.loads.size() != before)
      out_.loads.back().declaration = text;
  }
  listed_ = 0;
  if (products != out_.mmas.size())
    refuseSumsOf(*returningCall(values[0]), *variable, declaration);
  return true;
}

// float4 c = mma(a, b);
void Recovery::refuseSumsOf(const CallExpr &call, const VarDecl &declared, const Stmt &stmt) {
  refuse("'" + declared.getNameAsString() + "' is declared with the sums that '" +
             call.getDirectCallee()->getNameAsString() + "' returns: declare it before",
         stmt.getSourceRange());
}

// All elements of the list, each a call that returns an instruction's registers.
std::vector<const Expr *> Recovery::callsListed(const VarDecl &variable) {
  const auto *array = context_.getAsConstantArrayType(variable.getType());
  const auto *list = dyn_cast_or_null<InitListExpr>(variable.getInit());
  if (!array || !list || !variable.hasLocalStorage() || array->getSize() != list->getNumInits() ||
      !array->getElementType()->isRecordType() || array->getElementType().isVolatileQualified())
    return {};
  std::vector<const Expr *> values(list->inits().begin(), list->inits().end());
  const auto isIts = [this](const Expr *value) { return returningCall(value) != nullptr; };
  return llvm::all_of(values, isIts) ? values : std::vector<const Expr *>();
}

// Frag a[2]  of  const Frag a[2] = {..};  empty: it is not written so, or cannot be without a
// value.
std::string Recovery::arrayDeclarationOf(const VarDecl &variable) const {
  const TypeSourceInfo *info = variable.getTypeSourceInfo();
  const CXXRecordDecl *record =
      variable.getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  const bool isPlain = info && record && record->hasDefaultConstructor() &&
                       !record->hasUserProvidedDefaultConstructor() &&
                       !variable.getBeginLoc().isMacroID() && !variable.getEndLoc().isMacroID();
  if (!isPlain)
    return "";
  const UnqualTypeLoc type = info->getTypeLoc().getUnqualifiedLoc();
  std::string text = Lexer::getSourceText(CharSourceRange::getTokenRange(type.getSourceRange()),
                                          context_.getSourceManager(), context_.getLangOpts())
                         .str();
  const auto *array = context_.getAsConstantArrayType(variable.getType());
  const auto sized = type.getAs<ArrayTypeLoc>();
  if (sized && !sized.getSizeExpr() && llvm::StringRef(text).ends_with("]")) // Frag a[] = ..
    text.insert(text.size() - 1, std::to_string(array->getZExtSize()));
  return text;
}

void Recovery::take(const Taking &taking, const Stmt &stmt) {
  multiplies_ = true;
  const CallExpr &call = *taking.call;
  const FunctionDecl &function = *call.getDirectCallee()->getDefinition();
  const std::string name = "'" + function.getNameAsString() + "'";
  const std::string why = obstacleToTaking(taking, stmt);
  if (!why.empty())
    return refuse(why, stmt.getSourceRange());
  recordFunctions(function);
  Binding result;
  result.returned = returnedBy(function);
  result.destination = taking.destination;
  if (const VarDecl *variable = taking.declared) {
    result.destination = nameOf(*variable);
    gathered_.insert(variable);
  }
  const size_t loads = out_.loads.size(), products = out_.mmas.size();
  liftCall(call, function, stmt, nullptr, &result);
  if (products != out_.mmas.size()) {
    returnsSums_ = true;
    if (taking.declared)
      refuseSumsOf(call, *taking.declared, stmt);
  }
  if (products == out_.mmas.size() && loads != out_.loads.size()) {
    const auto root = roots_.find(out_.loads.back().registers[0].declaration);
    if (root == roots_.end())
      refuse("what " + name + " returns is not followed", stmt.getSourceRange());
    else if (readsFrom(call, *root->second.variable))
      refuse("what " + name + " returns goes where its own arguments are read from",
             stmt.getSourceRange());
    if (taking.declared)
      out_.loads.back().declaration = declarationOf(*taking.declared);
  }
}

// Of a call whose value nothing takes as it is.
bool Recovery::refuseUntaken(const CallExpr &call) {
  if (!returningCall(&call))
    return false;
  refuse("what '" + call.getDirectCallee()->getNameAsString() +
             "' returns is used in an expression: give it a variable of its own",
         call.getSourceRange());
  return multiplies_ = true;
}

// ... in the arguments of another one.
bool Recovery::refuseUntakenIn(const CallExpr &call, const Stmt &site) {
  AsmFinder within;
  for (const Expr *argument : call.arguments())
    if (!isTakenAhead(*argument, site))
      within.TraverseStmt(const_cast<Expr *>(argument));
    else
      for (const Expr *inner : returningCall(argument)->arguments())
        within.TraverseStmt(const_cast<Expr *>(inner));
  return llvm::any_of(within.calls, [&](const CallExpr *other) { return refuseUntaken(*other); });
}

// What ldmatrix gave, by a function's value, to a product that is a statement of its own.
bool Recovery::isTakenAhead(const Expr &argument, const Stmt &site) {
  const CallExpr *call = returningCall(&argument);
  if (!call || isPartOfExpression(site) || site.getBeginLoc().isMacroID() ||
      !llvm::all_of(call->arguments(), [](const Expr *inner) { return changesNothing(*inner); }))
    return false;
  AsmFinder asms;
  asms.TraverseStmt(call->getDirectCallee()->getDefinition()->getBody());
  return llvm::none_of(asms.found, [](const GCCAsmStmt *stmt) { return isProduct(*stmt); });
}

const Expr *Recovery::takenAhead(const Expr *argument, const ParmVarDecl &parameter,
                                 const Stmt &site) {
  if (!isTakenAhead(*argument, site))
    return nullptr;
  const CallExpr &call = *returningCall(argument);
  const FunctionDecl &function = *call.getDirectCallee()->getDefinition();
  auto &context = const_cast<ASTContext &>(context_);
  const QualType type = call.getType().getUnqualifiedType();
  const std::string name =
      freeName(parameter.getName().empty() ? std::string("tile") : parameter.getNameAsString());
  VarDecl *variable = VarDecl::Create(
      context, const_cast<FunctionDecl *>(function_ ? function_ : &kernel_), call.getBeginLoc(),
      call.getBeginLoc(), &context.Idents.get(name), type, nullptr, SC_None);
  const Expr *named = DeclRefExpr::Create(context, NestedNameSpecifierLoc(), SourceLocation(),
                                          variable, false, call.getBeginLoc(), type, VK_LValue);
  recordFunctions(function);
  Binding result;
  result.returned = returnedBy(function);
  result.destination = named;
  const Part part = std::exchange(part_, Part());
  const size_t loads = out_.loads.size();
  liftCall(call, function, call, nullptr, &result);
  part_ = part;
  const auto statement = texts_.statement(site.getSourceRange());
  if (loads == out_.loads.size() || !statement)
    return nullptr; // refused
  LoadSite &load = out_.loads.back();
  load.isAhead = true;
  load.statement = *statement;
  siteRange_ = load.range;
  load.declaration = declarationOf(*variable);
  return named;
}

} // namespace layout_port::native
