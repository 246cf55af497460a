// Launch files: what they may say, and what is said of a wrong one.
#include "launch/LaunchFile.h"

#include <gtest/gtest.h>

namespace layout_port::verify {
namespace {

std::string errorOf(const std::string &text) {
  llvm::Expected<LaunchFile> file = parseLaunchFile(text, "L.yaml");
  return file ? "" : llvm::toString(file.takeError());
}

TEST(LaunchFile, ReadsBuffersAndLaunches) {
  llvm::Expected<LaunchFile> file = parseLaunchFile(
      "buffers:\n"
      "  A: {type: f16, count: 8192}\n"
      "  I: {type: i32, count: 4, init: index, below: 7}\n"
      "  C: {type: f32, count: 16, init: zero, out: true}\n"
      "launches:\n"
      "  - {kernel: \"ns::k<float, 4>\", kernel_hip: k2, grid: [2, 3], block: [128], shared: 256,\n"
      "     args: [A, {i32: -5}, {f32: 0.5}, {buffer: C, offset: 16}, null, {bytes: \"0aff\"},\n"
      "     {struct: [A, {i32: 7}, {struct: [{f32: 2}]}]}]}\n",
      "L.yaml");
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(file->buffers.size(), 3u);
  EXPECT_EQ(file->find("A")->bytes(), 16384u);
  EXPECT_EQ(file->find("I")->below, 7u);
  EXPECT_TRUE(file->find("C")->out);
  const LaunchSpec &launch = file->launches[0];
  EXPECT_EQ(launch.kernel, "ns::k<float, 4>");
  EXPECT_EQ(launch.kernelHip, "k2");
  EXPECT_EQ(launch.grid[1], 3u);
  EXPECT_EQ(launch.shared, 256u);
  ASSERT_EQ(launch.args.size(), 7u);
  EXPECT_EQ(int32_t(launch.args[1].integer), -5);
  EXPECT_EQ(launch.args[2].number, 0.5);
  EXPECT_EQ(launch.args[3].offset, 16u);
  EXPECT_EQ(launch.args[4].kind, ArgumentSpec::Null);
  EXPECT_EQ(launch.args[5].bytes, (std::vector<uint8_t>{0x0a, 0xff}));
  const ArgumentSpec &members = launch.args[6];
  EXPECT_EQ(members.kind, ArgumentSpec::Struct);
  ASSERT_EQ(members.members.size(), 3u);
  EXPECT_EQ(members.members[0].buffer, "A");
  EXPECT_EQ(members.members[1].integer, 7u);
  EXPECT_EQ(members.members[2].members[0].number, 2.0);
}

TEST(LaunchFile, MistakesAreNamed) {
  EXPECT_EQ(errorOf("launches: []"), "L.yaml: no launches");
  EXPECT_EQ(errorOf("buffers: {A: {type: f17, count: 1}}"),
            "L.yaml: buffer 'A': unknown type 'f17'");
  EXPECT_EQ(errorOf("buffers: {A: {type: f16, count: 0}}"),
            "L.yaml: buffer 'A': count must be a positive number");
  EXPECT_EQ(errorOf("buffers: {A: {type: f16, cuont: 1}}"),
            "L.yaml: buffer 'A': unknown key 'cuont'");
  EXPECT_EQ(errorOf("launches: [{kernel: k, grid: [1], block: [1], args: [Z]}]"),
            "L.yaml: argument 'Z' is no buffer (write a scalar as {i32: 1})");
  EXPECT_EQ(errorOf("launches: [{kernel: k, grid: [1], block: [1], args: [{struct: [Z]}]}]"),
            "L.yaml: argument 'Z' is no buffer (write a scalar as {i32: 1})");
  EXPECT_EQ(errorOf("launches: [{kernel: k, grid: [1], block: [1], args: [{struct: 1}]}]"),
            "L.yaml: struct is a list of its members, written like arguments");
  EXPECT_EQ(errorOf("launches: [{kernel: k, grid: [1, 1, 1, 1], block: [1]}]"),
            "L.yaml: grid is a list of one to three numbers");
  EXPECT_NE(errorOf("a: [1").find("L.yaml: "), std::string::npos);
  EXPECT_NE(errorOf(""), "");
}

} // namespace
} // namespace layout_port::verify
