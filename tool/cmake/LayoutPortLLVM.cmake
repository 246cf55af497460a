# LLVM and Clang, as Debian packages them. find_package(Clang 22) does not match
# the packaged version file, 22.1 does. -lclang-cpp has no development symlink:
# the imported target clang-cpp is the way to the shared library.

find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
find_package(Clang 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

# lp_use_llvm(TARGET): the headers of LLVM and Clang as system headers, the
# shared libraries, and the language options LLVM was built with.
function(lp_use_llvm target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_compile_options(${target} PRIVATE -fno-exceptions)
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
  target_link_libraries(${target} PUBLIC clang-cpp LLVM)
endfunction()
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
