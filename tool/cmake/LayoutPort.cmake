# Build helpers shared by all layers.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# libstdc++ 12 calls a function of its own in std::stable_sort that it deprecates.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations)
if(LAYOUT_PORT_WERROR)
  add_compile_options(-Werror)
endif()

# lld where there is one: every program links libLLVM, and GNU ld reads all of it.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld LAYOUT_PORT_HAVE_LLD)
if(LAYOUT_PORT_HAVE_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# lp_add_library(NAME SOURCES ... [DEPS ...] [LLVM])
#   A static library. LLVM puts the LLVM and Clang headers on its include path
#   and turns exceptions off, as LLVM itself is built.
function(lp_add_library name)
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
  if(ARG_LLVM)
    lp_use_llvm(${name})
  endif()
endfunction()

# lp_add_gtest(NAME SOURCES ... [DEPS ...] [LLVM])
#   A GoogleTest program, one CTest entry. Test programs print the seed of every
#   random run, so that a failure can be repeated.
function(lp_add_gtest name)
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;DEPS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/support)
  if(ARG_LLVM)
    lp_use_llvm(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# lp_add_benchmark(NAME SOURCES ... [DEPS ...] [LLVM]): Google Benchmark, never part of the tests.
function(lp_add_benchmark name)
  if(NOT LAYOUT_PORT_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;DEPS" ${ARGN})
  find_package(benchmark REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} benchmark::benchmark benchmark::benchmark_main)
  if(ARG_LLVM)
    lp_use_llvm(${name})
  endif()
endfunction()

# lp_add_fuzzer(NAME SOURCES ... [DEPS ...] [LLVM]): a libFuzzer target.
function(lp_add_fuzzer name)
  if(NOT LAYOUT_PORT_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(ARG "LLVM" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/support)
  if(ARG_LLVM)
    lp_use_llvm(${name})
  endif()
endfunction()
