// See Jit.h.
#include "host/Jit.h"

#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/DynamicLibrary.h>

#include <thread>

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
                llvm::ArrayRef<llvm::StringRef> provided) {
  static const llvm::StringRef platform[] = {"atexit", "__cxa_atexit"}; // of LLVM's JIT
  const llvm::StringRef name = value.getName();
  const llvm::GlobalValue *elsewhere = other.getNamedValue(name);
  return (elsewhere && !elsewhere->isDeclaration()) || llvm::is_contained(provided, name) ||
         llvm::is_contained(platform, name) ||
         llvm::sys::DynamicLibrary::SearchForAddressOfSymbol(name.str());
}

// A function nobody has gets a body that says so when, and only when, it is called.
void defineMissing(llvm::Module &module, const llvm::Module &other,
                   llvm::ArrayRef<llvm::StringRef> provided) {
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
      // __dso_handle and HIP's device image: their addresses are passed around, never read.
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

// Static constructors become a function of this name, to be called before main.
constexpr const char *kConstructors = "lpConstructors";

void collectConstructors(llvm::Module &module, llvm::StringRef name) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Function *all =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
                             llvm::GlobalValue::ExternalLinkage, name, module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", all));
  std::vector<std::pair<unsigned, llvm::Function *>> found;
  for (const llvm::orc::CtorDtorIterator::Element &one : llvm::orc::getConstructors(module))
    if (one.Func)
      found.push_back({one.Priority, one.Func});
  llvm::stable_sort(found, llvm::less_first());
  for (const auto &[priority, function] : found)
    builder.CreateCall(function);
  builder.CreateRetVoid();
  if (llvm::GlobalVariable *list = module.getGlobalVariable("llvm.global_ctors"))
    list->eraseFromParent();
}

// Buffers are called what main calls them: a call that allocates through the address of a named
// variable is preceded by lpNameNext("that name").
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

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> toObject(llvm::Module &module) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  module.setDataLayout((*machine)->createDataLayout());
  return llvm::orc::SimpleCompiler(**machine)(module);
}

} // namespace

bool hasMain(const llvm::Module &module) {
  const llvm::Function *main = module.getFunction("main");
  return main && !main->isDeclaration();
}

llvm::Expected<HostProgram> compileHostProgram(CompiledModule program, CompiledModule runtime,
                                               llvm::ArrayRef<llvm::StringRef> provided) {
  llvm::Module &main = *program.module, &calls = *runtime.module;
  nameAllocations(main);
  for (llvm::Module *module : {&main, &calls})
    llvm::StripDebugInfo(*module); // it describes functions that get bodies here
  defineMissing(main, calls, provided);
  defineMissing(calls, main, provided);
  collectConstructors(main, kConstructors);
  auto mainObject = toObject(main);
  if (!mainObject)
    return mainObject.takeError();
  auto runtimeObject = toObject(calls);
  if (!runtimeObject)
    return runtimeObject.takeError();
  return HostProgram{std::move(*mainObject), std::move(*runtimeObject)};
}

llvm::Expected<int> runMain(const HostProgram &program, const std::vector<std::string> &arguments,
                            const llvm::StringMap<void *> &provided, void (*begin)()) {
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  std::string firstError; // what lies behind "failed to materialize"
  (*jit)->getExecutionSession().setErrorReporter([&](llvm::Error error) {
    const std::string text = llvm::toString(std::move(error));
    firstError = firstError.empty() ? text : firstError;
  });
  auto found = [&](llvm::Error error) {
    const std::string text = llvm::toString(std::move(error));
    return llvm::createStringError(firstError.empty() ? text : firstError);
  };
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*process));
  if (llvm::Error error = define(**jit, provided))
    return std::move(error);
  // The program first: of two definitions of the personality routine's reference the first one
  // is taken, and the linker finds handlers only where that is the program's own.
  for (const auto *object : {&program.program, &program.runtime})
    if (llvm::Error error =
            (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBuffer(**object, false)))
      return std::move(error);
  auto constructors = (*jit)->lookup(kConstructors);
  if (!constructors)
    return found(constructors.takeError());
  auto main = (*jit)->lookup("main");
  if (!main)
    return found(main.takeError());
  std::vector<std::string> words = arguments;
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  static char *environment[] = {nullptr};
  begin();
  // On a thread of its own, so that what main throws ends there and not in the tool's callers.
  int status = 0;
  std::thread([&] {
    constructors->toPtr<void (*)()>()();
    status =
        main->toPtr<int (*)(int, char **, char **)>()(int(words.size()), argv.data(), environment);
  }).join();
  return status;
}

} // namespace layout_port::verify
