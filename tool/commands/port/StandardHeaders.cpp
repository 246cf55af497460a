#include "commands/port/StandardHeaders.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

namespace layout_port {

namespace {

bool includes(const Program &program, llvm::ArrayRef<llvm::StringRef> names) {
  return llvm::any_of(program.includes, [&](const Include &include) {
    return llvm::is_contained(names, llvm::sys::path::filename(include.spelled));
  });
}

// Does a token that is no name of the user's satisfy `isNeeded`?
template <class Test> bool mentions(const Program &program, const Test &isNeeded) {
  for (const std::unique_ptr<SourceFile> &file : program.files) {
    const TokenStream &tokens = file->tokens;
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].kind == clang::tok::raw_identifier && isNeeded(tokens.spelling(i)) &&
          !program.facts.userNames.count(tokens.spelling(i).str()))
        return true;
  }
  return false;
}

bool isBfloat(llvm::StringRef name) { return name.contains("bfloat16"); }
bool isHalf(llvm::StringRef name) {
  return name == "half" || name == "half2" || name.starts_with("__half") ||
         name.contains("float2half") || name.contains("half2float");
}

} // namespace

std::vector<std::string> standardHeaders(const ParseResult &parsed) {
  const Program &program = parsed.program;
  std::vector<std::string> headers;
  if (parsed.needsMathHeader)
    headers.push_back("math.h");
  if (!includes(program, {"cublas_v2.h", "cublas.h", "cublas_api.h", "cublasLt.h"}))
    return headers;
  if (!includes(program, {"cuda_fp16.h", "cuda_fp16.hpp", "cuda_bf16.h"}) &&
      mentions(program, isHalf))
    headers.push_back("hip/hip_fp16.h");
  if (!includes(program, {"cuda_bf16.h", "cuda_bf16.hpp"}) && mentions(program, isBfloat))
    headers.push_back("hip/hip_bf16.h");
  return headers;
}

} // namespace layout_port
