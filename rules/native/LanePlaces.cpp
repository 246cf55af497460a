#include "native/LanePlaces.h"

#include "recover/Sites.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace layout_port::native {

std::optional<uint64_t> LanePlaces::at(unsigned lane, unsigned pair,
                                       const std::map<std::string, uint64_t> &turns) const {
  uint64_t flat = 0;
  int offset = 0;
  for (size_t v = 0; v < form_.inputs.size(); ++v) {
    const auto turn = turns.find(form_.dims[v].name);
    const uint64_t value = form_.inputs[v] == lane_   ? lane
                           : form_.inputs[v] == pair_ ? pair
                           : turn == turns.end()      ? 0
                                                      : turn->second;
    if (value >> form_.dims[v].bits)
      return std::nullopt;
    flat |= value << offset;
    offset += form_.dims[v].bits;
  }
  return form_.at(flat);
}

namespace {

using recover::MemorySite;

bool isLoadOf(const MemorySite &site, const LoadSite &load) {
  return (site.line == load.line || site.innerLine == load.line) &&
         llvm::StringRef(site.what).starts_with("ldmatrix") && site.place.object &&
         site.place.object->space == recover::Space::Shared;
}

// Two sites at the line differ: which is meant is not known.
const MemorySite *siteOf(const recover::KernelSites &sites, const LoadSite &load) {
  const MemorySite *found = nullptr;
  for (const MemorySite &site : sites.memory)
    if (isLoadOf(site, load)) {
      if (found && found->place.offset != site.place.offset)
        return nullptr;
      found = &site;
    }
  return found;
}

} // namespace

void findPlaces(clang::ASTContext &context, const clang::FunctionDecl &launched,
                const clang::FunctionDecl &function, Kernel &kernel) {
  if (llvm::all_of(kernel.loads, [](const LoadSite &load) { return load.isGathered(); }))
    return;
  recover::KernelWalk walk(context, &function, recover::findBlockShape(context, &launched));
  const recover::KernelSites sites = recover::findSites(walk, context);
  const recover::ThreadVariables &threads = walk.threads();
  for (LoadSite &load : kernel.loads) {
    const MemorySite *site = load.isGathered() ? nullptr : siteOf(sites, load);
    if (!site)
      continue;
    std::vector<recover::VariableId> over = {threads.lane, threads.pair};
    for (const recover::LoopScope &loop : site->control.loops)
      if (walk.graph().variableAt(loop.variable).isFinite())
        over.push_back(loop.variable);
    const recover::Form form = recover::classify(walk.graph(), site->place.offset, over);
    if (form.kind != recover::FormKind::Unknown && form.strided.empty())
      load.places = std::make_shared<LanePlaces>(form.number, threads.lane, threads.pair);
  }
}

} // namespace layout_port::native
