// cuda::std means std here: its constexpr functions are callable on both sides with Clang.
#pragma once
#include "../../cuda_runtime.h"
#include <type_traits>
namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
