// The rename rows hold together: sorted, one row a name, a reason wherever a name is left over.
#include "rename/Tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace layout_port::rename {
namespace {

TEST(Rename, EachFileIsSortedByCudaName) {
  for (const Table &table : tables())
    for (const Name *row = table.begin(); row + 1 < table.end(); ++row)
      EXPECT_LT(row[0].cuda, row[1].cuda) << table.file;
}

TEST(Rename, ANameHasOneRowOverAllFiles) {
  std::map<std::string_view, std::string_view> fileOf;
  for (const Table &table : tables())
    for (const Name &row : table) {
      auto [known, inserted] = fileOf.emplace(row.cuda, table.file);
      EXPECT_TRUE(inserted) << row.cuda << " in " << known->second << " and " << table.file;
    }
}

TEST(Rename, EveryRowIsFoundByItsName) {
  for (const Table &table : tables())
    for (const Name &row : table)
      EXPECT_EQ(lookup(row.cuda), &row) << row.cuda;
}

TEST(Rename, ARenamedNameHasAHipName) {
  for (const Table &table : tables())
    for (const Name &row : table)
      if (row.support == Support::Renamed)
        EXPECT_FALSE(row.hip.empty()) << row.cuda;
}

TEST(Rename, WhatIsNotAPlainRenameSaysWhy) {
  for (const Table &table : tables())
    for (const Name &row : table)
      if (row.support != Support::Renamed)
        EXPECT_FALSE(row.note.empty()) << row.cuda;
}

TEST(Rename, UnsupportedNamesHaveNoHipName) {
  for (const Table &table : tables())
    for (const Name &row : table)
      if (row.support == Support::Unsupported || row.support == Support::Dropped)
        EXPECT_TRUE(row.hip.empty()) << row.cuda;
}

// A ported file must not change when it is ported again.
TEST(Rename, NoHipNameIsItselfRenamed) {
  for (const Table &table : tables())
    for (const Name &row : table) {
      const Name *again = lookup(row.hip);
      if (again && again->support == Support::Renamed)
        EXPECT_EQ(again->hip, row.hip) << row.cuda;
    }
}

TEST(Rename, NamesThatKernelsUse) {
  const std::pair<const char *, const char *> pairs[] = {
      {"cuda_runtime.h", "hip/hip_runtime.h"},
      {"cuda_fp16.h", "hip/hip_fp16.h"},
      {"cuda_bf16.h", "hip/hip_bf16.h"},
      {"cublas_v2.h", "hipblas/hipblas.h"},
      {"cudaMalloc", "hipMalloc"},
      {"cudaMallocHost", "hipHostMalloc"},
      {"cudaMemcpyHostToDevice", "hipMemcpyHostToDevice"},
      {"cudaError_t", "hipError_t"},
      {"cudaErrorMemoryAllocation", "hipErrorOutOfMemory"},
      {"cudaDeviceProp", "hipDeviceProp_t"},
      {"cudaStream_t", "hipStream_t"},
      {"cudaEventElapsedTime", "hipEventElapsedTime"},
      {"__nv_bfloat16", "__hip_bfloat16"},
      {"nv_bfloat162", "__hip_bfloat162"},
      {"cublasSgemm", "hipblasSgemm"},
      {"cublasGemmEx", "hipblasGemmEx"},
      {"CUDA_R_16F", "HIP_R_16F"},
      {"cuMemcpyHtoD", "hipMemcpyHtoD"},
      {"curandState", "hiprandState"},
  };
  for (auto [cuda, hip] : pairs) {
    const Name *row = lookup(cuda);
    ASSERT_NE(row, nullptr) << cuda;
    EXPECT_EQ(row->hip, hip);
  }
}

TEST(Rename, OtherNamesHaveNoRow) {
  for (const char *name : {"", "malloc", "threadIdx", "cudaMallocX", "hipMalloc", "float4"})
    EXPECT_EQ(lookup(name), nullptr) << name;
}

TEST(Rename, SectionsAndSupportHaveNames) {
  EXPECT_EQ(name(Section::Header), "header");
  EXPECT_EQ(name(Section::Rtc), "rtc");
  EXPECT_EQ(name(Section::Tools), "tools");
  EXPECT_EQ(name(Support::Renamed), "renamed");
  EXPECT_EQ(name(Support::Unsupported), "unsupported");
}

} // namespace
} // namespace layout_port::rename
