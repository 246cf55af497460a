// See Names.h.
#include "decode/Names.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>

namespace layout_port::verify {
namespace {

constexpr llvm::StringLiteral kUnnamed = "(anonymous namespace)";

std::string withoutSpaces(llvm::StringRef text) {
  std::string result;
  for (char c : text)
    if (c != ' ')
      result += c;
  return result;
}

} // namespace

std::string kernelName(llvm::StringRef mangled) {
  std::string name = llvm::demangle(mangled);
  int depth = 0;
  size_t begin = 0, end = name.size();
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<')
      ++depth;
    else if (name[i] == '>')
      --depth;
    else if (depth == 0 && name[i] == ' ')
      begin = i + 1;
    else if (depth == 0 && name.compare(i, kUnnamed.size(), kUnnamed) == 0)
      i += kUnnamed.size() - 1;
    else if (depth == 0 && name[i] == '(') {
      end = i;
      break;
    }
  }
  return name.substr(begin, end - begin);
}

bool isSpelled(llvm::StringRef name, llvm::StringRef as) {
  return withoutSpaces(name) == withoutSpaces(as);
}

namespace {

bool isOfWord(char c) { return llvm::isAlnum(c) || c == '_'; }

// One word, as both APIs have it.
std::string comparableWord(llvm::StringRef word) {
  if (llvm::isDigit(word.front()))
    return word.rtrim("uUlL").str();
  if (word == "half" || word == "half2")
    return "__" + word.str();
  for (llvm::StringRef prefix : {"__nv_", "__hip_", "nv_", "hip_", "cuda", "hip"})
    if (word.consume_front(prefix))
      break;
  word.consume_back("_fnuz");
  return word.str();
}

// Words with spaces between them, as the demangler spells the type.
std::string comparableType(llvm::ArrayRef<std::string> words) {
  const std::string text = llvm::join(words, " ");
  return withoutSpaces(llvm::StringSwitch<std::string>(text)
                           .Case("unsigned", "unsigned int")
                           .Cases("uint", "uint32_t", "unsigned int")
                           .Case("int32_t", "int")
                           .Cases("uint8_t", "uchar", "unsigned char")
                           .Case("int8_t", "signed char")
                           .Cases("uint16_t", "ushort", "unsigned short")
                           .Case("int16_t", "short")
                           .Cases("uint64_t", "size_t", "unsigned long")
                           .Case("int64_t", "long")
                           .Default(text));
}

} // namespace

std::string comparableName(llvm::StringRef name) {
  std::string result;
  while (!name.empty()) {
    if (name.consume_front(kUnnamed)) {
      name = name.ltrim();
      name.consume_front("::");
      continue;
    }
    llvm::SmallVector<std::string, 3> words;
    for (; !name.empty() && (isOfWord(name.front()) || name.front() == ' ');) {
      name = name.ltrim(' ');
      const llvm::StringRef word = name.take_while(isOfWord);
      if (!word.empty())
        words.push_back(comparableWord(word));
      name = name.drop_front(word.size());
    }
    if (words.size() == 1 && llvm::isDigit(words[0].front()) &&
        llvm::StringRef(result).ends_with(")"))
      result.erase(std::min(result.rfind('('), result.size())); // k<(unsigned char)4>
    result += comparableType(words);
    if (!name.empty())
      result += name.front();
    name = name.drop_front(name.empty() ? 0 : 1);
  }
  return result;
}

} // namespace layout_port::verify
