#include "recover/Explain.h"

#include "recover/Sites.h"

#include "layout_port/layouts/Banks.h"
#include "layout_port/layouts/Draw.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/PrettyPrinter.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace clang;

namespace layout_port::recover {

namespace {

std::string indented(const std::string &text, const std::string &by) {
  std::string result;
  for (llvm::StringRef rest = text; !rest.empty();) {
    const auto [line, more] = rest.split('\n');
    result += line.empty() ? "\n" : by + line.str() + "\n";
    rest = more;
  }
  return result;
}

// 36 * row + col, from the weights of the bits; a run of doublings is one stride.
std::string integerText(const StridedMap &map) {
  std::string text;
  const auto add = [&](const std::string &term) { text += (text.empty() ? "" : " + ") + term; };
  const IndexType type{uint8_t(map.width), true};
  for (const StridedField &field : map.fields)
    for (size_t bit = 0; bit < field.weights.size();) {
      const uint64_t weight = field.weights[bit];
      size_t end = bit + 1;
      while (end < field.weights.size() && weight &&
             normalize(field.weights[end], type) == normalize(weight << (end - bit), type))
        ++end;
      if (weight) {
        const std::string by = std::to_string(int64_t(normalize(weight, type)));
        const bool whole = bit == 0 && end == field.weights.size();
        add(by + " * " + field.name +
            (whole ? ""
                   : "[" + std::to_string(bit) +
                         (end - bit > 1 ? ".." + std::to_string(end - 1) : "") + "]"));
      }
      bit = end;
    }
  if (map.base || text.empty())
    add(std::to_string(int64_t(normalize(map.base, type))));
  return text;
}

// Without inputs that do not matter, which would only be empty columns.
LinearLayout essential(const LinearLayout &layout) {
  LinearLayout::Names kept;
  for (const LayoutDim &dim : layout.ins())
    if (!layout.sublayoutIsZero({dim.name}, {"index"}))
      kept.push_back(dim.name);
  const auto part = layout.sublayout(kept, {"index"});
  return part ? *part : layout;
}

std::string affineText(const AffineLayout &affine) {
  std::string text = draw::matrix(essential(affine.linear));
  if (affine.constant)
    text += "^ " + std::to_string(affine.constant) + "\n";
  return text;
}

std::string numericText(const NumericForm &form) {
  if (form.kind == FormKind::AffineF2 && form.isConstant())
    return std::to_string(int64_t(normalize(form.affine->constant, {uint8_t(form.width), true}))) +
           "\n";
  switch (form.kind) {
  case FormKind::AffineF2:
    return affineText(*form.affine);
  case FormKind::AffineInt:
    return integerText(*form.strided) + "\n";
  case FormKind::Piecewise: {
    std::string text;
    for (const Piece &piece : form.pieces) {
      std::string when;
      int offset = 0;
      for (const LayoutDim &dim : form.dims) {
        for (int i = 0; i < dim.bits; ++i)
          if (piece.mask >> (offset + i) & 1)
            when += (when.empty() ? "" : ", ") + dim.name + "[" + std::to_string(i) +
                    "] = " + std::to_string(piece.value >> (offset + i) & 1);
        offset += dim.bits;
      }
      text +=
          "where " + when + ":\n" +
          indented(piece.strided ? integerText(*piece.strided) + "\n" : affineText(*piece.affine),
                   "  ");
    }
    return text;
  }
  case FormKind::Table:
    return "no formula: a table of " + std::to_string(form.table->size()) + " values\n";
  case FormKind::Unknown:
    return form.reason + "\n";
  }
  return "";
}

class Explainer {
public:
  Explainer(ASTContext &context, const FunctionDecl *kernel, unsigned line)
      : context_(context), kernel_(kernel), line_(line), walk_(context, kernel),
        graph_(walk_.graph()), sites_(findSites(walk_, context)), out_(text_) {}

  std::string run() {
    section("memory", [&] {
      for (const MemorySite &site : sites_.memory)
        if (wanted(site.line, site.innerLine) &&
            !(site.place.object && site.place.object->space == Space::Constant))
          memory(site);
    });
    section("matrix products", [&] {
      for (const MatrixSite &site : sites_.matrices)
        if (wanted(site.line, site.innerLine))
          matrix(site);
    });
    section("shuffles", [&] {
      for (const auto &[site, control] : sites_.shuffles)
        if (wanted(site.line, lineOf(site.call)))
          shuffle(site, control);
    });
    section("control flow", [&] {
      for (const auto &[site, control] : sites_.branches)
        if (wanted(site.line, lineOf(site.at)))
          branch(site, control);
    });
    out_.flush();
    if (line_ && text_.empty())
      return "";
    return heading() + text_;
  }

private:
  unsigned lineOf(SourceLocation loc) const {
    const SourceManager &sm = context_.getSourceManager();
    return sm.getPresumedLoc(sm.getExpansionLoc(loc)).getLine();
  }
  unsigned lineOf(const Stmt *s) const { return lineOf(s->getBeginLoc()); }

  bool wanted(unsigned line, unsigned inner) const {
    return !line_ || line == line_ || inner == line_;
  }

  std::string heading() const {
    std::string name;
    llvm::raw_string_ostream(name) << "kernel ";
    llvm::raw_string_ostream stream(name);
    kernel_->getNameForDiagnostic(stream, PrintingPolicy(context_.getLangOpts()), true);
    stream << ", line " << lineOf(kernel_->getLocation()) << "\n";
    for (const std::string &note : walk_.block().notes)
      stream << "  " << note << "\n";
    if (!walk_.problem().empty())
      stream << "  " << walk_.problem() << "\n";
    return name;
  }

  template <typename F> void section(const char *title, F body) {
    out_.flush();
    const size_t before = text_.size();
    body();
    out_.flush();
    if (text_.size() > before)
      text_.insert(before, std::string("\n  ") + title + "\n");
  }

  // One line once: what loops and instantiations repeat says nothing new.
  bool isNew(const std::string &text) { return said_.insert(text).second; }

  void memory(const MemorySite &site) {
    const Object *object = site.place.object;
    std::string head = "line " + std::to_string(site.line) + ": " + site.what + ", " +
                       std::to_string(site.bytes) + " bytes, " +
                       (object ? std::string(name(object->space)) + " " + object->name
                               : "memory of unknown origin");
    std::string body;
    if (!site.registers.empty() && site.registers[0].place.object)
      body += "registers " + placeText(site.registers[0].place) + "\n";
    if (!site.place.address && !object)
      body += "address not followed\n";
    else
      body += addressText(site);
    body += controlText(site.control);
    if (isNew(head + body))
      out_ << "    " << head << "\n" << indented(body, "      ");
  }

  std::string placeText(const Place &place) {
    if (!place.object)
      return "?";
    return place.object->name + "[byte " + graph_.toString(place.offset) + "]";
  }

  std::string addressText(const MemorySite &site) {
    const Index offset = site.place.object ? site.place.offset : site.place.address;
    const Form form = classify(graph_, offset, threadsOf(offset));
    std::string text = "offset " + std::string(name(form.kind));
    if (form.kind == FormKind::Unknown)
      return text + ": " + form.reason + "\n";
    const Index zero = graph_.constant(0, form.uniform->type);
    if (form.uniform != zero)
      text += ", plus uniform " + graph_.toString(form.uniform);
    text += "\n" + indented(numericText(form.number), "  ");
    for (const StridedTerm &term : form.strided)
      text += "plus " + graph_.toString(term.stride) + " times\n" +
              indented(numericText(term.form), "  ");
    const unsigned base = site.place.object ? site.place.object->address->zeroBits : 64;
    const unsigned zeros = std::min({knownZeroBits(graph_, offset), base, 10u});
    text += "aligned to " + std::to_string(1u << zeros) + (zeros ? " bytes" : " byte") +
            pairText(offset) + "\n";
    for (const Assumption &a : form.assumptions)
      text += "assumed: " + toString(graph_, a) + "\n";
    if (site.place.object && site.place.object->space == Space::Shared && form.strided.empty())
      text += bankText(site, form.number);
    return text;
  }

  std::string pairText(Index offset) {
    if (graph_.variableAt(walk_.threads().pair).size < 2)
      return "";
    return dependsOn(graph_, offset, walk_.threads().pair) ? "; the two warps of a wave differ"
                                                           : "; the same for both warps of a wave";
  }

  // Lane and pair first; what else the lanes' part depends on joins by itself.
  std::vector<VariableId> threadsOf(Index e) const {
    std::vector<VariableId> all = {walk_.threads().lane, walk_.threads().pair,
                                   walk_.threads().wave};
    for (const VariableId v : e->support)
      if (graph_.variableAt(v).isFinite() && std::find(all.begin(), all.end(), v) == all.end())
        all.push_back(v);
    return all;
  }

  static std::string instructionFor(const MemorySite &site) {
    const std::string kind = site.isWrite ? "ds_write_" : "ds_read_";
    switch (site.bytes) {
    case 1:
      return kind + (site.isWrite ? "b8" : "u8");
    case 2:
      return kind + (site.isWrite ? "b16" : "u16");
    case 4:
      return kind + "b32";
    case 8:
      return kind + "b64";
    case 16:
      return kind + "b128";
    default:
      return "";
    }
  }

  // The worst over a few values of the loops and waves; over all of them when the address
  // is affine, where a constant XORed on changes nothing.
  std::string bankText(const MemorySite &site, const NumericForm &form) {
    const std::string instruction = instructionFor(site);
    if (instruction.empty() || form.kind == FormKind::Unknown)
      return "";
    int restBits = 0;
    for (size_t v = 0; v < form.inputs.size(); ++v)
      if (form.inputs[v] != walk_.threads().lane && form.inputs[v] != walk_.threads().pair)
        restBits += form.dims[v].bits;
    constexpr int tried = 6;
    const uint64_t rounds =
        form.kind == FormKind::AffineF2 ? 1 : uint64_t(1) << std::min(restBits, tried);
    std::string text;
    for (const isa::Arch arch : {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950}) {
      std::optional<BankReport> worst;
      for (uint64_t rest = 0; rest < rounds; ++rest) {
        LaneAddresses lanes;
        for (const uint64_t address : waveAddresses(form, walk_.threads(), rest))
          lanes.push_back(unsigned(lanes.size() % 32) < site.lanes
                              ? std::optional<uint64_t>(address & 0x3FFFFFF)
                              : std::nullopt);
        const auto report = countBankConflicts(arch, instruction, lanes);
        if (report && (!worst || report->passes > worst->passes))
          worst = *report;
      }
      if (!worst)
        continue;
      text += (text.empty() ? "as " + instruction + ": " : ", ") +
              std::string(isa::archName(arch)) + " " + std::to_string(worst->passes) +
              " passes of at least " + std::to_string(worst->phasesUsed) + " (confidence " +
              isa::confidenceName(worst->confidence) + ")";
    }
    return text.empty() ? "" : text + "\n";
  }

  std::string controlText(const Control &control) {
    std::string text;
    for (const LoopScope &loop : control.loops) {
      const Variable &v = graph_.variableAt(loop.variable);
      text += (text.empty() ? "in loops " : ", ") + v.name +
              (v.isFinite() ? " < " + std::to_string(v.size) : "");
    }
    if (!text.empty())
      text += "\n";
    const Uniformity u = uniformityOf(walk_, control);
    if (u != Uniformity::Uniform)
      text += std::string("reached under ") + name(u) + " control flow\n";
    return text;
  }

  void matrix(const MatrixSite &site) {
    std::string body = "line " + std::to_string(site.line) + ": " + site.name + "\n";
    const auto operand = [&](const char *which, const std::vector<AsmValue> &values) {
      body += std::string("  ") + which + " ";
      std::string last;
      for (const AsmValue &value : values) {
        const std::string text = placeText(value.place);
        body += (last.empty() ? "" : ", ") + text;
        last = text;
      }
      body += "\n";
    };
    operand("D", site.d);
    operand("A", site.a);
    operand("B", site.b);
    body += indented(controlText(site.control), "  ");
    if (isNew(body))
      out_ << indented(body, "    ");
  }

  void shuffle(const ShuffleSite &site, const Control &control) {
    const Form form = classify(graph_, site.source, {walk_.threads().lane});
    std::string body = "line " + std::to_string(site.line) + ": " + site.name + ", reads lane " +
                       std::string(name(form.kind)) + "\n" +
                       indented(numericText(form.number), "  ");
    if (form.kind != FormKind::Unknown && form.uniform->isConstant() == false)
      body += "  plus uniform " + graph_.toString(form.uniform) + "\n";
    body += indented(controlText(control), "  ");
    if (isNew(body))
      out_ << indented(body, "    ");
  }

  void branch(const BranchSite &site, const Control &) {
    std::string body = "line " + std::to_string(site.line) + ": " +
                       (site.isLoop ? "loop" : "branch") + ", " + name(site.uniformity);
    if (site.condition && !site.condition->isConstant())
      body += ": " + graph_.toString(site.condition);
    if (isNew(body))
      out_ << "    " << body << "\n";
  }

  ASTContext &context_;
  const FunctionDecl *kernel_;
  unsigned line_;
  KernelWalk walk_;
  IndexGraph &graph_;
  KernelSites sites_;
  std::string text_;
  llvm::raw_string_ostream out_;
  std::set<std::string> said_;
};

} // namespace

std::string explainKernel(ASTContext &context, const FunctionDecl *kernel, unsigned line) {
  return Explainer(context, kernel, line).run();
}

} // namespace layout_port::recover
