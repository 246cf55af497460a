// See Jit.h.
#include "host/Jit.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/DynamicLibrary.h>
#include <llvm/Support/TargetSelect.h>

namespace layout_port::verify {
namespace {

bool allocates(llvm::StringRef function) {
  if (!function.consume_front("cuda") && !function.consume_front("hip"))
    return false;
  return function.starts_with("Malloc") || function == "HostAlloc" || function == "HostMalloc";
}

// "d_A" of `cudaMalloc(&d_A, n)`; empty where the address has no name of its own.
std::string variableName(const llvm::Value *address) {
  address = address->stripPointerCasts();
  if (!llvm::isa<llvm::AllocaInst>(address) && !llvm::isa<llvm::GlobalVariable>(address))
    return {};
  const llvm::StringRef name = address->getName().split('.').first; // "d_A.addr.i"
  return name.starts_with("_Z") ? std::string() : name.str();
}

bool isResolved(const llvm::GlobalValue &value, const llvm::Module &other,
                const llvm::StringMap<void *> &provided) {
  static const llvm::StringRef platform[] = {"__cxa_atexit", "atexit", "__dso_handle"};
  const llvm::StringRef name = value.getName();
  const llvm::GlobalValue *elsewhere = other.getNamedValue(name);
  return (elsewhere && !elsewhere->isDeclaration()) || provided.count(name) ||
         llvm::is_contained(platform, name) ||
         llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name.str());
}

// A function nobody has gets a body that says so when, and only when, it is called.
void defineMissing(llvm::Module &module, const llvm::Module &other,
                   const llvm::StringMap<void *> &provided) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  llvm::FunctionCallee report = module.getOrInsertFunction(
      "lpMissing", llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false));
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty() ||
        isResolved(function, other, provided))
      continue;
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", &function));
    builder.CreateCall(report, {builder.CreateGlobalString(function.getName())});
    builder.CreateUnreachable();
  }
  for (llvm::GlobalVariable &variable : module.globals())
    if (variable.isDeclaration() && !isResolved(variable, other, provided)) {
      // HIP's device image among them: its address is passed around and never read.
      variable.setInitializer(llvm::Constant::getNullValue(variable.getValueType()));
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    }
}

llvm::Error define(llvm::orc::LLJIT &jit, const llvm::StringMap<void *> &provided) {
  llvm::orc::SymbolMap symbols;
  for (const auto &entry : provided)
    symbols[jit.mangleAndIntern(entry.getKey())] = {
        llvm::orc::ExecutorAddr::fromPtr(entry.getValue()), llvm::JITSymbolFlags::Exported};
  return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Error addModule(llvm::orc::LLJIT &jit, CompiledModule &module) {
  llvm::orc::ThreadSafeContext context(std::move(module.context));
  return jit.addIRModule(llvm::orc::ThreadSafeModule(std::move(module.module), context));
}

} // namespace

bool hasMain(const llvm::Module &module) {
  const llvm::Function *main = module.getFunction("main");
  return main && !main->isDeclaration();
}

void nameAllocations(llvm::Module &module) {
  llvm::SmallVector<std::pair<llvm::CallBase *, std::string>, 16> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call || !call->getCalledFunction() || call->arg_empty() ||
          !allocates(call->getCalledFunction()->getName()))
        continue;
      if (const std::string name = variableName(call->getArgOperand(0)); !name.empty())
        calls.push_back({call, name});
    }
  llvm::LLVMContext &context = module.getContext();
  llvm::FunctionCallee note = module.getOrInsertFunction(
      "lpNameNext", llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                            {llvm::PointerType::getUnqual(context)}, false));
  for (const auto &[call, name] : calls) {
    llvm::IRBuilder<> builder(call);
    builder.CreateCall(note, {builder.CreateGlobalString(name)});
  }
}

llvm::Expected<int> runMain(HostProgram program, const std::vector<std::string> &arguments,
                            const llvm::StringMap<void *> &provided, void (*begin)()) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::sys::DynamicLibrary::LoadLibraryPermanently(nullptr);
  nameAllocations(*program.program.module);
  for (CompiledModule *module : {&program.program, &program.runtime})
    llvm::StripDebugInfo(*module->module); // it describes functions that get bodies here
  defineMissing(*program.program.module, *program.runtime.module, provided);
  defineMissing(*program.runtime.module, *program.program.module, provided);
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  llvm::orc::JITDylib &dylib = (*jit)->getMainJITDylib();
  dylib.addGenerator(std::move(*process));
  if (llvm::Error error = define(**jit, provided))
    return std::move(error);
  for (CompiledModule *module : {&program.runtime, &program.program})
    if (llvm::Error error = addModule(**jit, *module))
      return std::move(error);
  auto main = (*jit)->lookup("main"); // compiles and links
  if (!main)
    return main.takeError();
  begin();
  if (llvm::Error error = (*jit)->initialize(dylib))
    return std::move(error);
  std::vector<std::string> words = arguments;
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  static char *environment[] = {nullptr};
  auto *function = main->toPtr<int (*)(int, char **, char **)>();
  return function(int(words.size()), argv.data(), environment);
}

} // namespace layout_port::verify
