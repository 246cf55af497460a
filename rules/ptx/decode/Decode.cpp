#include "ptx/decode/Decode.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

// One kind of meaning as any meaning.
template <typename T> Outcome<Meaning> widen(Outcome<T> one) {
  if (!one)
    return one.error();
  return Meaning(std::move(*one));
}

} // namespace

Outcome<Meaning> decode(const Instruction &i, const Block &block) {
  if (auto problem = check(i))
    return *problem;
  const std::string_view key = findOpcode(i)->key;
  if (key == "mma")
    return widen(decodeMma(i));
  if (key == "ldmatrix" || key == "stmatrix" || key == "movmatrix")
    return widen(decodeMatrixMove(i));
  if (key == "cp.async")
    return widen(decodeAsyncCopy(i, block));
  if (key.substr(0, 9) == "cp.async.")
    return widen(decodeAsyncWait(i));
  if (key == "mov")
    return widen(decodeMove(i));
  if (key == "cvta")
    return widen(decodeCvta(i));
  return widen(decodeConvert(i));
}

} // namespace layout_port::ptx
