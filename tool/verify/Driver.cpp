// lp-verify: the verify command as a program of its own.
#include "../commands/Verify.h"

int main(int argc, const char **argv) {
  return layout_port::commands::verify({argv, size_t(argc)});
}
