#include "frontend/Parse.h"

#include "frontend/CommandLine.h"
#include "frontend/HostConstants.h"
#include "frontend/Precompiled.h"
#include "frontend/RepairingFiles.h"
#include "frontend/TypePuns.h"
#include "native/Recover.h"
#include "rename/Tables.h"
#include "warp/halves/Halves.h"
#include "warp/trees/Steps.h"
#include "warp/trees/Trees.h"
#include "warp/uniform/SharedLanes.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/OffloadArch.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <thread>

using namespace clang;

namespace layout_port {

namespace {

// Collects what one side finds out.
class Collector {
public:
  Collector(ParseResult &result, const RepairingFiles &files) : result_(result), files_(files) {}

  // The number of the user file at `path`, loading it on first sight.
  int userFile(llvm::StringRef path) {
    llvm::SmallString<256> real;
    if (llvm::sys::fs::real_path(path, real))
      return -1;
    const auto known = index_.find(real);
    if (known != index_.end())
      return known->second;
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return -1;
    const int number = static_cast<int>(result_.program.files.size());
    result_.program.files.push_back(std::make_unique<SourceFile>(path.str(), std::move(*buffer)));
    repairs_.push_back(files_.repairsOf(path));
    if (repairs_.back())
      for (const Repairs::Insertion &insertion : repairs_.back()->insertions())
        if (insertion.text != Repairs::keyword)
          result_.repaired.insert({static_cast<unsigned>(number), insertion.offset});
    index_[real] = number;
    return number;
  }

  // Where `loc` is spelled, if that is in a user file.
  std::optional<Place> place(const SourceManager &sm, SourceLocation loc) {
    const auto [id, offset] = sm.getDecomposedLoc(sm.getSpellingLoc(loc));
    const int file = userFile(sm, id);
    if (file < 0)
      return std::nullopt;
    return Place{static_cast<unsigned>(file), authorsOffset(file, offset)};
  }

  // Did the pre-pass put `template` there?
  bool hasKeywordAt(Place place) const {
    return repairs_[place.first] && repairs_[place.first]->hasKeywordAt(place.second);
  }

  // An #if arm that is not compiled. A header that is read again skips its whole
  // text: only the first reading of a file counts.
  void skipped(const SourceManager &sm, SourceRange range) {
    const auto [id, begin] = sm.getDecomposedLoc(sm.getFileLoc(range.getBegin()));
    const int file = userFile(sm, id);
    if (file < 0 || firstReading_.try_emplace(file, id).first->second != id)
      return;
    const unsigned end = sm.getFileOffset(sm.getFileLoc(range.getEnd()));
    facts().skipped.push_back(
        {static_cast<unsigned>(file), authorsOffset(file, begin), authorsOffset(file, end)});
  }

  void include(const Include &include) {
    if (includes_.insert({include.file, include.begin}).second)
      result_.program.includes.push_back(include);
  }

  void missing(llvm::StringRef header) {
    if (missing_.insert(header).second)
      result_.missingHeaders.push_back(header.str());
  }

  void error(const Diagnostic &d) {
    // A hostile file has an error a token; the first ones tell all there is to tell.
    constexpr size_t kept = 200;
    if (result_.errors.size() >= kept)
      return;
    const std::string key = d.file + ":" + std::to_string(d.line) + ":" + d.message;
    if (errors_.insert(key).second)
      result_.errors.push_back(d);
  }

  AstFacts &facts() { return result_.program.facts; }
  WarpFacts &warps() { return result_.warps; }
  void use(Place use, Place declaration) { result_.uses[use] = declaration; }

  void sharedRequest(const SharedRequest &request) { result_.sharedRequests.push_back(request); }
  void needsMathHeader() { result_.needsMathHeader = true; }
  void recoveryCrashed() { result_.recoveryCrashed = true; }

private:
  unsigned authorsOffset(int file, unsigned offset) const {
    return repairs_[file] ? repairs_[file]->original(offset) : offset;
  }

  int userFile(const SourceManager &sm, FileID id) {
    if (id.isInvalid())
      return -1;
    const auto known = byId_.find(id);
    if (known != byId_.end())
      return known->second;
    int number = -1;
    const OptionalFileEntryRef entry = sm.getFileEntryRefForID(id);
    if (entry && !SrcMgr::isSystem(sm.getFileCharacteristic(sm.getLocForStartOfFile(id))))
      number = userFile(entry->getName());
    return byId_[id] = number;
  }

  ParseResult &result_;
  const RepairingFiles &files_;
  std::vector<const Repairs *> repairs_; // by file number
  llvm::StringMap<int> index_;
  std::map<FileID, int> byId_;
  std::map<int, FileID> firstReading_;
  std::set<Place> includes_;
  llvm::StringSet<> missing_, errors_;
};

class Includes : public PPCallbacks {
public:
  Includes(Collector &collector, const SourceManager &sm) : collector_(collector), sm_(sm) {}

  void InclusionDirective(SourceLocation hash, const clang::Token &, StringRef name, bool angled,
                          CharSourceRange, OptionalFileEntryRef file, StringRef, StringRef,
                          const clang::Module *, bool, SrcMgr::CharacteristicKind kind) override {
    const auto place = collector_.place(sm_, hash);
    if (!place)
      return;
    Include include;
    std::tie(include.file, include.begin) = *place;
    include.spelled = name.str();
    include.angled = angled;
    include.missing = !file;
    if (file && !SrcMgr::isSystem(kind))
      include.target = collector_.userFile(file->getName());
    collector_.include(include);
  }

  bool FileNotFound(StringRef name) override {
    collector_.missing(name);
    return true; // replaced by nothing, and reported
  }

  void SourceRangeSkipped(SourceRange range, SourceLocation) override {
    collector_.skipped(sm_, range);
  }

  void MacroDefined(const clang::Token &name, const MacroDirective *directive) override {
    if (directive && collector_.place(sm_, directive->getLocation()))
      collector_.facts().userNames.insert(name.getIdentifierInfo()->getName().str());
  }

private:
  Collector &collector_;
  const SourceManager &sm_;
};

class Visitor : public DynamicRecursiveASTVisitor {
public:
  Visitor(Collector &collector, const ASTContext &context)
      : constants_(context), collector_(collector), context_(context),
        sm_(context.getSourceManager()) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    const auto place = collector_.place(sm_, stmt->getAsmLoc());
    if (!place)
      return true;
    collector_.facts().asmTexts[*place].insert(stmt->getAsmString());
    noteMacroUse(*place, stmt);
    for (unsigned i = 0; i < stmt->getNumOutputs(); ++i)
      noteOperand(*place, i, stmt->getOutputExpr(i), stmt->getOutputConstraint(i));
    for (unsigned i = 0; i < stmt->getNumInputs(); ++i) {
      const unsigned number = stmt->getNumOutputs() + i;
      noteOperand(*place, number, stmt->getInputExpr(i),
                  registerOf(stmt, stmt->getInputConstraint(i)));
      noteConstant(*place, number, stmt->getInputExpr(i), stmt->getInputConstraint(i));
    }
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr *reference) override {
    noteUse(reference->getLocation(), reference->getDecl());
    return true;
  }
  bool VisitOverloadExpr(OverloadExpr *name) override {
    if (name->getNumDecls() == 1)
      noteUse(name->getNameLoc(), *name->decls_begin());
    return true;
  }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) override {
    noteUse(type.getNameLoc(), type.getDecl());
    return true;
  }
  bool VisitTagTypeLoc(TagTypeLoc type) override {
    noteUse(type.getNameLoc(), type.getDecl());
    return true;
  }
  bool VisitTemplateSpecializationTypeLoc(TemplateSpecializationTypeLoc type) override {
    noteUse(type.getTemplateNameLoc(), type.getTypePtr()->getTemplateName().getAsTemplateDecl());
    return true;
  }

  // f.x of a fragment of nvcuda::wmma.
  bool VisitMemberExpr(MemberExpr *member) override {
    noteUse(member->getMemberLoc(), member->getMemberDecl());
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (field && field->getName() == "x" && isOfWmma(field))
      noteFragment(member->getMemberLoc(), member->getBase()->IgnoreImpCasts());
    return true;
  }

  bool VisitFunctionDecl(FunctionDecl *function) override {
    isDeviceCode_ = function->hasAttr<CUDADeviceAttr>() || function->hasAttr<CUDAGlobalAttr>();
    return true;
  }

  // (float *)&c, reinterpret_cast<int4 &>(c): the bytes of a fragment; of anything else, one
  // type as another.
  bool VisitCastExpr(CastExpr *cast) override {
    if (isDeviceCode_)
      if (const std::string types = typePun(cast, context_); !types.empty())
        if (const auto place = collector_.place(sm_, cast->getBeginLoc()))
          collector_.facts().typePuns.emplace(*place, types);
    if (cast->getCastKind() != CK_BitCast && cast->getCastKind() != CK_LValueBitCast)
      return true;
    const Expr *whole = cast->getSubExpr()->IgnoreParenImpCasts();
    const QualType type =
        whole->getType()->isPointerType() ? whole->getType()->getPointeeType() : whole->getType();
    const CXXRecordDecl *record = type->getAsCXXRecordDecl();
    if (!record || !isOfWmma(record))
      return true;
    if (const auto *address = dyn_cast<UnaryOperator>(whole))
      whole = address->getSubExpr()->IgnoreParens();
    while (const auto *element = dyn_cast<ArraySubscriptExpr>(whole))
      whole = element->getBase()->IgnoreParenImpCasts();
    const auto *member = dyn_cast<MemberExpr>(whole);
    if (const auto place =
            collector_.place(sm_, member ? member->getMemberLoc() : whole->getBeginLoc()))
      collector_.facts().fragmentsAsBytes.insert(*place);
    return true;
  }

  // tile.row<16>(x), T::row<16>(x), where what `tile` or T is depends on a template's parameters.
  bool VisitCXXDependentScopeMemberExpr(CXXDependentScopeMemberExpr *member) override {
    if (member->hasTemplateKeyword())
      noteKeyword(member->getMemberLoc());
    return true;
  }
  bool VisitDependentScopeDeclRefExpr(DependentScopeDeclRefExpr *name) override {
    if (name->hasTemplateKeyword())
      noteKeyword(name->getLocation());
    return true;
  }

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    noteGridSync(call, callee);
    noteSharedLimit(call, callee);
    const auto *named = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreImpCasts());
    if (callee && named && call->getNumArgs() > 0 && isOfWmma(callee))
      noteFragment(named->getLocation(), call->getArg(0)->IgnoreImpCasts());
    noteAtomic(call, callee);
    noteMathHeader(call, callee);
    noteMixedLimit(call, callee);
    if (!callee || !callee->getIdentifier() || !callee->getName().starts_with("__shfl"))
      return true;
    const unsigned value = callee->getName().ends_with("_sync") ? 1 : 0;
    if (call->getNumArgs() <= value || call->getArg(value)->isTypeDependent())
      return true;
    if (value == 1)
      noteMask(call);
    if (const auto place = collector_.place(sm_, call->getCallee()->getBeginLoc()))
      collector_.facts().shuffleTypes[*place].insert(
          call->getArg(value)->getType().getCanonicalType().getUnqualifiedType().getAsString());
    return true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *call) override {
    const FunctionDecl *kernel = call->getDirectCallee();
    const CallExpr *config = call->getConfig();
    if (!config || config->getNumArgs() < 2)
      return true;
    const std::optional<uint64_t> threads = constants_.volume(config->getArg(1));
    const std::optional<uint64_t> row = constants_.row(config->getArg(1));
    const auto place = collector_.place(sm_, call->getBeginLoc());
    const FunctionDecl *started = kernel ? kernel : constants_.function(call->getCallee());
    if (threads && place && started)
      noteLaunch(*place, {started->getNameAsString(), static_cast<unsigned>(*threads),
                          static_cast<unsigned>(row.value_or(0))});
    if (!kernel)
      return true;
    if (config->getNumArgs() > 2 && !config->getArg(2)->isDefaultArgument())
      noteShared(kernel, config->getArg(2), place);
    return true;
  }

  bool VisitNamedDecl(NamedDecl *decl) override {
    if (!decl->getIdentifier() || decl->isImplicit())
      return true;
    if (isa<UsingDecl, UsingShadowDecl>(decl))
      return true; // another's name
    const auto place = collector_.place(sm_, decl->getLocation());
    if (!place)
      return true;
    collector_.facts().userNames.insert(decl->getName().str());
    if (decl->getName() == "lp" && isGlobal(*decl) && !collector_.facts().namedAsRuntime)
      collector_.facts().namedAsRuntime = *place;
    return true;
  }

private:
  // No namespace of the whole program can have the name.
  static bool isGlobal(const NamedDecl &decl) {
    if (decl.isTemplateParameter() || isa<ParmVarDecl, NamespaceDecl>(decl))
      return false;
    const DeclContext *scope = decl.getDeclContext()->getRedeclContext();
    for (const auto *space = dyn_cast<NamespaceDecl>(scope);
         space && (space->isAnonymousNamespace() || space->isInline());
         space = dyn_cast<NamespaceDecl>(scope))
      scope = space->getParent()->getRedeclContext();
    return scope->isTranslationUnit();
  }

  // A macro's launch is one place: what its uses do not agree about is not known.
  void noteLaunch(Place place, const AstFacts::Launch &launch) {
    auto &launches = collector_.facts().launches;
    const auto [known, isNew] = launches.try_emplace(place, launch);
    const AstFacts::Launch &other = known->second;
    if (!isNew && (other.kernel != launch.kernel || other.threads != launch.threads ||
                   other.row != launch.row))
      known->second = {launch.kernel, 0, 0};
  }
  void noteUse(SourceLocation loc, const NamedDecl *decl) {
    if (!decl || loc.isInvalid() || decl->isImplicit()) // a builtin lies where it is first used
      return;
    const auto declared = collector_.place(sm_, decl->getLocation());
    if (!declared)
      return;
    if (const auto use = collector_.place(sm_, loc); use && *use != *declared)
      collector_.use(*use, *declared);
  }

  static bool isOfWmma(const NamedDecl *decl) {
    return llvm::StringRef(decl->getQualifiedNameAsString()).starts_with("nvcuda::wmma::");
  }

  // Where the macro is used whose body spells this asm statement.
  void noteMacroUse(Place place, const GCCAsmStmt *stmt) {
    const SourceLocation loc = stmt->getAsmLoc();
    if (!loc.isMacroID() || sm_.isMacroArgExpansion(loc))
      return;
    if (const auto use = collector_.place(sm_, sm_.getImmediateExpansionRange(loc).getBegin()))
      collector_.facts().asmUses[place][*use].insert(stmt->getAsmString());
  }

  // An input tied to an output by number is in that one's register.
  static std::string registerOf(const GCCAsmStmt *stmt, const std::string &constraint) {
    unsigned output = 0;
    if (StringRef(constraint).getAsInteger(10, output) || output >= stmt->getNumOutputs())
      return constraint;
    return stmt->getOutputConstraint(output);
  }

  void noteConstant(Place place, unsigned number, const Expr *expr, StringRef constraint) {
    if (constraint != "n" && constraint != "i")
      return;
    AstFacts::Constant &known = collector_.facts().asmConstants[place][number];
    Expr::EvalResult value;
    if (expr->isValueDependent())
      known.isDependent = true;
    else if (expr->EvaluateAsInt(value, context_))
      known.values.insert(value.Val.getInt().extOrTrunc(64).getSExtValue());
  }

  void noteOperand(Place place, unsigned number, const Expr *expr, StringRef constraint) {
    const char letter = constraint.empty() ? 0 : constraint.back();
    const QualType type = expr->getType();
    if (type->isDependentType() || !StringRef("hrlfd").contains(letter))
      return;
    const bool crossed = type->isRealFloatingType() != (letter == 'f' || letter == 'd');
    collector_.facts().asmCrossed[place].insert({number, crossed});
  }

  // isnan(x) in host code, which finds std's through <math.h> alone.
  void noteMathHeader(CallExpr *call, const FunctionDecl *callee) {
    static constexpr llvm::StringRef names[] = {"isfinite", "isinf", "isnan", "isnormal",
                                                "signbit"};
    const auto *named = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreImpCasts());
    if (named && callee && callee->getIdentifier() && !named->hasQualifier() &&
        llvm::is_contained(names, callee->getName()) && !callee->hasAttr<CUDADeviceAttr>() &&
        collector_.place(sm_, named->getLocation()) &&
        !collector_.place(sm_, callee->getLocation()))
      collector_.needsMathHeader();
  }

  // min and max of two integers of different types: CUDA's takes both as the type of the
  // one that is unsigned or longer, HIP's as doubles.
  void noteMixedLimit(CallExpr *call, const FunctionDecl *callee) {
    const auto *named = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreImpCasts());
    if (!callee || !named || named->hasQualifier() || !callee->getIdentifier() ||
        call->getNumArgs() != 2 || (callee->getName() != "min" && callee->getName() != "max") ||
        collector_.place(sm_, callee->getLocation()))
      return;
    const QualType a = call->getArg(0)->IgnoreImpCasts()->getType().getCanonicalType(),
                   b = call->getArg(1)->IgnoreImpCasts()->getType().getCanonicalType();
    const auto place = collector_.place(sm_, named->getLocation());
    if (!place || a->isDependentType() || b->isDependentType() || !a->isIntegerType() ||
        !b->isIntegerType() || context_.hasSameUnqualifiedType(a, b))
      return;
    collector_.facts().shuffleTypes[*place].insert(
        call->getType().getCanonicalType().getUnqualifiedType().getAsString());
  }

  // atomicAdd(p, x), atomicCAS(p, a, b) of CUDA's headers.
  void noteAtomic(CallExpr *call, const FunctionDecl *callee) {
    if (!callee || !callee->getIdentifier() || call->getNumArgs() < 2 ||
        (callee->getName() != "atomicAdd" && callee->getName() != "atomicCAS") ||
        collector_.place(sm_, callee->getLocation()))
      return;
    const QualType pointer = callee->getParamDecl(0)->getType();
    const auto place = collector_.place(sm_, call->getCallee()->getBeginLoc());
    if (pointer->isPointerType() && place)
      collector_.facts().shuffleTypes[*place].insert(
          pointer->getPointeeType().getCanonicalType().getUnqualifiedType().getAsString());
  }

  void noteMask(CallExpr *call) {
    const std::optional<int64_t> mask = trees::constantOf(call->getArg(0), context_);
    const bool whole = mask && static_cast<uint32_t>(*mask) == ~0u;
    AstFacts &facts = collector_.facts();
    if (const auto place = collector_.place(sm_, call->getCallee()->getBeginLoc()))
      (whole ? facts.wholeMasks : facts.partialMasks).insert(*place);
  }

  static bool isGrid(QualType type) {
    const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record && record->getIdentifier() && record->getName() == "grid_group";
  }

  // grid.sync() and sync(grid) of cooperative groups.
  void noteGridSync(CallExpr *call, const FunctionDecl *callee) {
    if (!callee || !callee->getIdentifier() || callee->getName() != "sync")
      return;
    const auto *member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreImpCasts());
    const bool grid = member ? isGrid(member->getBase()->IgnoreImpCasts()->getType())
                             : call->getNumArgs() == 1 && isGrid(call->getArg(0)->getType());
    if (!grid)
      return;
    const auto *named = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreImpCasts());
    const SourceLocation loc = member  ? member->getMemberLoc()
                               : named ? named->getLocation()
                                       : call->getExprLoc();
    if (const auto place = collector_.place(sm_, loc))
      collector_.facts().gridSyncs.insert(*place);
  }

  void noteKeyword(SourceLocation loc) {
    const auto place = collector_.place(sm_, loc);
    if (place && collector_.hasKeywordAt(*place))
      collector_.facts().withoutTemplate.insert(*place);
  }

  void noteFragment(SourceLocation loc, const Expr *fragment) {
    QualType type = fragment->getType();
    if (type->isPointerType())
      type = type->getPointeeType();
    if (const auto place = collector_.place(sm_, loc))
      collector_.facts().fragmentTypes[*place].insert(
          type.getCanonicalType().getUnqualifiedType().getAsString());
  }

  // Shared memory whose size the launch gives, in bytes.
  void noteShared(const FunctionDecl *kernel, const Expr *bytes, std::optional<Place> place) {
    const std::optional<uint64_t> known = constants_.number(bytes);
    if (place && known && *known > 0)
      collector_.sharedRequest(
          {*place, kernel->getNameAsString(), *known, staticSharedBytes(kernel, context_)});
  }

  // cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)
  void noteSharedLimit(const CallExpr *call, const FunctionDecl *callee) {
    if (!callee || !callee->getIdentifier() || callee->getName() != "cudaFuncSetAttribute" ||
        call->getNumArgs() != 3)
      return;
    const Expr *function = call->getArg(0)->IgnoreParenCasts();
    if (const auto *address = dyn_cast<UnaryOperator>(function))
      function = address->getSubExpr()->IgnoreParenCasts();
    const auto *kernel = dyn_cast<DeclRefExpr>(function);
    const auto *attribute = dyn_cast<DeclRefExpr>(call->getArg(1)->IgnoreParenImpCasts());
    if (kernel && isa<FunctionDecl>(kernel->getDecl()) && attribute &&
        attribute->getDecl()->getName() == "cudaFuncAttributeMaxDynamicSharedMemorySize")
      noteShared(cast<FunctionDecl>(kernel->getDecl()), call->getArg(2),
                 collector_.place(sm_, call->getBeginLoc()));
  }

  bool isDeviceCode_ = false; // where the walk is
  HostConstants constants_;
  Collector &collector_;
  const ASTContext &context_;
  const SourceManager &sm_;
};

class Consumer : public ASTConsumer {
public:
  explicit Consumer(Collector &collector) : collector_(collector) {}

  void HandleTranslationUnit(ASTContext &context) override {
    const SourceManager &sm = context.getSourceManager();
    Visitor visitor(collector_, context);
    // Only what user files declare: the bodies of system headers are not ported.
    for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
      if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
        visitor.TraverseDecl(decl);
    if (!context.getLangOpts().CUDAIsDevice)
      return;
    const auto placeOf = [&](SourceLocation loc) { return collector_.place(sm, loc); };
    recover(context, placeOf);
    findTrees(context, placeOf, collector_.warps());
    findWaveStates(context, placeOf, collector_.warps());
    findSharedLanes(context, placeOf, collector_.warps());
  }

private:
  // A mistake of the recovery's costs this file its native tier, and no more.
  void recover(ASTContext &context, const native::PlaceOf &placeOf) {
    std::vector<native::Kernel> kernels;
    llvm::CrashRecoveryContext recovery;
    if (recovery.RunSafely([&] {
          kernels = native::recoverKernels(context, placeOf, blocksOf(collector_.facts()));
        }))
      collector_.facts().kernels = std::move(kernels);
    else
      collector_.recoveryCrashed();
  }

  // What all launches of a kernel agree about.
  static std::map<std::string, native::LaunchShape> blocksOf(const AstFacts &facts) {
    std::map<std::string, native::LaunchShape> blocks;
    for (const auto &[place, launch] : facts.launches) {
      const unsigned odd = launch.threads % 64 == 32 ? launch.threads / 32 : 0;
      const auto [known, isNew] =
          blocks.try_emplace(launch.kernel, native::LaunchShape{odd, launch.row});
      if (!isNew && known->second.oddWarps != odd)
        known->second.oddWarps = 0;
      if (!isNew && known->second.row != launch.row)
        known->second.row = 0;
    }
    return blocks;
  }

  Collector &collector_;
};

class Action : public ASTFrontendAction {
public:
  explicit Action(Collector &collector) : collector_(collector) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &ci, StringRef) override {
    ci.getPreprocessor().addPPCallbacks(
        std::make_unique<Includes>(collector_, ci.getSourceManager()));
    return std::make_unique<Consumer>(collector_);
  }

private:
  Collector &collector_;
};

class Errors : public DiagnosticConsumer {
public:
  explicit Errors(Collector &collector) : collector_(collector) {}

  void HandleDiagnostic(DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < DiagnosticsEngine::Error || isRestrictOnValue(info))
      return;
    isPrecompiledRefused_ |=
        info.getID() >= diag::DIAG_START_SERIALIZATION && info.getID() < diag::DIAG_START_LEX;
    layout_port::Diagnostic d;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    d.message = std::string(text);
    const StringRef category =
        DiagnosticIDs::getCategoryNameFromID(DiagnosticIDs::getCategoryNumberForDiag(info.getID()));
    d.isParseIssue = category == "Parse Issue" || category == "Lexical or Preprocessor Issue";
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      const SourceManager &sm = info.getSourceManager();
      const PresumedLoc loc = sm.getPresumedLoc(sm.getExpansionLoc(info.getLocation()));
      if (loc.isValid()) {
        d.file = loc.getFilename();
        d.line = loc.getLine();
        d.column = loc.getColumn();
      }
      d.inUserFile = !sm.isInSystemHeader(info.getLocation());
    }
    collector_.error(d);
  }

  // Did clang not take the precompiled header?
  bool isPrecompiledRefused() const { return isPrecompiledRefused_; }

private:
  // nvcc takes __restrict__ on any type; clang goes on without it.
  bool isRestrictOnValue(const clang::Diagnostic &info) {
    if (info.getID() != diag::err_typecheck_invalid_restrict_not_pointer &&
        info.getID() != diag::err_typecheck_invalid_restrict_not_pointer_noarg)
      return false;
    if (const auto place = collector_.place(info.getSourceManager(), info.getLocation()))
      collector_.facts().restrictOnValue.insert(*place);
    return true;
  }

  bool isPrecompiledRefused_ = false;
  Collector &collector_;
};

} // namespace

unsigned cudaArchNumber(llvm::StringRef arch) {
  if (!arch.starts_with("sm_") || !IsNVIDIAOffloadArch(StringToOffloadArch(arch)))
    return 0;
  unsigned number = 0;
  arch.drop_front(3).take_while(llvm::isDigit).getAsInteger(10, number);
  return 10 * number;
}

// The files as clang is to see them: the user's with what only nvcc takes repaired.
static llvm::IntrusiveRefCntPtr<RepairingFiles> filesFor(const ParseOptions &options,
                                                         const Resources &resources) {
  std::vector<std::string> systemFolders = {resources.resourceDir, resources.shareDir, "/usr/"};
  if (!resources.precompiledDir.empty())
    systemFolders.push_back(resources.precompiledDir);
  if (!options.cudaPath.empty())
    systemFolders.push_back(options.cudaPath);
  auto repairing = llvm::makeIntrusiveRefCnt<RepairingFiles>(systemFolders);
  (void)repairing->status(options.input);
  return repairing;
}

// False where clang does not take the precompiled header: nothing is known then.
static bool runSide(const ParseOptions &options, const Resources &resources, bool device,
                    const std::string &precompiled, ParseResult &result) {
  const auto repairing = filesFor(options, resources);
  Collector collector(result, *repairing);
  if (collector.userFile(options.input) != 0)
    return true;
  llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), repairing));
  Errors errors(collector);
  tooling::ToolInvocation invocation(parserCommandLine(options, resources, device, precompiled),
                                     std::make_unique<Action>(collector), files.get());
  invocation.setDiagnosticConsumer(&errors);
  invocation.run();
  return precompiled.empty() || !errors.isPrecompiledRefused();
}

static void runSide(const ParseOptions &options, const Resources &resources, bool device,
                    ParseResult &result) {
  if (runSide(options, resources, device, precompiledHeader(options, resources, device), result))
    return;
  result = ParseResult();
  runSide(options, resources, device, "", result);
}

namespace {

// Adds the host side's result to the device side's: its files keep their order
// behind those both have, and places are renumbered.
class Merger {
public:
  Merger(ParseResult &into, ParseResult &from)
      : into_(into), from_(from), deviceFiles_(into.program.files.size()) {
    for (auto &file : from.program.files)
      numbers_.push_back(add(std::move(file)));
  }

  void run() {
    std::set<Place> known;
    for (const Include &include : into_.program.includes)
      known.insert({include.file, include.begin});
    for (Include include : from_.program.includes) {
      include.file = numbers_[include.file];
      include.target = include.target < 0 ? -1 : static_cast<int>(numbers_[include.target]);
      if (known.insert({include.file, include.begin}).second)
        into_.program.includes.push_back(include);
    }
    mergeFacts();
    intersectSkipped();
    for (const auto &[use, declaration] : from_.uses)
      into_.uses.insert({moved(use), moved(declaration)});
    for (const Place place : from_.repaired)
      into_.repaired.insert(moved(place));
    for (SharedRequest request : from_.sharedRequests) {
      request.place = moved(request.place);
      into_.sharedRequests.push_back(std::move(request));
    }
    into_.needsMathHeader |= from_.needsMathHeader;
    for (const std::string &header : from_.missingHeaders)
      if (!llvm::is_contained(into_.missingHeaders, header))
        into_.missingHeaders.push_back(header);
    for (const layout_port::Diagnostic &error : from_.errors)
      if (llvm::none_of(into_.errors, [&](const layout_port::Diagnostic &d) {
            return d.file == error.file && d.line == error.line && d.message == error.message;
          }))
        into_.errors.push_back(error);
  }

private:
  unsigned add(std::unique_ptr<SourceFile> file) {
    for (unsigned i = 0; i < into_.program.files.size(); ++i)
      if (into_.program.files[i]->path == file->path)
        return i;
    into_.program.files.push_back(std::move(file));
    return into_.program.files.size() - 1;
  }

  void mergeFacts() {
    AstFacts &into = into_.program.facts;
    const AstFacts &from = from_.program.facts;
    for (const auto &[place, texts] : from.asmTexts)
      into.asmTexts[moved(place)].insert(texts.begin(), texts.end());
    for (const auto &[place, uses] : from.asmUses)
      for (const auto &[use, texts] : uses)
        into.asmUses[moved(place)][moved(use)].insert(texts.begin(), texts.end());
    for (const auto &[place, operands] : from.asmCrossed)
      into.asmCrossed[moved(place)].insert(operands.begin(), operands.end());
    for (const auto &[place, constants] : from.asmConstants)
      for (const auto &[operand, constant] : constants) {
        AstFacts::Constant &known = into.asmConstants[moved(place)][operand];
        known.values.insert(constant.values.begin(), constant.values.end());
        known.isDependent |= constant.isDependent;
      }
    for (const auto &[place, types] : from.fragmentTypes)
      into.fragmentTypes[moved(place)].insert(types.begin(), types.end());
    for (const Place &place : from.fragmentsAsBytes)
      into.fragmentsAsBytes.insert(moved(place));
    for (const auto &[place, types] : from.typePuns)
      into.typePuns[moved(place)] = types;
    for (const Place &place : from.wholeMasks)
      into.wholeMasks.insert(moved(place));
    for (const Place &place : from.partialMasks)
      into.partialMasks.insert(moved(place));
    for (const Place &place : from.gridSyncs)
      into.gridSyncs.insert(moved(place));
    for (const auto &[place, types] : from.shuffleTypes)
      into.shuffleTypes[moved(place)].insert(types.begin(), types.end());
    for (const auto &[place, launch] : from.launches)
      into.launches[moved(place)] = launch;
    for (const Place place : from.restrictOnValue)
      into.restrictOnValue.insert(moved(place));
    for (const Place place : from.withoutTemplate)
      into.withoutTemplate.insert(moved(place));
    into.userNames.insert(from.userNames.begin(), from.userNames.end());
    if (from.namedAsRuntime && !into.namedAsRuntime)
      into.namedAsRuntime = moved(*from.namedAsRuntime);
  }

  // Dead is what both sides skip, or the one side that reads the file at all.
  void intersectSkipped() {
    std::vector<AstFacts::Skipped> theirs = from_.program.facts.skipped, both;
    for (AstFacts::Skipped &range : theirs)
      range.file = numbers_[range.file];
    const auto onlyHere = [&](unsigned file) { return !llvm::is_contained(numbers_, file); };
    for (const AstFacts::Skipped &a : into_.program.facts.skipped) {
      if (onlyHere(a.file))
        both.push_back(a);
      for (const AstFacts::Skipped &b : theirs)
        if (a.file == b.file && std::max(a.begin, b.begin) < std::min(a.end, b.end))
          both.push_back({a.file, std::max(a.begin, b.begin), std::min(a.end, b.end)});
    }
    for (const AstFacts::Skipped &b : theirs)
      if (b.file >= deviceFiles_)
        both.push_back(b);
    into_.program.facts.skipped = std::move(both);
  }

  Place moved(Place place) const { return {numbers_[place.first], place.second}; }

  ParseResult &into_;
  ParseResult &from_;
  const size_t deviceFiles_;
  std::vector<unsigned> numbers_;
};

} // namespace

// Clang's parser is recursive: a thread with a deep stack, and a crash is a value.
static bool runSafely(const ParseOptions &options, const Resources &resources, bool device,
                      ParseResult &result) {
  constexpr unsigned stackBytes = 256u << 20;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  return recovery.RunSafelyOnThread([&] { runSide(options, resources, device, result); },
                                    stackBytes);
}

static bool isSkipped(const AstFacts &facts, unsigned file, unsigned offset) {
  return llvm::any_of(facts.skipped, [&](const AstFacts::Skipped &arm) {
    return arm.file == file && arm.begin <= offset && offset < arm.end;
  });
}

// Macros that dead #if arms define are the user's too, but for what stands in for a name of
// CUDA's where that is missing: `#define CUBLAS_TF32_TENSOR_OP_MATH ...` of an old version.
static void addDefinedNames(Program &program) {
  for (unsigned f = 0; f < program.files.size(); ++f) {
    const SourceFile &file = program.file(f);
    for (const Directive &d : file.tokens.directives()) {
      if (d.name != "define" || d.firstToken + 2 >= d.lastToken)
        continue;
      const llvm::StringRef name = file.tokens.spelling(d.firstToken + 2);
      if (!rename::lookup(name) || !isSkipped(program.facts, f, d.begin))
        program.facts.userNames.insert(name.str());
    }
  }
}

std::string parseBothSides(const ParseOptions &options, const Resources &resources,
                           ParseResult &result) {
  ParseResult host;
  bool hostSafe = false;
  std::thread other([&] { hostSafe = runSafely(options, resources, /*device=*/false, host); });
  const bool deviceSafe = runSafely(options, resources, /*device=*/true, result);
  other.join();
  if (!hostSafe || !deviceSafe)
    return "clang could not parse '" + options.input + "': the parser crashed on this source";
  if (result.program.files.empty())
    return "cannot read '" + options.input + "'";
  Merger(result, host).run();
  result.program.cudaArch = cudaArchNumber(options.cudaArch);
  addDefinedNames(result.program);
  return "";
}

namespace {

class UseAst : public ASTConsumer {
public:
  explicit UseAst(const std::function<void(ASTContext &)> &use) : use_(use) {}
  void HandleTranslationUnit(ASTContext &context) override { use_(context); }

private:
  const std::function<void(ASTContext &)> &use_;
};

class UseAstAction : public ASTFrontendAction {
public:
  UseAstAction(Collector &collector, const std::function<void(ASTContext &)> &use)
      : collector_(collector), use_(use) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &ci, StringRef) override {
    ci.getPreprocessor().addPPCallbacks(
        std::make_unique<Includes>(collector_, ci.getSourceManager()));
    return std::make_unique<UseAst>(use_);
  }

private:
  Collector &collector_;
  const std::function<void(ASTContext &)> &use_;
};

} // namespace

std::string parseDeviceSide(const ParseOptions &options, const Resources &resources,
                            const std::function<void(ASTContext &)> &use,
                            std::vector<layout_port::Diagnostic> &errors) {
  ParseResult result;
  const auto repairing = filesFor(options, resources);
  Collector collector(result, *repairing);
  if (collector.userFile(options.input) != 0)
    return "cannot read '" + options.input + "'";
  const auto parse = [&] {
    llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), repairing));
    Errors sink(collector);
    tooling::ToolInvocation invocation(parserCommandLine(options, resources, /*device=*/true, ""),
                                       std::make_unique<UseAstAction>(collector, use), files.get());
    invocation.setDiagnosticConsumer(&sink);
    invocation.run();
  };
  constexpr unsigned stackBytes = 256u << 20;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafelyOnThread(parse, stackBytes))
    return "clang could not parse '" + options.input + "': the parser crashed on this source";
  errors = std::move(result.errors);
  return "";
}

} // namespace layout_port
