#include "recover/FromAst.h"

#include "recover/Walk.h"

#include "clang/AST/Attr.h"

using namespace clang;

namespace layout_port::recover {

Observer::~Observer() = default;

Walk::Walk(ASTContext &context, const FunctionDecl *kernel, BlockShape shape)
    : block(std::move(shape)), context_(context), kernel_(kernel) {
  threads = addThreadVariables(graph, block.threads());
}

void Walk::run(Observer &observer) {
  observer_ = &observer;
  const FunctionDecl *definition = kernel_->getDefinition();
  if (!definition || !definition->hasBody()) {
    problem = "it has no body here";
    return;
  }
  if (const Stmt *jump = findGoto(definition->getBody())) {
    problem = "goto at line " + std::to_string(lineOf(jump)) + " is not followed";
    return;
  }
  for (const ParmVarDecl *parameter : definition->parameters()) {
    const QualType type = parameter->getType().getNonReferenceType();
    // Of a function that is all of a kernel, and is handed its shared memory by reference.
    const bool isShared = parameter->hasAttr<CUDASharedAttr>();
    const unsigned alignment =
        isShared ? unsigned(context_.getTypeAlignInChars(type).getQuantity()) : 16;
    Place place;
    place.bytes = static_cast<unsigned>(sizeOf(type));
    place.object = newObject(parameter->getNameAsString(), parameter,
                             isShared ? Space::Shared : Space::Parameter, place.bytes, alignment);
    place.offset = number(0);
    bindings_[parameter] = place;
    if (!isShared && typeOf(type))
      write(environment_[place.object->number],
            {place.offset, place.bytes, parameterPart(place, type)});
  }
  Frame frame;
  frame.function = definition;
  frames_.push_back(std::move(frame));
  statement(definition->getBody());
  frames_.clear();
  observer_ = nullptr;
}

Index Walk::valueOf(const Expr *e) const {
  const auto found = values_.find(e);
  return found == values_.end() ? nullptr : found->second;
}

std::optional<Place> Walk::placeOf(const Expr *e) const {
  const auto found = places_.find(e);
  if (found == places_.end() || !found->second.object)
    return std::nullopt;
  return found->second;
}

KernelWalk::KernelWalk(ASTContext &context, const FunctionDecl *kernel)
    : KernelWalk(context, kernel, findBlockShape(context, kernel)) {}

KernelWalk::KernelWalk(ASTContext &context, const FunctionDecl *kernel, BlockShape block)
    : walk_(std::make_unique<Walk>(context, kernel, std::move(block))) {}

KernelWalk::~KernelWalk() = default;

void KernelWalk::run(Observer &observer) { walk_->run(observer); }
IndexGraph &KernelWalk::graph() { return walk_->graph; }
const ThreadVariables &KernelWalk::threads() const { return walk_->threads; }
const BlockShape &KernelWalk::block() const { return walk_->block; }
Index KernelWalk::valueOf(const Expr *expr) const { return walk_->valueOf(expr); }
std::optional<Place> KernelWalk::placeOf(const Expr *expr) const { return walk_->placeOf(expr); }
const std::string &KernelWalk::problem() const { return walk_->problem; }

} // namespace layout_port::recover
