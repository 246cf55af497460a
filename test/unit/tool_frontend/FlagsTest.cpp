// nvcc's flags as clang takes them.
#include "frontend/Flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

using namespace layout_port;
using testing::ElementsAre;
using testing::IsEmpty;

static std::vector<std::string> translated(const std::vector<std::string> &flags) {
  const FlagTranslation result = translateNvccFlags(flags);
  EXPECT_THAT(result.unknown, IsEmpty());
  return result.flags;
}

TEST(Flags, MacrosAndPathsAreKeptInEverySpelling) {
  EXPECT_THAT(translated({"-DA=1", "-D", "B", "--define-macro=C=2", "--define-macro", "D"}),
              ElementsAre("-DA=1", "-DB", "-DC=2", "-DD"));
  EXPECT_THAT(translated({"-Ia", "-I", "b", "-I=c", "--include-path=d", "--include-path", "e"}),
              ElementsAre("-Ia", "-Ib", "-Ic", "-Id", "-Ie"));
  EXPECT_THAT(translated({"-isystem", "a", "-isystem=b", "--system-include=c"}),
              ElementsAre("-isystem", "a", "-isystem", "b", "-isystem", "c"));
  EXPECT_THAT(translated({"-UX", "--pre-include", "p.h", "-include", "q.h"}),
              ElementsAre("-UX", "-include", "p.h", "-include", "q.h"));
}

TEST(Flags, TheLanguageIsKept) {
  EXPECT_THAT(translated({"--std=c++17"}), ElementsAre("-std=c++17"));
  EXPECT_THAT(translated({"-std", "c++20"}), ElementsAre("-std=c++20"));
  EXPECT_THAT(translated({"--use_fast_math", "-fno-exceptions"}),
              ElementsAre("-ffast-math", "-fno-exceptions"));
}

TEST(Flags, ArchitecturesStagesAndOutputsAreDropped) {
  EXPECT_THAT(translated({"-arch=sm_80",
                          "-arch",
                          "sm_90",
                          "-gencode",
                          "arch=compute_80,code=sm_80",
                          "--generate-code=arch=compute_80",
                          "-code=sm_80",
                          "-rdc=true",
                          "-rdc",
                          "true",
                          "-dc",
                          "-o",
                          "k.o",
                          "-c",
                          "-x",
                          "cu",
                          "-O3",
                          "-lineinfo",
                          "-G",
                          "-g",
                          "--expt-relaxed-constexpr",
                          "--extended-lambda",
                          "-Xptxas",
                          "-v",
                          "--ptxas-options=-v,-O3",
                          "-maxrregcount=64",
                          "--maxrregcount",
                          "64",
                          "-t0",
                          "--threads",
                          "4",
                          "-lcublas",
                          "-L/lib",
                          "-MD",
                          "-MF",
                          "k.d",
                          "-ccbin",
                          "g++",
                          "-m64",
                          "-cudart=static",
                          "-fPIC",
                          "-Wall",
                          "k.cu",
                          "--diag-suppress=177",
                          "-std=c++14"}),
              ElementsAre("-std=c++14"));
}

// The host compiler preprocesses for both sides.
TEST(Flags, TheHostCompilersMacrosAreKept) {
  EXPECT_THAT(translated({"-Xcompiler", "-fPIC,-DX=1,-Wall", "-Xcompiler=-Iinc",
                          "--compiler-options", "'-O3 -DY'"}),
              ElementsAre("-DX=1", "-Iinc", "-DY"));
}

TEST(Flags, WhatNobodyKnowsIsNamed) {
  const FlagTranslation result = translateNvccFlags({"--frobnicate", "-DX"});
  EXPECT_THAT(result.flags, ElementsAre("-DX"));
  EXPECT_THAT(result.unknown, ElementsAre("--frobnicate"));
}

TEST(Flags, ALastFlagWithoutItsValueIsNoCrash) {
  EXPECT_THAT(translated({"-arch"}), IsEmpty());
  EXPECT_THAT(translated({"-Xcompiler"}), IsEmpty());
}

namespace {

class ResponseFiles : public testing::Test {
protected:
  void write(const std::string &name, const std::string &text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  const std::string folder_ = testing::TempDir();
};

} // namespace

TEST_F(ResponseFiles, AreReadInPlaceInEachSpellingAndNested) {
  write("lp_a.rsp", "-DA='x y' -Xcompiler -Wall\n@lp_b.rsp");
  write("lp_b.rsp", "-I\"in c\"");
  for (const std::vector<std::string> &name : {std::vector<std::string>{"@lp_a.rsp"},
                                               {"--options-file", "lp_a.rsp"},
                                               {"-optf", "lp_a.rsp"},
                                               {"--options-file=lp_a.rsp"}}) {
    std::vector<std::string> words = {"-DFIRST"};
    words.insert(words.end(), name.begin(), name.end());
    words.push_back("-DLAST");
    EXPECT_EQ(expandResponseFiles(words, folder_), "");
    EXPECT_THAT(words,
                ElementsAre("-DFIRST", "-DA=x y", "-Xcompiler", "-Wall", "-Iin c", "-DLAST"));
  }
}

TEST_F(ResponseFiles, AMissingOneAndOneThatNamesItselfAreErrors) {
  std::vector<std::string> words = {"@lp_none.rsp"};
  EXPECT_EQ(expandResponseFiles(words, folder_), "the response file 'lp_none.rsp' cannot be read");
  write("lp_loop.rsp", "@lp_loop.rsp");
  words = {"@lp_loop.rsp"};
  EXPECT_EQ(expandResponseFiles(words, folder_), "the response file 'lp_loop.rsp' cannot be read");
}
