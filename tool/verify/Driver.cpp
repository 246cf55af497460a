// lp-verify: the verify command as a program of its own.
#include "../commands/Verify.h"

int main(int argc, const char **argv) {
  return layout_port::commands::verify({argv + 1, size_t(argc - 1)}, argv[0]);
}
