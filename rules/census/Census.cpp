#include "census/Census.h"

#include "rename/Tables.h"
#include "source/AsmAlias.h"
#include "source/TorchScope.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace clang;

namespace layout_port {

// cudaMalloc, CUDA_R_16F, CUDART_PI; a name in lower case with a `_` is no name of CUDA's.
static bool startsLikeApi(llvm::StringRef name, llvm::StringRef prefix) {
  if (name.size() <= prefix.size() || !name.starts_with(prefix))
    return false;
  const char next = name[prefix.size()];
  return llvm::isUpper(next) || (next == '_' && llvm::isUpper(prefix[0]));
}

// CUDADeviceContext: so programs call their own classes around CUDA, and CUDA none.
static bool isClassAroundCuda(const TokenStream &tokens, size_t i) {
  llvm::StringRef name = tokens.spelling(i);
  return name.consume_front("CUDA") && !name.empty() && llvm::isUpper(name[0]) &&
         llvm::any_of(name.split('_').first, [](char c) { return llvm::isLower(c); });
}

// Names of CUDA libraries by prefix: cudaMalloc, cublasCreate, CUDA_R_16F, cuInit. NCCL's are
// RCCL's as well.
static bool isApiName(llvm::StringRef name) {
  static constexpr llvm::StringRef prefixes[] = {
      "cuda", "cublas", "curand", "cufft",  "cudnn", "cusparse", "cusolver", "cublasLt", "nvrtc",
      "nvtx", "CUDA",   "CUBLAS", "CURAND", "CUDNN", "CUSPARSE", "CUFFT",    "CUSOLVER", "NVRTC"};
  for (const llvm::StringRef prefix : prefixes)
    if (startsLikeApi(name, prefix))
      return true;
  if (name.starts_with("CU") && name.size() > 4) // CUtensorMap, CU_TENSOR_MAP_SWIZZLE_NONE
    return llvm::isLower(name[2]) || (name[2] == '_' && llvm::isUpper(name[3]));
  return startsLikeApi(name, "cu") && name.size() > 4 && llvm::isLower(name[3]);
}

// PyTorch's macros around CUDA: C10_CUDA_CHECK, AT_CUDA_CHECK, TORCH_CUDABLAS_CHECK.
static bool isTorchMacro(llvm::StringRef name) {
  return name.starts_with("C10_CUDA_") || name.starts_with("AT_CUDA_") ||
         (name.starts_with("TORCH_CU") && name.ends_with("_CHECK"));
}

static bool isDeviceName(llvm::StringRef name) {
  static constexpr llvm::StringRef prefixes[] = {
      "__shfl",      "__match_", "__reduce_",         "__nv_",      "__cvta_",
      "__pipeline_", "__nvvm_",  "__nanosleep",       "__cluster",  "nv_bfloat",
      "__CUDA",      "__NVCC",   "__grid_constant__", "__mbarrier_"};
  for (const llvm::StringRef prefix : prefixes)
    if (name.starts_with(prefix))
      return true;
  return llvm::StringSwitch<bool>(name)
      .Cases({"__ballot_sync", "__any_sync", "__all_sync", "__ballot", "__any", "__all"}, true)
      .Cases({"__activemask", "__syncwarp", "__launch_bounds__", "warpSize"}, true)
      .Cases({"__uni_sync", "__fns", "__maxnreg__"}, true)
      .Cases({"wmma", "nvcuda", "cooperative_groups", "cutlass", "cute"}, true)
      .Default(false);
}

// Macros that nvcc predefines and the fences they build are told apart from
// constructs: `#if __CUDA_ARCH__ >= 800` selects code, it is none itself.
static bool isPredefinedMacro(llvm::StringRef name) {
  return name.starts_with("__CUDA_ARCH") || name.starts_with("__CUDACC") ||
         name.starts_with("__CUDA_NO_") || name == "__NVCC__" || name == "CUDA_VERSION" ||
         name == "CUDART_VERSION" || name.starts_with("__CUDA_API_VERSION");
}

// `__launch_bounds__(T)` means the same on both sides; the second argument does not.
static bool isPlainLaunchBounds(const TokenStream &tokens, size_t i) {
  std::vector<TokenStream::Range> args;
  size_t close = 0;
  return tokens.is(i, "__launch_bounds__") && tokens.callArguments(i + 1, args, close) &&
         args.size() == 1;
}

static bool isAsm(llvm::StringRef name) {
  return name == "asm" || name == "__asm__" || name == "__asm";
}

// <cuda_fp16.h>, "mma.h", <cooperative_groups.h>: headers only CUDA has.
static bool isCudaHeader(llvm::StringRef directive) {
  const size_t open = directive.find_first_of("<\"");
  if (open == llvm::StringRef::npos)
    return false;
  const llvm::StringRef name =
      directive.substr(open + 1).take_until([](char c) { return c == '>' || c == '"'; });
  if (name.starts_with("cuda") || name.starts_with("cub/") || name.starts_with("cublas") ||
      name.starts_with("curand") || name.starts_with("cufft") || name.starts_with("cudnn") ||
      name.starts_with("cusparse") || name.starts_with("cutlass/") || name.starts_with("cute/") ||
      name.starts_with("cusolver") || name.starts_with("cutensor") || name.starts_with("nv/") ||
      name.starts_with("nvtx3/") || name.starts_with("nccl") || name.starts_with("nvrtc") ||
      name.starts_with("nvml") || name.starts_with("nvjpeg") || name.starts_with("nvshmem") ||
      name.starts_with("npp") || name.starts_with("thrust/system/cuda/") ||
      name.starts_with("ATen/cuda/") || name.starts_with("ATen/cudnn/") ||
      name.starts_with("c10/cuda/"))
    return true;
  return llvm::StringSwitch<bool>(name)
      .Cases({"mma.h", "cooperative_groups.h", "device_launch_parameters.h"}, true)
      .Cases({"sm_80_rt.h", "vector_types.h", "nvToolsExt.h", "crt/mma.h"}, true)
      .Default(name.starts_with("cooperative_groups/"));
}

// "cuda_utils.h" beside the source, or an mma.h on the include path, is the user's.
static bool isUserHeader(const Program &program, unsigned f, const Directive &d) {
  return llvm::any_of(program.includes, [&](const Include &include) {
    return include.file == f && include.begin == d.begin && include.target >= 0;
  });
}

static void countIncludes(const Program &program, unsigned f, std::vector<CensusItem> &items) {
  const SourceFile &file = program.file(f);
  for (const Directive &d : file.tokens.directives())
    if (d.name == "include" && isCudaHeader(file.text().slice(d.begin, d.end)) &&
        !isUserHeader(program, f, d))
      items.push_back({f, d.firstToken, "include"});
}

// `#ifdef CUDA_DRIVER_API`, `#if CUBLAS_TESTS`: a question for a macro that no rule
// knows and no header of CUDA's defines is a build's own flag. Reserved names (`__CUDA...`) are
// not.
static bool isBuildFlag(const TokenStream &tokens, size_t i) {
  const int d = tokens[i].directive;
  if (d < 0 || tokens.spelling(i).starts_with("_"))
    return false;
  const llvm::StringRef name = tokens.directives()[d].name;
  return (name == "if" || name == "ifdef" || name == "ifndef" || name == "elif") &&
         !tokens.is(i + 1, "(");
}

static bool isMemberName(const TokenStream &tokens, size_t i) {
  return i > 0 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->"));
}

// Guards of CUDA headers that HIP's headers do not define: `#ifdef CUBLAS_API_H_` is
// never true in an output, nor is what stands in that arm. (Those of the runtime's own
// headers are renamed to one that the output defines.)
static bool isAbsentGuard(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"CUDA_DRIVER_API", "CUBLAS_API_H_", "CUSPARSEAPI", "CURAND_H_"}, true)
      .Cases({"CUSOLVER_COMMON_H_", "_CUFFT_H_", "NVJPEGAPI", "NV_NPPIDEFS_H"}, true)
      .Default(false);
}

// The token behind the arm that `#ifdef` directive d begins.
static size_t endOfArm(const TokenStream &tokens, size_t d) {
  int depth = 0;
  for (size_t i = d; i < tokens.directives().size(); ++i) {
    const Directive &directive = tokens.directives()[i];
    if (directive.name.starts_with("if"))
      ++depth;
    else if (directive.name == "endif")
      --depth;
    if (depth == 0 || (depth == 1 && directive.name.starts_with("el")))
      return directive.firstToken;
  }
  return tokens.size();
}

// Names that the user's files define anywhere, in dead #if arms too.
static std::set<std::string> definedMacros(const Program &program) {
  std::set<std::string> names;
  for (const std::unique_ptr<SourceFile> &file : program.files)
    for (const Directive &d : file->tokens.directives())
      if (d.name == "define" && d.firstToken + 2 < d.lastToken)
        names.insert(file->tokens.spelling(d.firstToken + 2).str());
  return names;
}

// One past an arm that no output compiles, if token i begins one; else i.
static size_t behindAbsentArm(const TokenStream &tokens, size_t i) {
  const int d = tokens[i].directive;
  if (d < 0)
    return i;
  const Directive &directive = tokens.directives()[d];
  if (directive.firstToken != i || directive.name != "ifdef" || i + 2 >= tokens.size() ||
      !isAbsentGuard(tokens.spelling(i + 2)))
    return i;
  return endOfArm(tokens, d);
}

// cuda::atomic_ref, cuda::std::tuple, thrust::cuda::par: what stands behind `cuda::`.
static bool isOfLibcu(const Program &program, const TokenStream &tokens, size_t i) {
  return i >= 2 && tokens.is(i - 1, "::") && tokens.is(i - 2, "cuda") &&
         !program.facts.userNames.count("cuda");
}

static void countIdentifiers(const Program &program, unsigned f,
                             const std::set<std::string> &defined, std::vector<CensusItem> &items) {
  const SourceFile &file = program.file(f);
  const TokenStream &tokens = file.tokens;
  for (size_t i = 0; i < tokens.size(); ++i) {
    i = behindAbsentArm(tokens, i);
    if (i >= tokens.size())
      break;
    if (tokens[i].kind != tok::raw_identifier)
      continue;
    const llvm::StringRef name = tokens.spelling(i);
    if (isAsm(name)) {
      items.push_back({f, i, "asm"});
      continue;
    }
    const int directive = tokens[i].directive;
    if (directive >= 0 && tokens.directives()[directive].name == "include")
      continue;
    if (const llvm::StringRef outer = torchScope(tokens, i); !outer.empty()) {
      items.push_back({f, i, (outer + "::cuda::" + name).str()});
      continue;
    }
    if (isOfLibcu(program, tokens, i)) {
      items.push_back({f, i, ("cuda::" + name).str()});
      continue;
    }
    if (program.facts.userNames.count(name.str()) || defined.count(name.str()) ||
        isPredefinedMacro(name))
      continue;
    if (!isApiName(name) && !isDeviceName(name) && !isTorchMacro(name))
      continue;
    if (isBuildFlag(tokens, i) || isPlainLaunchBounds(tokens, i) || isClassAroundCuda(tokens, i) ||
        (isMemberName(tokens, i) && name != "warpSize"))
      continue;
    items.push_back({f, i, name.str()});
  }
}

std::vector<CensusItem> takeCensus(const Program &program) {
  std::vector<CensusItem> items;
  const std::set<std::string> defined = definedMacros(program);
  for (unsigned f = 0; f < program.files.size(); ++f) {
    countIncludes(program, f, items);
    countIdentifiers(program, f, defined, items);
  }
  std::stable_sort(items.begin(), items.end(), [](const CensusItem &a, const CensusItem &b) {
    return a.file != b.file ? a.file < b.file : a.token < b.token;
  });
  return items;
}

namespace {

// The byte ranges that sites answer for in one file, merged and sorted.
class Coverage {
public:
  void add(unsigned begin, unsigned end) { ranges_.push_back({begin, end}); }

  void merge() {
    llvm::sort(ranges_);
    std::vector<std::pair<unsigned, unsigned>> merged;
    for (const auto &range : ranges_)
      if (!merged.empty() && range.first <= merged.back().second)
        merged.back().second = std::max(merged.back().second, range.second);
      else
        merged.push_back(range);
    ranges_ = std::move(merged);
  }

  bool covers(unsigned offset) const {
    const auto next = llvm::upper_bound(ranges_, std::pair<unsigned, unsigned>{offset, ~0u});
    return next != ranges_.begin() && offset < std::prev(next)->second;
  }

private:
  std::vector<std::pair<unsigned, unsigned>> ranges_;
};

} // namespace

std::vector<CensusItem> unexplained(const Program &program, const std::vector<CensusItem> &census,
                                    const std::vector<Site> &sites) {
  std::vector<Coverage> coverage(program.files.size());
  for (const Site &site : sites)
    coverage[site.file].add(site.begin, site.end);
  llvm::for_each(coverage, [](Coverage &c) { c.merge(); });
  std::vector<CensusItem> left;
  for (const CensusItem &item : census)
    if (!coverage[item.file].covers(program.file(item.file).tokens[item.token].offset))
      left.push_back(item);
  return left;
}

// hip/hip_runtime.h, whatever the #if arms are.
static bool includesHipRuntime(const SourceFile &file) {
  int depth = 0;
  for (const Directive &d : file.tokens.directives()) {
    depth += d.name.starts_with("if");
    depth -= d.name == "endif";
    if (depth == 0 && d.name == "include" &&
        file.text().slice(d.begin, d.end).contains("hip/hip_runtime.h"))
      return true;
  }
  return false;
}

// A name of HIP's as well.
static bool isShared(llvm::StringRef name) {
  const rename::Name *row = rename::lookup(name);
  if (row && row->support == rename::Support::Kept)
    return true;
  static constexpr llvm::StringRef prefixes[] = {"__shfl",   "__match_", "__reduce_",
                                                 "__ballot", "__any",    "__all"};
  for (const llvm::StringRef prefix : prefixes)
    if (name.starts_with(prefix))
      return true;
  return llvm::StringSwitch<bool>(name)
      .Cases({"__activemask", "__syncwarp", "__launch_bounds__", "warpSize", "wmma"}, true)
      .Case("cooperative_groups", true)
      .Default(false);
}

// asm without an instruction, or a macro that stands for the word.
static bool isPlainAsm(const SourceFile &file, size_t token) {
  if (isInAsmAlias(file.tokens, token))
    return true;
  return llvm::any_of(file.asmStatements, [&](const AsmStatement &statement) {
    return statement.firstToken == token && statement.text &&
           statement.text->find_first_not_of(" \t\r\n;") == std::string::npos;
  });
}

bool isHip(const Program &program) {
  return includesHipRuntime(program.file(0)) &&
         llvm::all_of(takeCensus(program), [&](const CensusItem &item) {
           return item.construct == "asm" ? isPlainAsm(program.file(item.file), item.token)
                                          : isShared(item.construct);
         });
}

} // namespace layout_port
