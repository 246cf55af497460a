// lp-ptx-kernels CATEGORY: CUDA on stdout, a kernel for each spelling of the decoded rows of
// that category (`arithmetic`, `memory`, ...) that is ported, for the lit tests of test/lit/ptx.
#include "Spellings.h"

#include <cctype>
#include <iostream>

using namespace layout_port::ptx;

static void writeKernels(std::string_view category) {
  unsigned number = 0;
  for (const Opcode *row = beginOpcodes(); row != endOpcodes(); ++row) {
    if (row->status != Status::Decoded || name(row->category) != category)
      continue;
    for (const Spelled &spelled : spellingsOf(*row, /*inPairs=*/false))
      if (!unportedReason(spelled))
        std::cout << "// " << spelled.text << "\n"
                << kernelOf("k" + std::to_string(number++), bind(spelled));
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: lp-ptx-kernels CATEGORY\n";
    return 2;
  }
  std::cout << "#include <cuda_runtime.h>\n";
  writeKernels(argv[1]);
}
