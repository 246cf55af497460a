// `layout-port layout show`: one layout as matrix, table and CuTe string, as JSON, or
// as a picture.
#include "Commands.h"
#include "Json.h"

#include "layout_port/layouts/Cute.h"
#include "layout_port/layouts/Draw.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port::layout_command {

namespace {

constexpr Option table[] = {{"encode", 2},  {"shape", 1}, {"swizzle", 1}, {"arch", 1},
                            {"operand", 1}, {"wave", 1},  {"svg", 1},     {"json", 0}};

// A CuTe layout on the command line is the picture that CuTe's own tools print: the
// coordinate (row, col) down and across, and in each cell the offset. So its two top
// modes are the out-dims, and the offset is what is looked up.
struct Subject {
  std::string title;
  LinearLayout layout;
};

Result<Subject> encoded(const Options &options) {
  const std::string family = options.value("encode"), params = options.value("encode", "", 1);
  const std::string shape = options.value("shape");
  Result<LinearLayout> layout =
      layoutNamed(family + " " + params + " " + shape, "", options.value("arch"), 0);
  if (!layout)
    return layout.error();
  return Subject{family + " " + params + " on " + shape, std::move(*layout)};
}

Result<Subject> named(const Options &options) {
  std::string name = options.words()[0];
  if (options.has("swizzle"))
    name = "Sw<" + options.value("swizzle") + "> o 0 o " + name;
  int wave = 0;
  llvm::StringRef(options.value("wave", "0")).getAsInteger(10, wave);
  Result<LinearLayout> layout =
      layoutNamed(name, options.value("operand"), options.value("arch"), wave);
  if (!layout)
    return layout.error();
  const std::string operand = options.value("operand");
  return Subject{operand.empty() ? name : name + "." + operand, std::move(*layout)};
}

// Two modes of a CuTe layout become rows and columns: the first mode's bits are the
// lowest input bits. What is drawn is the inverse, (row, col) -> offset.
Result<LinearLayout> drawable(const Subject &subject) {
  const LinearLayout &layout = subject.layout;
  if (layout.inIndex("index") != 0 || !layout.isInvertible())
    return layout;
  const Result<cute::Function> function = cute::parseFunction(subject.title);
  if (!function)
    return layout;
  const cute::Layout *inner = function->layout();
  if (!inner && function->composed())
    inner = function->composed()->inner.layout();
  if (!inner || inner->rank() != 2)
    return layout;
  const Result<LinearLayout> inverse = layout.invert();
  if (!inverse)
    return inverse.error();
  return inverse->reshapeOuts({{"row", static_cast<uint64_t>(inner->mode(0).size())},
                               {"col", static_cast<uint64_t>(inner->mode(1).size())}});
}

int print(const Subject &subject, const LinearLayout &drawn) {
  llvm::outs() << subject.title << "\n\n" << draw::matrix(subject.layout) << "\n";
  const Result<std::string> table = draw::table(drawn);
  llvm::outs() << (table ? *table : "(" + table.error().message + ")\n") << "\n";
  const Result<cute::Function> cute = cute::linearToCute(subject.layout);
  llvm::outs() << "CuTe: " << (cute ? cute->toString() : "none (" + cute.error().message + ")")
               << "\n";
  return 0;
}

} // namespace

int show(llvm::ArrayRef<const char *> args) {
  const Result<Options> options = Options::parse(args, table);
  if (!options)
    return usageError(options.error());
  if (options->has("encode") != options->words().empty() || options->words().size() > 1)
    return usageError(Error{"show takes one NAME, or --encode FAMILY PARAMS --shape SHAPE"});
  const Result<Subject> subject = options->has("encode") ? encoded(*options) : named(*options);
  if (!subject)
    return noAnswer(subject.error());
  if (options->has("json")) {
    llvm::outs() << wire::toJson(subject->layout) << "\n";
    return 0;
  }
  const Result<LinearLayout> drawn = drawable(*subject);
  if (!drawn)
    return noAnswer(drawn.error());
  if (!options->has("svg"))
    return print(*subject, *drawn);
  const Result<std::string> picture = draw::svg(*drawn, subject->title);
  if (!picture)
    return noAnswer(picture.error());
  const Result<bool> written = writeFile(options->value("svg"), *picture);
  return written ? 0 : noAnswer(written.error());
}

} // namespace layout_port::layout_command
