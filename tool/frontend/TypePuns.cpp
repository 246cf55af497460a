#include "frontend/TypePuns.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port {

namespace {

// Are HIP's values of this CUDA type unions, whose members clang takes for bytes? So are float4 and
// its kin, __half and __half2 from HIP 5.2 on (hip/amd_detail/amd_hip_vector_types.h and
// amd_hip_fp16.h of ROCm/clr); __hip_bfloat16 is not before 6.3.
bool isUnionInHip(llvm::StringRef name) {
  if (name == "__half" || name == "__half2")
    return true;
  if (name.empty() || name.back() < '1' || name.back() > '4')
    return false;
  static constexpr llvm::StringLiteral elements[] = {
      "char", "uchar", "short",    "ushort",    "int",   "uint",
      "long", "ulong", "longlong", "ulonglong", "float", "double"};
  return llvm::is_contained(elements, name.drop_back());
}

bool mayBeAnything(QualType type) {
  if (type->isVoidType() || type->isIncompleteType() || type->isDependentType() ||
      type->isFunctionType() || type->isCharType() || type->isStdByteType() ||
      type->isUnionType() || type->hasAttr(attr::MayAlias))
    return true;
  const auto *tag = type->getAsTagDecl();
  return tag && (tag->hasAttr<MayAliasAttr>() || isUnionInHip(tag->getName()));
}

// One type for both signs, and none for what is done to it.
QualType bare(QualType type, const ASTContext &context) {
  type = context.getCanonicalType(context.getBaseElementType(type)).getUnqualifiedType();
  if (const auto *number = type->getAs<EnumType>())
    type = number->getDecl()->getIntegerType();
  return !type.isNull() && type->isUnsignedIntegerType() && !type->isBooleanType()
             ? context.getCorrespondingSignedType(type)
             : type;
}

// Is `part` somewhere in `whole`, or a byte that may be it?
bool holds(QualType whole, QualType part, const ASTContext &context) {
  whole = bare(whole, context);
  if (whole.isNull() || mayBeAnything(whole) || whole == part)
    return true;
  if (whole->isPointerType() && part->isPointerType())
    return true;
  const CXXRecordDecl *record = whole->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition())
    return false;
  for (const CXXBaseSpecifier &base : record->bases())
    if (holds(base.getType(), part, context))
      return true;
  for (const FieldDecl *field : record->fields())
    if (holds(field->getType(), part, context))
      return true;
  return false;
}

} // namespace

std::string typePun(const CastExpr *cast, const ASTContext &context) {
  if (!isa<ExplicitCastExpr>(cast))
    return "";
  QualType from = cast->getSubExpr()->getType(), to = cast->getType();
  if (cast->getCastKind() == CK_BitCast && from->isPointerType() && to->isPointerType()) {
    from = from->getPointeeType();
    to = to->getPointeeType();
  } else if (cast->getCastKind() != CK_LValueBitCast) {
    return "";
  }
  if (from->isDependentType() || to->isDependentType())
    return "";
  const QualType a = bare(from, context), b = bare(to, context);
  if (a.isNull() || b.isNull() || mayBeAnything(a) || mayBeAnything(b) || holds(a, b, context) ||
      holds(b, a, context))
    return "";
  PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  return context.getBaseElementType(from).getUnqualifiedType().getAsString(policy) + " as " +
         context.getBaseElementType(to).getUnqualifiedType().getAsString(policy);
}

} // namespace layout_port
