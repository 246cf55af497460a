#include "rename/BlasCompute.h"

#include "source/Match.h"

#include "llvm/ADT/StringSwitch.h"

namespace layout_port {

static std::string computeType(llvm::StringRef dataType) {
  return llvm::StringSwitch<std::string>(dataType)
      .Case("CUDA_R_16F", "HIPBLAS_COMPUTE_16F")
      .Case("CUDA_R_32F", "HIPBLAS_COMPUTE_32F")
      .Case("CUDA_R_64F", "HIPBLAS_COMPUTE_64F")
      .Case("CUDA_R_32I", "HIPBLAS_COMPUTE_32I")
      .Default("");
}

std::map<Place, std::string> blasComputeTypes(const Program &program) {
  std::map<Place, std::string> types;
  forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
    const TokenStream &tokens = file.tokens;
    std::vector<TokenStream::Range> args;
    size_t close = 0;
    if ((tokens.is(i, "cublasGemmEx") || tokens.is(i, "cublasGemmBatchedEx") ||
         tokens.is(i, "cublasGemmStridedBatchedEx")) &&
        tokens.is(i + 1, "(") && tokens.callArguments(i + 1, args, close) && args.size() >= 2) {
      const TokenStream::Range compute = args[args.size() - 2]; // the algorithm is the last
      const std::string name = computeType(tokens.textOf(compute));
      if (!name.empty())
        types[{f, tokens[compute.first].offset}] = name;
    }
  });
  return types;
}

} // namespace layout_port
