// Whole kernels in IEEE arithmetic against plain loops: the machine computes what a
// GPU would, not merely the same thing twice.
#include "proof/Run.h"

#include <gtest/gtest.h>

#include <cmath>

namespace layout_port::verify {
namespace {

class Kernel {
public:
  // All buffers are made outputs, so that the test can see the inputs.
  explicit Kernel(const std::string &name) {
    const std::string base = std::string(KERNEL_FOLDER) + "/" + name;
    llvm::Expected<LaunchFile> file = readLaunchFile(base + ".yaml");
    llvm::Expected<CompiledModule> module = compileDevice(base + ".cu", CompileOptions());
    if (!file || !module) {
      ADD_FAILURE() << llvm::toString(
          llvm::joinErrors(file ? llvm::Error::success() : file.takeError(),
                           module ? llvm::Error::success() : module.takeError()));
      return;
    }
    file_ = *file;
    for (BufferSpec &buffer : file_.buffers)
      buffer.out = true;
    Side side(std::move(*module), false);
    RunOptions options;
    options.domain = Domain::Float;
    result_ = side.run(file_, options);
    EXPECT_EQ(result_.error, "");
  }
  double operator()(const std::string &name, size_t index) const {
    const BufferSpec &spec = *file_.find(name);
    uint64_t bits = 0;
    std::memcpy(&bits, result_.buffers.at(name).bytes.data() + index * spec.type.bytes,
                spec.type.bytes);
    if (spec.type.isFloat())
      return decodeFloat(spec.type.format, bits);
    const unsigned shift = 64 - 8 * spec.type.bytes;
    return spec.type.isSigned ? double(int64_t(bits << shift) >> shift) : double(bits);
  }

private:
  LaunchFile file_;
  RunResult result_;
};

TEST(Kernels, GemmMultiplies) {
  const Kernel k("gemm_f16");
  for (size_t row = 0; row < 48; ++row)
    for (size_t col = 0; col < 64; ++col) {
      double sum = 0;
      for (size_t i = 0; i < 96; ++i)
        sum += k("A", row * 96 + i) * k("B", i * 64 + col);
      ASSERT_NEAR(k("C", row * 64 + col), sum * 0.75 + 0.5, 1e-4) << row << " " << col;
    }
}

TEST(Kernels, AttentionIsSoftmaxTimesValues) {
  const Kernel k("attention");
  for (size_t row = 0; row < 64; ++row) {
    double weight[48], total = 0;
    for (size_t key = 0; key < 48; ++key) {
      double score = 0;
      for (size_t d = 0; d < 16; ++d)
        score += k("Q", row * 16 + d) * k("K", key * 16 + d);
      total += weight[key] = std::exp(score);
    }
    for (size_t d = 0; d < 16; ++d) {
      double sum = 0;
      for (size_t key = 0; key < 48; ++key)
        sum += weight[key] * k("V", d * 48 + key);
      ASSERT_NEAR(k("O", row * 16 + d), sum / total, 2e-3) << row << " " << d;
    }
  }
}

TEST(Kernels, Int8GemmRequantises) {
  const Kernel k("gemm_s8");
  for (size_t row = 0; row < 32; ++row)
    for (size_t col = 0; col < 32; ++col) {
      double sum = 0;
      for (size_t i = 0; i < 96; ++i)
        sum += k("A", row * 96 + i) * k("B", col * 96 + i);
      ASSERT_EQ(k("C", row * 32 + col), sum);
      ASSERT_EQ(k("P", row * 32 + col), std::fmin(std::fmax(std::floor(sum / 128) + 128, 0), 255));
    }
}

TEST(Kernels, RowsAreSummed) {
  const Kernel k("reduction");
  for (size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (size_t col = 0; col < 665; ++col)
      sum += k("D", row * 665 + col);
    ASSERT_NEAR(k("S", row), sum, 1e-4);
  }
}

TEST(Kernels, ScanIsAPrefixSumPerBlock) {
  const Kernel k("scan");
  double sum = 0;
  for (size_t i = 0; i < 333; ++i) {
    sum = (i % 128 ? sum : 0) + k("I", i);
    ASSERT_NEAR(k("O", i), sum, 1e-5) << i;
  }
}

TEST(Kernels, TransposeTransposes) {
  const Kernel k("transpose");
  for (size_t row = 0; row < 60; ++row)
    for (size_t col = 0; col < 52; ++col)
      ASSERT_EQ(k("O", col * 60 + row), k("I", row * 52 + col));
}

} // namespace
} // namespace layout_port::verify
