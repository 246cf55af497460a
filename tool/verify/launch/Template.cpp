// See Template.h.
#include "launch/Template.h"

#include "decode/Decoder.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace layout_port::verify {
namespace {

// The element type and constness of a pointer parameter.
struct Pointee {
  std::string type;
  bool readOnly = false;
};

// "gemm<4>(__half const*, float*, int)" -> the parameters' spellings.
std::vector<std::string> parameterSpellings(const llvm::Function &kernel) {
  const std::string name = llvm::demangle(kernel.getName());
  std::vector<std::string> list;
  const size_t open = name.rfind('(', name.rfind(')'));
  if (name == kernel.getName() || open == std::string::npos)
    return list; // extern "C"
  int depth = 0;
  std::string word;
  for (char c : llvm::StringRef(name).substr(open + 1, name.rfind(')') - open - 1)) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c != ',' || depth) {
      word += c;
      continue;
    }
    list.push_back(llvm::StringRef(word).trim().str());
    word.clear();
  }
  list.push_back(llvm::StringRef(word).trim().str());
  return list;
}

// "float4 const*" -> f32. Empty: no type of a launch file.
std::string typeOfSpelling(llvm::StringRef spelling) {
  struct Row {
    const char *prefix, *type;
  };
  static constexpr Row rows[] = {{"__half", "f16"},
                                 {"half", "f16"},
                                 {"_Float16", "f16"},
                                 {"__nv_bfloat16", "bf16"},
                                 {"__hip_bfloat16", "bf16"},
                                 {"__bf16", "bf16"},
                                 {"__nv_fp8_e4m3", "e4m3"},
                                 {"__nv_fp8_e5m2", "e5m2"},
                                 {"float", "f32"},
                                 {"double", "f64"},
                                 {"unsigned char", "u8"},
                                 {"uchar", "u8"},
                                 {"signed char", "i8"},
                                 {"char", "i8"},
                                 {"unsigned short", "u16"},
                                 {"ushort", "u16"},
                                 {"short", "i16"},
                                 {"unsigned long", "u64"},
                                 {"long", "i64"},
                                 {"unsigned", "u32"},
                                 {"uint", "u32"},
                                 {"int", "i32"},
                                 {"bool", "u8"}};
  for (const Row &row : rows)
    if (spelling.starts_with(row.prefix))
      return row.type;
  return {};
}

std::string typeOfIr(const llvm::Type *type) {
  type = type->getScalarType();
  if (type->isHalfTy())
    return "f16";
  if (type->isBFloatTy())
    return "bf16";
  if (type->isFloatTy())
    return "f32";
  if (type->isDoubleTy())
    return "f64";
  return type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32)
             ? "i" + std::to_string(type->getIntegerBitWidth())
             : std::string();
}

// f(user, what it uses) for all that a pointer reaches.
template <class F> void forUses(const llvm::Value &pointer, F f) {
  llvm::SmallVector<const llvm::Value *, 16> work{&pointer};
  llvm::SmallPtrSet<const llvm::Value *, 16> seen;
  while (!work.empty()) {
    const llvm::Value *value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (const llvm::User *user : value->users()) {
      f(*user, *value);
      if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::PHINode,
                    llvm::SelectInst>(user))
        work.push_back(user);
    }
  }
}

// What the kernel reads and writes through a pointer; a float type wins, since
// vectors of integers carry halves.
std::string typeOfUses(const llvm::Value &pointer) {
  std::string found;
  forUses(pointer, [&](const llvm::User &user, const llvm::Value &value) {
    std::string type;
    if (auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&user))
      type = typeOfIr(gep->getSourceElementType());
    else if (llvm::isa<llvm::LoadInst>(user))
      type = typeOfIr(user.getType());
    else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&user))
      type =
          store->getPointerOperand() == &value ? typeOfIr(store->getValueOperand()->getType()) : "";
    if (!type.empty() && (found.empty() || found[0] == 'i') && type != "i8")
      found = type;
  });
  return found.empty() ? "f32" : found;
}

// Read as well as written, and no counter: its contents matter.
bool isUpdated(const llvm::Value &pointer) {
  bool loads = false, counts = false;
  forUses(pointer, [&](const llvm::User &user, const llvm::Value &) {
    loads |= llvm::isa<llvm::LoadInst>(user);
    counts |= llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user);
  });
  return loads && !counts;
}

Pointee pointeeOf(const llvm::Function &kernel, unsigned index,
                  const std::vector<std::string> &spellings) {
  const llvm::Argument &argument = *kernel.getArg(index);
  Pointee pointee{"", argument.onlyReadsMemory()};
  if (index < spellings.size()) {
    pointee.type = typeOfSpelling(spellings[index]);
    pointee.readOnly |= llvm::StringRef(spellings[index]).contains(" const*");
  }
  if (pointee.type.empty())
    pointee.type = typeOfUses(argument);
  return pointee;
}

std::string scalarType(const Parameter &parameter) {
  if (parameter.scalars.size() != 1)
    return {};
  const FloatFormat format = parameter.scalars[0].format;
  return format == FloatFormat::None ? "i" + std::to_string(8 * parameter.scalars[0].bytes())
                                     : toString(format);
}

// One kernel's part of a launch file.
struct Draft {
  std::string buffers, launch;
  std::string text() const { return "buffers:\n" + buffers + "launches:\n" + launch; }
};

class Drafter {
public:
  Drafter(const llvm::Module &module, const llvm::Function &kernel, const Program &program,
          std::string name, size_t number)
      : kernel_(kernel), program_(program), name_(std::move(name)), number_(number),
        spellings_(parameterSpellings(kernel)) {
    for (const llvm::GlobalVariable &global : module.globals())
      dynamicShared_ |= global.getAddressSpace() == 3 && global.isDeclaration();
    multiplies_ = hasMatrixInstructions(module);
  }

  // `size`: of every whole-number argument.
  Draft draft(unsigned size) const {
    Draft result;
    std::string args;
    for (unsigned i = 0; i < program_.parameters.size(); ++i)
      args += (i ? ", " : "") + argument(i, size, result.buffers);
    result.launch = "  - {kernel: \"" + name_ + "\", grid: " + gridText() +
                    ", block: " + blockText() + ", shared: " + (dynamicShared_ ? "32768" : "0") +
                    ", args: [" + args + "]}\n";
    return result;
  }

private:
  std::string argument(unsigned i, unsigned size, std::string &buffers) const {
    const Parameter &parameter = program_.parameters[i];
    const std::string scalar = scalarType(parameter);
    if (parameter.indirect || scalar.empty())
      return "{bytes: \"" + std::string(2 * parameter.size, '0') + "\"}";
    if (!parameter.pointer)
      return "{" + scalar + ": " + (scalar[0] == 'i' ? std::to_string(size) : "0.5") + "}";
    const std::string name = llvm::formatv("k{0}_arg{1}", number_, i).str();
    const Pointee pointee = pointeeOf(kernel_, i, spellings_);
    const bool positions = pointee.readOnly && (pointee.type == "i32" || pointee.type == "i64");
    buffers += "  " + name + ": {type: " + pointee.type + ", count: 65536" +
               (positions          ? ", init: index, below: 64"
                : pointee.readOnly ? ""
                                   : initOfOutput(pointee.type, *kernel_.getArg(i))) +
               "}\n";
    return name;
  }
  static const char *initOfOutput(const std::string &type, const llvm::Argument &argument) {
    if (!isUpdated(argument))
      return ", init: zero, out: true";
    return type[0] == 'i' || type[0] == 'u' ? ", init: ints, out: true" : ", out: true";
  }
  // Two blocks along each axis that the kernel asks for.
  std::string gridText() const {
    std::string text;
    for (unsigned axis = 0; axis < 3; ++axis)
      text += std::string(axis ? ", " : "") + (program_.readsBlock[axis] ? "2" : "1");
    return "[" + text + "]";
  }
  // Where matrices are multiplied, rows of the block are warps.
  std::string blockText() const {
    if (program_.readsThread[2])
      return multiplies_ ? "[32, 2, 2]" : "[8, 4, 4]";
    if (program_.readsThread[1])
      return multiplies_ ? "[32, 4]" : "[16, 8]";
    return "[" + std::to_string(std::min(128u, mostThreads())) + "]";
  }
  // Of __launch_bounds__. https://llvm.org/docs/NVPTXUsage.html
  unsigned mostThreads() const {
    unsigned most = 0;
    const llvm::StringRef text = kernel_.getFnAttribute("nvvm.maxntid").getValueAsString();
    return text.split(',').first.getAsInteger(10, most) || !most ? ~0u : most;
  }

  static bool hasMatrixInstructions(const llvm::Module &module) {
    for (const llvm::Function &function : module)
      for (const llvm::Instruction &instruction : llvm::instructions(function)) {
        const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        const auto *code =
            call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
        if (code && llvm::StringRef(code->getAsmString()).contains("mma.sync"))
          return true;
      }
    return false;
  }

  const llvm::Function &kernel_;
  const Program &program_;
  std::string name_;
  size_t number_;
  std::vector<std::string> spellings_;
  bool dynamicShared_ = false, multiplies_ = false;
};

// How a draft does on the machine; the lower the better.
struct Trial {
  unsigned problems = ~0u;
  std::vector<std::string> thin;
  bool betterThan(const Trial &other) const {
    return std::make_pair(problems, thin.size()) <
           std::make_pair(other.problems, other.thin.size());
  }
};

Trial tryDraft(Side &side, const Draft &draft) {
  Trial trial;
  llvm::Expected<LaunchFile> file = parseLaunchFile(draft.text(), "template");
  if (!file) {
    llvm::consumeError(file.takeError());
    return trial;
  }
  RunOptions options;
  options.domain = Domain::Exact;
  options.observe = true;
  options.limits.steps = 20 * 1000 * 1000;
  const RunResult result = side.run(*file, options);
  if (!result.error.empty())
    return trial;
  trial.problems = unsigned(result.findings.size());
  trial.thin = result.coverage.thin();
  return trial;
}

} // namespace

// Sizes that leave a ragged edge come first; multiples of tiles follow, for kernels
// that have no guards and would run out of bounds.
llvm::Expected<std::string> launchTemplate(Side &side, const std::string &kernel) {
  constexpr unsigned sizes[] = {200, 100, 96, 192, 128, 64, 256, 32, 3};
  const llvm::Module &module = *side.compiled().module;
  const std::vector<std::string> names =
      kernel.empty() ? kernelNames(module) : std::vector<std::string>{kernel};
  if (names.empty())
    return llvm::createStringError("no kernel in " + module.getSourceFileName());
  std::string buffers, launches;
  for (size_t k = 0; k < names.size(); ++k) {
    llvm::Expected<const llvm::Function *> function = findKernel(module, names[k]);
    if (!function)
      return function.takeError();
    auto program = Decoder(module, nullptr).decode(**function);
    if (!program)
      return program.takeError();
    const Drafter drafter(module, **function, **program, names[k], k);
    Draft best = drafter.draft(sizes[0]);
    Trial result = tryDraft(side, best);
    for (size_t i = 1; i < std::size(sizes) && (result.problems || !result.thin.empty()); ++i) {
      const Draft next = drafter.draft(sizes[i]);
      const Trial trial = tryDraft(side, next);
      if (!trial.betterThan(result))
        continue;
      best = next;
      result = trial;
    }
    buffers += best.buffers;
    if (result.problems)
      launches += "  # no size tried ran without problems: choose shapes by hand\n";
    for (const std::string &line : result.thin)
      launches += "  # thin: " + line + "\n";
    launches += best.launch;
  }
  return "# Types, counts and sizes are guesses that were tried on the source; docs/verify.md\n"
         "# explains the keys.\nbuffers:\n" +
         buffers + "launches:\n" + launches;
}

std::string checkLaunch(Side &source, Side &port, const LaunchFile &file) {
  if (std::none_of(file.buffers.begin(), file.buffers.end(),
                   [](const BufferSpec &buffer) { return buffer.out; }))
    return "no buffer of the launch file is marked out: true, so there is nothing to compare";
  for (Side *side : {&source, &port})
    if (std::string problem = side->check(file); !problem.empty())
      return side->compiled().path + ": " + problem;
  return {};
}

} // namespace layout_port::verify
