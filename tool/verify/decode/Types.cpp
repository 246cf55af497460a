// Flattening of types: which scalars a value consists of, and where they lie.
#include "decode/Decoder.h"

#include <llvm/IR/DerivedTypes.h>

namespace layout_port::verify {

Scalar Decoder::scalarOf(llvm::Type *type) {
  if (type->isHalfTy())
    return {16, FloatFormat::F16};
  if (type->isBFloatTy())
    return {16, FloatFormat::BF16};
  if (type->isFloatTy())
    return {32, FloatFormat::F32};
  if (type->isDoubleTy())
    return {64, FloatFormat::F64};
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= 64)
    return {type->getIntegerBitWidth(), FloatFormat::None};
  if (type->isPointerTy() && layout_.getPointerTypeSizeInBits(type) <= 64)
    return {unsigned(layout_.getPointerTypeSizeInBits(type)), FloatFormat::None};
  std::string text;
  llvm::raw_string_ostream(text) << *type;
  fail("type " + text + " is not supported");
  return {};
}

// An integer or fat pointer wider than 64 bits is a row of 64-bit words.
static unsigned wordsOf(const llvm::DataLayout &layout, llvm::Type *type) {
  if (!type->isIntegerTy() && !type->isPointerTy())
    return 0;
  const unsigned bits = unsigned(layout.getTypeSizeInBits(type));
  return bits > 64 ? (bits + 63) / 64 : 0;
}

void Decoder::flattenInto(llvm::Type *type, uint64_t offset, Leaves &leaves) {
  if (type->isVoidTy())
    return;
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout *fields = layout_.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      flattenInto(structure->getElementType(i), offset + fields->getElementOffset(i), leaves);
    return;
  }
  if (auto *array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const uint64_t stride = layout_.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements() && error_.empty(); ++i)
      flattenInto(array->getElementType(), offset + i * stride, leaves);
    return;
  }
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    llvm::Type *element = vector->getElementType();
    const uint64_t stride = (layout_.getTypeSizeInBits(element).getFixedValue() + 7) / 8;
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      flattenInto(element, offset + i * stride, leaves);
    return;
  }
  if (unsigned words = wordsOf(layout_, type)) {
    const unsigned bits = unsigned(layout_.getTypeSizeInBits(type));
    for (unsigned i = 0; i < words; ++i)
      leaves.push_back({{std::min(64u, bits - 64 * i), FloatFormat::None}, offset + 8 * i});
    return;
  }
  leaves.push_back({scalarOf(type), offset});
}

Leaves Decoder::flatten(llvm::Type *type) {
  Leaves leaves;
  flattenInto(type, 0, leaves);
  return leaves;
}

// The number of leaves before the member that `path` names.
size_t Decoder::leafIndex(llvm::Type *type, llvm::ArrayRef<unsigned> path) {
  size_t index = 0;
  for (unsigned step : path) {
    if (auto *structure = llvm::dyn_cast<llvm::StructType>(type)) {
      for (unsigned i = 0; i < step; ++i)
        index += leafCount(structure->getElementType(i));
      type = structure->getElementType(step);
    } else {
      type = type->getArrayElementType();
      index += step * leafCount(type);
    }
  }
  return index;
}

} // namespace layout_port::verify
