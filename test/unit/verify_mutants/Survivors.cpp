#include "Survivors.h"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace layout_port::verify {

std::string optimized(const llvm::Module &module) {
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::StripDebugInfo(*copy);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cycles;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cycles);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cycles, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(*copy, modules);
  std::string text;
  llvm::raw_string_ostream out(text);
  for (llvm::Function &function : *copy) {
    for (llvm::BasicBlock &block : function) { // names do not matter
      block.setName("");
      for (llvm::Instruction &instruction : block)
        if (!instruction.getType()->isVoidTy())
          instruction.setName("");
    }
    function.print(out);
  }
  return text;
}

} // namespace layout_port::verify
