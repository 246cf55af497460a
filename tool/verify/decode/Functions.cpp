// Functions, blocks and edges.
#include "decode/Decoder.h"
#include "decode/Names.h"
#include "decode/Reconverge.h"
#include "semantics/Tables.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Path.h>

namespace layout_port::verify {

const char *toString(InstructionClass kind) {
  static const char *const names[] = {
      "integer",  "float",   "matrix",       "cross_lane",    "dpp",           "lds_permute",
      "readlane", "vote",    "byte_permute", "shared_memory", "global_memory", "private_memory",
      "atomic",   "barrier", "async",        "control"};
  return names[unsigned(kind)];
}

Decoder::Decoder(const llvm::Module &module, const Field *field)
    : module_(module), layout_(module.getDataLayout()), field_(field) {}

void Decoder::fail(const llvm::Twine &message) {
  if (!error_.empty())
    return;
  error_ = message.str();
  if (decoding_) {
    constexpr size_t most = 120;
    std::string text;
    llvm::raw_string_ostream(text) << *decoding_;
    error_ += " (" + text.substr(0, most) + ")";
  }
}

Reg Decoder::fresh(Scalar scalar) {
  Reg reg{program_->registerBytes, program_->registerCount++};
  program_->registerBytes += (scalar.wide() ? 8 : 4) * program_->lanes;
  return reg;
}

Regs Decoder::freshFor(const Instruction &instruction) {
  Regs regs;
  for (const Leaf &leaf : flatten(instruction.getType()))
    regs.push_back(fresh(leaf.scalar));
  define(instruction, regs);
  return regs;
}

Op &Decoder::emit(Op::Function run, InstructionClass kind, Reg dst, Reg a, Reg b, Reg c) {
  if (!run)
    fail("operation on this type is not supported");
  Op op;
  op.run = run;
  op.dst = dst;
  op.a = a;
  op.b = b;
  op.c = c;
  op.kind = uint8_t(kind);
  op.location = location_;
  function_->ops.push_back(op);
  return function_->ops.back();
}

Regs Decoder::value(const llvm::Value *v) {
  auto known = values_.find(v);
  if (known != values_.end())
    return known->second;
  Regs regs;
  if (auto *constant = llvm::dyn_cast<llvm::Constant>(v)) {
    regs = constantValue(constant);
    values_[v] = regs;
    return regs;
  }
  // Used before it is defined (a back edge): the registers are made now.
  for (const Leaf &leaf : flatten(v->getType()))
    regs.push_back(fresh(leaf.scalar));
  return regs;
}

// Callees first; a function that is still on the path calls itself.
bool Decoder::collect(const llvm::Function &function,
                      llvm::SmallVectorImpl<const llvm::Function *> &path) {
  if (functions_.count(&function))
    return true;
  if (llvm::is_contained(path, &function)) {
    fail("recursive function " + llvm::demangle(function.getName()) + " is not supported");
    return false;
  }
  path.push_back(&function);
  for (const Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      if (const llvm::Function *callee = call->getCalledFunction())
        if (!callee->isDeclaration() && !collect(*callee, path))
          return false;
  path.pop_back();
  functions_[&function] = nullptr;
  return true;
}

void Decoder::declareFunction(const llvm::Function &function) {
  auto decoded = std::make_unique<Function>();
  decoded->name = llvm::demangle(function.getName());
  for (const llvm::Argument &argument : function.args()) {
    Regs regs;
    for (const Leaf &leaf : flatten(argument.getType()))
      regs.push_back(fresh(leaf.scalar));
    values_[&argument] = regs;
    decoded->parameters.emplace_back(regs.begin(), regs.end());
  }
  for (const Leaf &leaf : flatten(function.getReturnType())) {
    decoded->results.push_back(fresh(leaf.scalar));
    decoded->resultTypes.push_back(leaf.scalar);
  }
  functions_[&function] = decoded.get();
  program_->functions.push_back(std::move(decoded));
}

void Decoder::describeParameters(const llvm::Function &kernel) {
  for (const llvm::Argument &argument : kernel.args()) {
    Parameter parameter;
    parameter.name = argument.getName().str();
    llvm::Type *type = argument.getType();
    llvm::Type *pointee = argument.hasByValAttr()   ? argument.getParamByValType()
                          : argument.hasByRefAttr() ? argument.getParamByRefType()
                                                    : nullptr;
    parameter.indirect = pointee != nullptr;
    if (pointee)
      type = pointee;
    parameter.pointer = type->isPointerTy();
    parameter.size = layout_.getTypeAllocSize(type);
    parameter.alignment = layout_.getABITypeAlign(type).value();
    for (const Leaf &leaf : flatten(type)) {
      parameter.scalars.push_back(leaf.scalar);
      parameter.offsets.push_back(leaf.offset);
    }
    program_->parameters.push_back(std::move(parameter));
  }
}

namespace {

bool isKernel(const llvm::Function &function) {
  const auto convention = function.getCallingConv();
  return !function.isDeclaration() && (convention == llvm::CallingConv::PTX_Kernel ||
                                       convention == llvm::CallingConv::AMDGPU_KERNEL);
}

// The line that a reader of the kernel's file knows: calls into headers are
// reported where the kernel's file makes them.
llvm::DebugLoc visibleLocation(const llvm::DILocation *location, const llvm::Function &function) {
  const llvm::DISubprogram *own = function.getSubprogram();
  while (location && own && location->getInlinedAt() &&
         location->getFile()->getFilename() != own->getFile()->getFilename())
    location = location->getInlinedAt();
  return location;
}

} // namespace

// Index of the line, or 0 when there is none.
uint32_t Decoder::locate(const llvm::DebugLoc &place, const llvm::Function &function) {
  const llvm::DebugLoc location = visibleLocation(place, function);
  if (!location)
    return 0;
  const std::string file = llvm::sys::path::filename(location->getFilename()).str();
  auto [entry, added] = locations_.try_emplace(file + ":" + std::to_string(location.getLine()),
                                               program_->locations.size());
  if (added)
    program_->locations.push_back({file, location.getLine()});
  return entry->second;
}

// Numbers the loops by header. How often one can run at most, whatever the launch,
// is asked of scalar evolution.
void Decoder::findLoops(const llvm::Function &function) {
  auto &code = const_cast<llvm::Function &>(function);
  dominators_.recalculate(code);
  loops_.releaseMemory();
  loops_.analyze(dominators_);
  headers_.clear();
  if (loops_.empty())
    return;
  const llvm::TargetLibraryInfoImpl names(llvm::Triple(module_.getTargetTriple()));
  llvm::TargetLibraryInfo library(names);
  llvm::AssumptionCache assumptions(code);
  llvm::ScalarEvolution evolution(code, library, assumptions, dominators_, loops_);
  for (llvm::Loop *loop : loops_.getLoopsInPreorder()) {
    headers_[loop->getHeader()] = uint32_t(program_->loops.size());
    const llvm::BasicBlock *latch = loop->getLoopLatch();
    program_->loops.push_back({locate(loop->getStartLoc(), function),
                               evolution.getSmallConstantMaxTripCount(loop),
                               !latch || !loop->isLoopExiting(latch)});
  }
}

// CUDA's __assertfail is not declared to never return.
static bool failsAssertion(const llvm::BasicBlock &block) {
  return llvm::any_of(block, [](const llvm::Instruction &instruction) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && isAssertionCall(callee->getName());
  });
}

// A branch that a bounds check may have become: not one that repeats, leaves or
// enters a loop, and not an assertion.
bool Decoder::isGuard(const llvm::BranchInst &branch) const {
  const llvm::BasicBlock *block = branch.getParent();
  const llvm::Loop *loop = loops_.getLoopFor(block);
  if (loop && loop->isLoopExiting(block))
    return false;
  for (const llvm::BasicBlock *next : llvm::successors(block)) {
    if (llvm::isa<llvm::UnreachableInst>(next->getTerminator()) || failsAssertion(*next))
      return false;
    const llvm::BasicBlock *only = next->getSingleSuccessor();
    for (const llvm::BasicBlock *target : {next, only}) {
      const auto header = target ? headers_.find(target) : headers_.end();
      if (header == headers_.end() || loops_.getLoopFor(target)->contains(block))
        continue;
      // `for` tests once before it begins, on its own line.
      const uint32_t line =
          const_cast<Decoder *>(this)->locate(branch.getDebugLoc(), *block->getParent());
      if (line == 0 || line == program_->loops[header->second].location)
        return false;
    }
  }
  return true;
}

void Decoder::decodeFunction(const llvm::Function &function) {
  function_ = functions_[&function];
  blocks_.clear();
  uint32_t count = 0;
  for (const llvm::BasicBlock &block : function)
    blocks_[&block] = count++;
  function_->blocks.resize(count);
  // Phi registers exist before any edge writes them, and values before a use on a
  // back edge: blocks are visited so that definitions come first (layout order of
  // dominators), phis up front.
  for (const llvm::BasicBlock &block : function)
    for (const llvm::PHINode &phi : block.phis())
      freshFor(phi);
  findLoops(function);
  llvm::SmallVector<const llvm::BasicBlock *, 32> order;
  for (auto *node : llvm::depth_first(dominators_.getRootNode()))
    order.push_back(node->getBlock());
  for (const llvm::BasicBlock *block : order) {
    Block &decoded = function_->blocks[blocks_[block]];
    decoded.begin = uint32_t(function_->ops.size());
    if (block == order.front() && isKernel(function))
      ownParameters(function);
    for (const Instruction &instruction : *block) {
      if (llvm::isa<llvm::PHINode>(instruction) || instruction.isTerminator())
        continue;
      if (const uint32_t line = locate(instruction.getDebugLoc(), function))
        location_ = line;
      decodeInstruction(instruction);
      if (!error_.empty())
        return;
    }
    decoded.end = uint32_t(function_->ops.size());
  }
  nestLoops(function);
  // Edges last, when every incoming value has its registers.
  const Reconvergence reconvergence(function);
  for (const llvm::BasicBlock *block : order) {
    Block &decoded = function_->blocks[blocks_[block]];
    decodeTerminator(*block->getTerminator(), decoded);
    if (const llvm::BasicBlock *meet = reconvergence.of(block))
      decoded.reconverge = blocks_[meet];
  }
}

// Loops of the IR; their line is that of the loop's metadata or of its first
// instruction that has one.
void Decoder::nestLoops(const llvm::Function &function) {
  llvm::DenseMap<const llvm::Loop *, uint32_t> numbers;
  for (const llvm::Loop *loop : loops_.getLoopsInPreorder()) {
    Loop decoded;
    decoded.header = blocks_[loop->getHeader()];
    if (const llvm::Loop *parent = loop->getParentLoop())
      decoded.parent = numbers[parent];
    const Block &header = function_->blocks[decoded.header];
    if (header.begin < header.end)
      decoded.location = function_->ops[header.begin].location;
    if (const uint32_t line = locate(loop->getStartLoc(), function))
      decoded.location = line;
    numbers[loop] = uint32_t(function_->loops.size());
    function_->loops.push_back(decoded);
  }
  for (const llvm::BasicBlock &block : function)
    if (const llvm::Loop *loop = loops_.getLoopFor(&block))
      function_->blocks[blocks_[&block]].loop = numbers[loop];
}

Edge Decoder::makeEdge(const llvm::BasicBlock &from, const llvm::BasicBlock &to) {
  Edge edge;
  edge.target = blocks_[&to];
  if (const auto header = headers_.find(&to); header != headers_.end()) {
    edge.loop = header->second;
    edge.repeats = loops_.getLoopFor(&to)->contains(&from);
  }
  llvm::DenseSet<uint32_t> written;
  for (const llvm::PHINode &phi : to.phis()) {
    const llvm::Value *incoming = phi.getIncomingValueForBlock(&from);
    const Regs source = value(incoming), target = values_[&phi];
    const Leaves leaves = flatten(phi.getType());
    for (size_t i = 0; i < leaves.size(); ++i) {
      edge.copies.push_back({source[i], target[i], leaves[i].scalar.wide()});
      edge.parallel |= written.count(source[i].meta) != 0;
      written.insert(target[i].meta);
    }
  }
  return edge;
}

void Decoder::decodeTerminator(const Instruction &instruction, Block &block) {
  Terminator &terminator = block.terminator;
  terminator.location = locate(instruction.getDebugLoc(), *instruction.getFunction());
  const llvm::BasicBlock &from = *instruction.getParent();
  if (auto *ret = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
    terminator.kind = Terminator::Return;
    if (const llvm::Value *result = ret->getReturnValue()) {
      const Regs regs = value(result);
      for (size_t i = 0; i < regs.size(); ++i)
        terminator.returned.push_back(
            {regs[i], function_->results[i], function_->resultTypes[i].wide()});
    }
    return;
  }
  if (llvm::isa<llvm::UnreachableInst>(instruction))
    return;
  if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&instruction)) {
    if (branch->isUnconditional()) {
      terminator.kind = Terminator::Branch;
      terminator.edges.push_back(makeEdge(from, *branch->getSuccessor(0)));
      return;
    }
    terminator.kind = Terminator::Switch;
    terminator.condition = scalarValue(branch->getCondition());
    terminator.twoWay = true;
    terminator.cases.push_back(1);
    terminator.edges.push_back(makeEdge(from, *branch->getSuccessor(1)));
    terminator.edges.push_back(makeEdge(from, *branch->getSuccessor(0)));
    if (isGuard(*branch) && !llvm::isa<llvm::Constant>(branch->getCondition())) {
      terminator.guard = uint32_t(program_->guards.size());
      program_->guards.push_back({terminator.location});
    }
    return;
  }
  if (auto *choice = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
    terminator.kind = Terminator::Switch;
    terminator.condition = scalarValue(choice->getCondition());
    terminator.wideCondition = scalarOf(choice->getCondition()->getType()).wide();
    terminator.edges.push_back(makeEdge(from, *choice->getDefaultDest()));
    for (auto &option : choice->cases()) {
      terminator.cases.push_back(option.getCaseValue()->getZExtValue());
      terminator.edges.push_back(makeEdge(from, *option.getCaseSuccessor()));
    }
    return;
  }
  fail("terminator " + llvm::Twine(instruction.getOpcodeName()) + " is not supported");
}

namespace {

// gfx10 and later run waves of 32 lanes unless told otherwise.
unsigned lanesOf(const llvm::Function &kernel, llvm::StringRef arch) {
  const llvm::StringRef features = kernel.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+wavefrontsize64"))
    return 64;
  if (features.contains("+wavefrontsize32"))
    return 32;
  return arch.starts_with("gfx1") ? 32 : 64;
}

} // namespace

llvm::Expected<std::unique_ptr<Program>> Decoder::decode(const llvm::Function &kernel) {
  program_ = std::make_unique<Program>();
  const llvm::Triple triple(module_.getTargetTriple());
  if (!triple.isNVPTX() && !triple.isAMDGPU())
    return llvm::createStringError("target '" + triple.str() + "' is neither nvptx64 nor amdgcn");
  program_->target = triple.isNVPTX() ? Target::Nvptx : Target::Amdgcn;
  program_->arch = kernel.getFnAttribute("target-cpu").getValueAsString().str();
  program_->lanes = triple.isNVPTX() ? 32 : lanesOf(kernel, program_->arch);
  program_->implicitArguments = fresh({64});
  // All of the module's variables, so that its kernels agree on their addresses.
  for (const llvm::GlobalVariable &global : module_.globals())
    if (spaceOf(global.getAddressSpace()) != Space::Shared &&
        !global.getName().starts_with("llvm."))
      addressOf(&global);
  llvm::SmallVector<const llvm::Function *, 8> path;
  if (collect(kernel, path)) {
    declareFunction(kernel); // first
    llvm::SmallVector<const llvm::Function *, 8> all;
    for (auto &entry : functions_)
      all.push_back(entry.first);
    llvm::sort(all, [](const llvm::Function *a, const llvm::Function *b) {
      return a->getName() < b->getName();
    });
    for (const llvm::Function *function : all)
      if (function != &kernel)
        declareFunction(*function);
    placeShared(all);
    describeParameters(kernel);
    for (const llvm::Function *function : all) {
      if (!error_.empty())
        break;
      decodeFunction(*function);
    }
  }
  if (!error_.empty())
    return llvm::createStringError(llvm::demangle(kernel.getName()) + ": " + error_);
  program_->globalBytes += 512;
  program_->privateBytes = (program_->privateBytes + 15) / 16 * 16;
  return std::move(program_);
}

std::vector<std::string> kernelNames(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (isKernel(function))
      names.push_back(kernelName(function.getName()));
  return names;
}

llvm::Expected<const llvm::Function *> findKernel(const llvm::Module &module,
                                                  llvm::StringRef name) {
  const std::string demangled = llvm::demangle(name);
  const bool isMangled = demangled != name;
  const std::string comparable = comparableName(isMangled ? demangled : name.str());
  // That agree; and of a template's name without arguments.
  llvm::SmallVector<const llvm::Function *, 2> found, templates;
  for (const llvm::Function &function : module) {
    if (!isKernel(function))
      continue;
    const std::string own = kernelName(function.getName()),
                      whole = llvm::demangle(function.getName());
    if (function.getName() == name || isSpelled(own, name) || isSpelled(whole, name))
      return &function;
    const std::string agrees = comparableName(own);
    if ((!isMangled && agrees == comparable) || comparableName(whole) == comparable)
      found.push_back(&function);
    if (llvm::StringRef(agrees).split('<').first == comparable)
      templates.push_back(&function);
  }
  if (found.empty())
    found = templates;
  if (found.size() == 1)
    return found.front();
  std::string known;
  for (const std::string &kernel : kernelNames(module))
    known += (known.empty() ? "" : ", ") + kernel;
  if (known.empty())
    known = "none";
  return llvm::createStringError((found.empty() ? "no kernel '" : "several kernels '") + name +
                                 "' in " + module.getSourceFileName() + " (kernels: " + known +
                                 ")");
}

} // namespace layout_port::verify
