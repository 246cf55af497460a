#include "layout_port/layouts/Result.h"

#include <gtest/gtest.h>

using namespace layout_port;

static Result<int> half(int x) {
  if (x % 2)
    return makeError("%d is odd", x);
  return x / 2;
}

TEST(Result, CarriesTheValueOrOneLineOfError) {
  EXPECT_EQ(*half(6), 3);
  EXPECT_FALSE(half(7));
  EXPECT_EQ(half(7).error().message, "7 is odd");
}
