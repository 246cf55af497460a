#include "native/FragmentName.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ParentMapContext.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int kWordBits = 32;

const CXXRecordDecl *plainRecord(QualType type) {
  const auto *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->hasDefinition() && !record->isUnion() && !record->isLambda() &&
                 record->getNumBases() == 0
             ? record->getDefinition()
             : nullptr;
}

} // namespace

bool hasParts(QualType type, const ASTContext &context) {
  const QualType element = context.getBaseElementType(type.getNonReferenceType());
  const CXXRecordDecl *record = plainRecord(element);
  if (!record || record->field_empty() || vectorOf(element, context) || vectorsOf(element, context))
    return false;
  return !type.getNonReferenceType()->isArrayType() ||
         std::next(record->field_begin()) != record->field_end();
}

bool isArrayAlone(QualType type, const ASTContext &context) {
  const CXXRecordDecl *record = plainRecord(type);
  if (!record || record->isDependentType() || record->field_empty() ||
      std::next(record->field_begin()) != record->field_end())
    return false;
  const auto *array = context.getAsConstantArrayType(record->field_begin()->getType());
  const QualType word = array ? array->getElementType() : QualType();
  const bool isWord = array && (word->isScalarType() || vectorOf(word, context) ||
                                (word->isRecordType() && context.getTypeSize(word) == kWordBits));
  return isWord && context.getTypeSize(QualType(array, 0)) == context.getTypeSize(type);
}

bool hasSeveralParts(QualType type, const ASTContext &context) {
  const QualType element = context.getBaseElementType(type);
  const CXXRecordDecl *record = element->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || element->isScalarType() ||
      vectorOf(element, context) || vectorsOf(element, context) ||
      context.getTypeSize(element) == kWordBits) // half2
    return false;
  const auto fields = record->fields();
  if (fields.empty())
    return false;
  return record->getNumBases() || std::next(fields.begin()) != fields.end() ||
         hasSeveralParts(fields.begin()->getType(), context);
}

std::optional<Vector> vectorOf(QualType type, const ASTContext &context) {
  const CXXRecordDecl *record = plainRecord(type);
  if (!record || record->isDependentType())
    return std::nullopt;
  Vector vector;
  for (const FieldDecl *field : record->fields()) {
    const QualType element = field->getType().getCanonicalType().getUnqualifiedType();
    const bool isRegister =
        element->isSpecificBuiltinType(BuiltinType::Double) ||
        (element->isArithmeticType() && context.getTypeSize(element) == kWordBits);
    if (!isRegister || field->isBitField() || (vector.count && element != vector.element))
      return std::nullopt;
    vector.element = element;
    ++vector.count;
  }
  const bool isPowerOfTwo = vector.count > 1 && (vector.count & (vector.count - 1)) == 0;
  return isPowerOfTwo ? std::optional(vector) : std::nullopt;
}

std::optional<Vector> vectorsOf(QualType type, const ASTContext &context) {
  const CXXRecordDecl *record = plainRecord(type);
  if (!record || record->isDependentType())
    return std::nullopt;
  Vector all;
  for (const FieldDecl *field : record->fields()) {
    const auto vector = vectorOf(field->getType(), context);
    if (!vector || (all.count && vector->element != all.element))
      return std::nullopt;
    all.element = vector->element;
    all.count += vector->count;
  }
  const bool isTile = all.count == 2 || all.count == 4; // where they are more, several
  return isTile ? std::optional(all) : std::nullopt;
}

int numberOf(const FieldDecl &member) { return static_cast<int>(member.getFieldIndex()); }

uint64_t fragmentOf(const VarDecl &root, const FieldDecl *part) {
  const uint64_t place = root.getLocation().getRawEncoding();
  return part ? place | uint64_t(part->getLocation().getRawEncoding()) << 32 : place;
}

bool isFragmentOf(const VarDecl &root, uint64_t fragment) {
  return static_cast<uint32_t>(fragment) == root.getLocation().getRawEncoding();
}

const FieldDecl *partNamed(const DeclRefExpr &name, ASTContext &context) {
  QualType type = name.getType();
  if (type->isPointerType())
    type = type->getPointeeType();
  if (!hasParts(type, context))
    return nullptr;
  DynTypedNode node = DynTypedNode::create(static_cast<const Stmt &>(name));
  for (;;) {
    const auto parents = context.getParents(node);
    if (parents.empty())
      return nullptr;
    node = parents[0];
    if (const auto *member = node.get<MemberExpr>())
      return dyn_cast<FieldDecl>(member->getMemberDecl());
    const auto *access = node.get<ArraySubscriptExpr>(); // of structs: what is named is no index
    if (!access && !node.get<ImplicitCastExpr>() && !node.get<ParenExpr>())
      return nullptr;
  }
}

} // namespace layout_port::native
