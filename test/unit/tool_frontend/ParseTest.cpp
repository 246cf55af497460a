// Names of architectures.
#include "frontend/Parse.h"

#include <gtest/gtest.h>

using namespace layout_port;

TEST(CudaArch, IsTheNumberThatCudaArchHas) {
  EXPECT_EQ(cudaArchNumber("sm_80"), 800u);
  EXPECT_EQ(cudaArchNumber("sm_75"), 750u);
  EXPECT_EQ(cudaArchNumber("sm_90a"), 900u);
  EXPECT_EQ(cudaArchNumber("sm_120a"), 1200u);
}

TEST(CudaArch, WhatIsNoneHasNoNumber) {
  for (const char *name : {"", "sm_", "sm_1", "sm_800", "80", "gfx942", "compute_80", "sm_80x"})
    EXPECT_EQ(cudaArchNumber(name), 0u) << name;
}
