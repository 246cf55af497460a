// The words after `layout-port layout`.
#include "../Layout.h"

#include "Commands.h"
#include "Serve.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port::commands {

namespace {

int runServe(llvm::ArrayRef<const char *>) {
  serve::run(stdin, stdout);
  return 0;
}

struct Subcommand {
  llvm::StringRef name;
  int (*run)(llvm::ArrayRef<const char *> args);
};

constexpr Subcommand subcommands[] = {
    {"show", layout_command::show},
    {"convert", layout_command::convert},
    {"banks", layout_command::banks},
    {"swizzle", layout_command::swizzle},
    {"retile", layout_command::retile},
    {"cute", layout_command::cute},
    {"serve", runServe},
};

constexpr char help[] =
    R"(layout-port layout: look at layouts, ask the solvers

  show LAYOUT [--operand A] [--arch A] [--wave N] [--swizzle B,M,S] [--svg FILE] [--json]
  show --encode FAMILY '{...}' --shape 16,16 [--svg FILE] [--json]
  convert SRC DST [--arch gfx942] [--bits 32] [--json]
  banks ADDRESSES --instr ds_read_b128 [--arch gfx942] [--element-bytes 1] [--json]
  swizzle SRC DST [--arch gfx942] [--bits 32] [--write-vector-bits N] [--read-vector-bits N]
  swizzle --rows N --cols N [--stride N] [--vector N] --bank-units N [--svg FILE] [--json]
  retile MMA [--arch gfx942] [--n j0,j1] [--m i0] [--k kk0] [--pair n|m|shared] [--top 10]
  cute 'composition((6,2):(8,2),(4,3):(3,1))'
  serve                       one JSON request a line, one answer a line: docs/serve.md

A LAYOUT, SRC or DST is an operand (mma.m16n8k16.f16.A, mfma.f32_16x16x16f16.D), a CuTe
layout ('(8,8):(8,1)'), JSON as serve writes it, or 'FAMILY {...} SHAPE'.
)";

} // namespace

int layout(llvm::ArrayRef<const char *> args) {
  for (const Subcommand &subcommand : subcommands)
    if (args.size() > 1 && subcommand.name == args[1])
      return subcommand.run(args.drop_front(2));
  const bool asked =
      args.size() > 1 && (llvm::StringRef(args[1]) == "--help" || llvm::StringRef(args[1]) == "-h");
  (asked ? llvm::outs() : llvm::errs()) << help;
  return asked ? 0 : 2;
}

} // namespace layout_port::commands
