// Functions that read the thread's index themselves and are called with something else as well:
//
//   int get_i(const int l)  { return l / 2 * 8 + threadIdx.x / 4; }
//   x[get_i(l) * stride]
//
// For another lane they are told whose index they speak of; who calls them as ever gets his own:
//
//   int get_i(const int l, unsigned thread_x = threadIdx.x)  { return l / 2 * 8 + thread_x / 4; }
//   x[get_i(l, lane) * stride]
//
// All instances of a template have one text, so what is said in an arm that this one does not have
// is changed too, and what one of them calls at a place must be told there in all.
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr const char *kAxes[] = {"thread_x", "thread_y", "thread_z"};

// The text that a function is an instance of.
const FunctionDecl *textOwner(const FunctionDecl &function) {
  const FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  return pattern ? pattern : &function;
}

const FunctionDecl *calledBy(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  return definition && definition->hasBody() ? definition : nullptr;
}

// What is instantiated from a text; the text itself where it is no template's.
std::vector<const FunctionDecl *> instancesOf(const FunctionDecl &text) {
  std::vector<const FunctionDecl *> all;
  if (FunctionTemplateDecl *pattern = text.getDescribedFunctionTemplate()) {
    for (const FunctionDecl *instance : pattern->specializations())
      all.push_back(instance);
    return all;
  }
  const auto *record = dyn_cast<CXXRecordDecl>(text.getDeclContext());
  if (!record || !text.isDependentContext())
    return {&text};
  const auto *part = dyn_cast<ClassTemplatePartialSpecializationDecl>(record);
  ClassTemplateDecl *pattern =
      part ? part->getSpecializedTemplate() : record->getDescribedClassTemplate();
  if (pattern)
    for (const CXXRecordDecl *instance : pattern->specializations())
      for (const CXXMethodDecl *method : instance->methods())
        if (method->getTemplateInstantiationPattern() == &text)
          all.push_back(method);
  return all;
}

// Calls, and whether there is anything that cannot be followed by its text.
class Contents : public DynamicRecursiveASTVisitor {
public:
  explicit Contents(std::function<bool(const Stmt *)> reads) : reads_(std::move(reads)) {}
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = calledBy(*call);
    const bool isPlain = !isa<CXXOperatorCallExpr, CXXMemberCallExpr>(call);
    if (callee && isPlain)
      calls.push_back({call, reads_(callee->getBody())});
    isHidden |= callee && !isPlain && reads_(callee->getBody());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    const FunctionDecl *definition = made->getConstructor()->getDefinition();
    isHidden |= definition && definition->hasBody() && reads_(definition->getBody());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *code) override { return !(isHidden |= reads_(code)); }
  bool VisitLambdaExpr(LambdaExpr *) override { return !(isHidden = true); }
  std::vector<std::pair<const CallExpr *, bool>> calls; // with whether it reads the index
  bool isHidden = false;

private:
  std::function<bool(const Stmt *)> reads_;
};

} // namespace

bool Recovery::isWholeCall(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  return callee && call.getNumArgs() == callee->getNumParams() &&
         llvm::none_of(call.arguments(),
                       [](const Expr *argument) { return isa<CXXDefaultArgExpr>(argument); });
}

// Another parameter behind the others may be given to it, and to no other function of its name.
bool Recovery::takesOneMore(const FunctionDecl &text) {
  const auto *method = dyn_cast<CXXMethodDecl>(&text);
  const FunctionTemplateDecl *pattern = text.getDescribedFunctionTemplate();
  const auto isOne = [](const auto &decl) {
    return std::next(decl.redecls_begin()) == decl.redecls_end();
  };
  const auto isPlain = [](const ParmVarDecl *parameter) {
    return !parameter->hasDefaultArg() && !parameter->isParameterPack();
  };
  if ((method && method->isInstance()) || text.isVariadic() || !text.getIdentifier() ||
      text.hasAttr<CUDAHostAttr>() || text.hasAttr<CUDAGlobalAttr>() || !isOne(text) ||
      (pattern && !isOne(*pattern)) ||
      text.getTemplateSpecializationKind() == TSK_ExplicitSpecialization ||
      !llvm::all_of(text.parameters(), isPlain) || isBroughtIn(text, *text.getDeclContext(), {}))
    return false;
  for (const NamedDecl *other :
       text.getDeclContext()->getRedeclContext()->lookup(text.getDeclName())) {
    const auto *shape = dyn_cast<FunctionTemplateDecl>(other);
    const auto *function = shape ? shape->getTemplatedDecl() : dyn_cast<FunctionDecl>(other);
    if (!function || function->isVariadic() || function->getNumParams() != text.getNumParams() ||
        !llvm::all_of(function->parameters(), isPlain))
      return false;
  }
  return true;
}

const Recovery::Reader &Recovery::readerOf(const FunctionDecl &text) {
  const auto [known, isNew] = readers_.try_emplace(&text);
  Reader &reader = known->second;
  if (!isNew)
    return reader;
  const TypeSourceInfo *info = text.getTypeSourceInfo();
  const auto type =
      info ? info->getTypeLoc().IgnoreParens().getAs<FunctionTypeLoc>() : FunctionTypeLoc();
  const auto end = type ? texts_.range(SourceRange(type.getRParenLoc())) : std::nullopt;
  ThreadMentions mentions;
  if (text.hasBody())
    mentions.TraverseStmt(text.getBody());
  reader.name = text.getNameAsString();
  reader.isTold = end && text.hasBody() && !mentions.hasOther && takesOneMore(text);
  if (!reader.isTold)
    return reader;
  reader.end = {end->file, end->begin, end->begin};
  reader.hasParameters = text.getNumParams() != 0;
  for (const auto &[mention, axis] : mentions.found) {
    const auto range = texts_.range(mention->getSourceRange());
    reader.isTold = reader.isTold && range && range->file == end->file;
    reader.mentions.push_back({range.value_or(TextRange()), kAxes[axis]});
    reader.reads[axis] = true;
  }
  std::map<std::pair<unsigned, unsigned>, bool> readAt;
  for (const FunctionDecl *instance : instancesOf(text)) {
    if (!instance->hasBody())
      continue;
    Contents contents([this](const Stmt *part) { return sampler_.dependsOnThread(part); });
    contents.TraverseStmt(instance->getBody());
    reader.isTold =
        reader.isTold && !contents.isHidden && !sampler_.asksOthers(instance->getBody());
    for (const auto &[call, reads] : contents.calls) {
      const auto at = texts_.range(SourceRange(call->getRParenLoc()));
      const auto place = at ? std::pair(at->file, at->begin) : std::pair(0U, 0U);
      const auto [before, isFirst] = readAt.try_emplace(place, reads);
      reader.isTold = reader.isTold && (at || !reads) && before->second == reads;
      if (reads && at) {
        reader.isTold = reader.isTold && isWholeCall(*call);
        reader.calls.push_back({{at->file, at->begin, at->begin},
                                textOwner(*calledBy(*call)),
                                call->getNumArgs() != 0});
      }
    }
  }
  return reader;
}

void Recovery::addReaders(const FunctionDecl &text, std::set<const FunctionDecl *> &all) {
  if (!all.insert(&text).second)
    return;
  for (const Reader::Call &call : readerOf(text).calls)
    addReaders(*call.callee, all);
}

std::string Recovery::indexArguments(const FunctionDecl &text,
                                     llvm::function_ref<std::string(int)> index) {
  std::set<const FunctionDecl *> all;
  addReaders(text, all);
  std::string arguments;
  for (int axis : {0, 1, 2})
    if (llvm::any_of(all, [&](const FunctionDecl *f) { return readerOf(*f).reads[axis]; }))
      arguments += (arguments.empty() ? "" : ", ") + index(axis);
  return arguments;
}

bool Recovery::isToldCall(const CallExpr &call) {
  const FunctionDecl *callee = calledBy(call);
  if (!callee || isa<CXXOperatorCallExpr, CXXMemberCallExpr>(call) || !isWholeCall(call) ||
      sampler_.isMirrored() || sampler_.asksOthers(callee->getBody()) ||
      !sampler_.dependsOnThread(callee->getBody()) ||
      isBroughtIn(*callee, *textSite().function.getDeclContext(), textSite().spaces))
    return false;
  std::set<const FunctionDecl *> all;
  addReaders(*textOwner(*callee), all);
  return llvm::all_of(all, [&](const FunctionDecl *f) { return readerOf(*f).isTold; });
}

std::vector<ToldFunction> Recovery::toldBy(const CallExpr &call) {
  std::set<const FunctionDecl *> all;
  addReaders(*textOwner(*calledBy(call)), all);
  std::vector<ToldFunction> told;
  for (const FunctionDecl *text : all) {
    const Reader &reader = readerOf(*text);
    ToldFunction function{reader.name, reader.mentions};
    const std::string parameters = indexArguments(*text, [](int axis) {
      return std::string("unsigned ") + kAxes[axis] + " = threadIdx." + "xyz"[axis];
    });
    if (parameters.empty()) // it only hands on what it is given
      continue;
    function.edits.push_back({reader.end, (reader.hasParameters ? ", " : "") + parameters});
    for (const Reader::Call &inner : reader.calls) {
      const std::string names =
          indexArguments(*inner.callee, [](int axis) { return std::string(kAxes[axis]); });
      if (!names.empty())
        function.edits.push_back({inner.end, (inner.hasArguments ? ", " : "") + names});
    }
    told.push_back(std::move(function));
  }
  llvm::sort(told, [](const ToldFunction &a, const ToldFunction &b) {
    return a.edits.back().range.begin < b.edits.back().range.begin;
  });
  return told;
}

} // namespace layout_port::native
