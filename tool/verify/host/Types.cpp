// See Types.h.
#include "host/Types.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Instructions.h>

namespace layout_port::verify {
namespace {

// "__half2 const*" -> f16. Vectors of a type have its elements.
std::optional<ElementType> elementOf(llvm::StringRef type) {
  type = type.trim();
  if (!type.consume_back("*") && !type.consume_back("* __restrict") && !type.consume_back("&"))
    return std::nullopt;
  type = type.rtrim();
  while (type.consume_back(" const") || type.consume_back(" volatile"))
    type = type.rtrim();
  if (type.ends_with("*"))
    return std::nullopt; // pointers are no data
  static const llvm::StringRef vectors[] = {"float", "double", "int",      "uint",
                                            "char",  "uchar",  "short",    "ushort",
                                            "long",  "ulong",  "longlong", "ulonglong"};
  for (llvm::StringRef vector : vectors)
    if (type.starts_with(vector) && type.size() == vector.size() + 1 && llvm::isDigit(type.back()))
      type = vector;
  const llvm::StringRef name =
      llvm::StringSwitch<llvm::StringRef>(type)
          .Case("float", "f32")
          .Case("double", "f64")
          .Cases({"__half", "half", "__half2", "_Float16"}, "f16")
          .Cases({"__nv_bfloat16", "__nv_bfloat162", "__hip_bfloat16", "__bf16"}, "bf16")
          .Case("__nv_fp8_e4m3", "e4m3")
          .Case("__nv_fp8_e5m2", "e5m2")
          .Cases({"signed char", "char"}, "i8")
          .Cases({"unsigned char", "uchar", "bool"}, "u8")
          .Case("short", "i16")
          .Cases({"unsigned short", "ushort"}, "u16")
          .Case("int", "i32")
          .Cases({"unsigned int", "uint"}, "u32")
          .Cases({"long", "long long", "longlong"}, "i64")
          .Cases({"unsigned long", "unsigned long long", "ulong", "ulonglong"}, "u64")
          .Default("");
  if (name.empty())
    return std::nullopt;
  return llvm::cantFail(parseElementType(name));
}

// The types in "void k<float, 4>(float*, int)"; none for a name without types.
std::vector<std::string> parameterTypes(llvm::StringRef mangled) {
  const std::string name = mangled.str(); // the demangler keeps pointers into it
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(name.c_str()) || !demangler.isFunction())
    return {};
  char *text = demangler.getFunctionParameters(nullptr, nullptr);
  if (!text)
    return {};
  const std::string list = text;
  std::free(text);
  std::vector<std::string> types(1);
  int depth = 0;
  for (char c : llvm::StringRef(list).drop_front().drop_back()) {
    depth += (c == '<' || c == '(') - (c == '>' || c == ')');
    if (c == ',' && depth == 0)
      types.emplace_back();
    else
      types.back() += c;
  }
  return types;
}

const ElementType *floatType(const llvm::Type *type) {
  static const ElementType types[] = {
      llvm::cantFail(parseElementType("f16")), llvm::cantFail(parseElementType("bf16")),
      llvm::cantFail(parseElementType("f32")), llvm::cantFail(parseElementType("f64"))};
  type = type->getScalarType();
  return type->isHalfTy()     ? &types[0]
         : type->isBFloatTy() ? &types[1]
         : type->isFloatTy()  ? &types[2]
         : type->isDoubleTy() ? &types[3]
                              : nullptr;
}

// The one float type that is loaded and stored through a pointer and what is computed from it.
// Integers say nothing: halves are often moved as words.
std::optional<ElementType> accessedFloats(const llvm::Value &pointer) {
  llvm::SmallPtrSet<const llvm::Value *, 32> seen;
  llvm::SmallVector<const llvm::Value *, 32> work = {&pointer};
  const ElementType *found = nullptr;
  while (!work.empty()) {
    const llvm::Value *value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (const llvm::User *user : value->users()) {
      const llvm::Type *accessed = nullptr;
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
        accessed = load->getType();
      else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
        accessed =
            store->getPointerOperand() == value ? store->getValueOperand()->getType() : nullptr;
      else if (user->getType()->isPointerTy() && !llvm::isa<llvm::CallBase>(user))
        work.push_back(user);
      const ElementType *type = accessed ? floatType(accessed) : nullptr;
      if (type && found && type != found)
        return std::nullopt;
      found = type ? type : found;
    }
  }
  return found ? std::optional<ElementType>(*found) : std::nullopt;
}

} // namespace

std::vector<std::optional<ElementType>> pointeeTypes(const llvm::Function &kernel) {
  const std::vector<std::string> named = parameterTypes(kernel.getName());
  std::vector<std::optional<ElementType>> types;
  for (const llvm::Argument &argument : kernel.args()) {
    const unsigned i = argument.getArgNo();
    types.emplace_back();
    if (argument.hasByValAttr() || argument.hasByRefAttr() || !argument.getType()->isPointerTy())
      continue;
    if (named.size() == kernel.arg_size())
      types.back() = elementOf(named[i]);
    if (!types.back())
      types.back() = accessedFloats(argument);
  }
  return types;
}

std::optional<ElementType> variableType(const llvm::Type *type) {
  while (type->isArrayTy())
    type = type->getArrayElementType();
  if (const ElementType *found = floatType(type))
    return *found;
  if (!type->isIntegerTy() || type->getIntegerBitWidth() % 8 || type->getIntegerBitWidth() > 64)
    return std::nullopt;
  llvm::Expected<ElementType> integer =
      parseElementType("i" + std::to_string(type->getIntegerBitWidth()));
  if (integer)
    return *integer;
  llvm::consumeError(integer.takeError());
  return std::nullopt;
}

} // namespace layout_port::verify
