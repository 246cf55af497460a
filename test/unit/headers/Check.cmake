# One compile of one header test; see CMakeLists.txt.
set(cuda -x cuda -nocudainc -nocudalib -std=c++17 --cuda-gpu-arch=sm_80 -Wno-unknown-cuda-version
  -isystem ${SHARE}/cuda -include cuda_runtime.h)
set(hip -x hip -nogpuinc -nogpulib -std=c++17 -isystem ${SHARE}/hip)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "exit ${code}\n${out}")
  endif()
endfunction()

if(KIND STREQUAL "cuda-device")
  run(${CLANG} ${cuda} --cuda-device-only --cuda-feature=+ptx80 -O1 -S -emit-llvm ${SOURCE}
    -o ${OUT}.ll)
elseif(KIND STREQUAL "cuda-host")
  run(${CLANG} ${cuda} --cuda-host-only -fsyntax-only ${SOURCE})
elseif(KIND STREQUAL "cuda-no-declarations")
  # What has an exact meaning must have a body: nothing but intrinsics may stay undefined.
  run(${CLANG} ${cuda} --cuda-device-only --cuda-feature=+ptx80 -O1 -S -emit-llvm ${SOURCE}
    -o ${OUT}.ll)
  file(STRINGS ${OUT}.ll declarations REGEX "^declare")
  list(FILTER declarations EXCLUDE REGEX "@llvm\\.")
  if(declarations)
    list(JOIN declarations "\n" text)
    message(FATAL_ERROR "undefined in ${OUT}.ll:\n${text}")
  endif()
elseif(KIND STREQUAL "cuda-run")
  run(${CLANG} ${cuda} --cuda-host-only ${SOURCE} -o ${OUT})
  run(${OUT})
elseif(KIND MATCHES "^hip-(gfx.*)$")
  # Down to a finished code object: with -S, text in asm statements would pass unread.
  run(${CLANG} ${hip} --offload-arch=${CMAKE_MATCH_1} --offload-device-only -DLAYOUT_PORT_CHECK -c
    ${SOURCE} -o ${OUT}.${CMAKE_MATCH_1}.co)
elseif(KIND STREQUAL "hip-ir")
  run(${CLANG} ${hip} --offload-arch=gfx942 --offload-device-only -O1 -S -emit-llvm ${SOURCE}
    -o ${OUT}.hip.ll)
elseif(KIND STREQUAL "hip-host")
  run(${CLANG} ${hip} --offload-arch=gfx942 --offload-host-only -fsyntax-only ${SOURCE})
elseif(KIND STREQUAL "hip-rejected")
  execute_process(COMMAND ${CLANG} ${hip} --offload-arch=gfx942 --offload-device-only -fsyntax-only
    ${SOURCE} RESULT_VARIABLE code ERROR_VARIABLE out)
  if(code EQUAL 0 OR NOT out MATCHES "64-bit")
    message(FATAL_ERROR "expected an error about a 64-bit mask, got exit ${code}\n${out}")
  endif()
elseif(KIND STREQUAL "rename-probe")
  execute_process(COMMAND ${PROBE} OUTPUT_FILE ${OUT}.hip COMMAND_ERROR_IS_FATAL ANY)
  run(${CLANG} ${hip} --offload-arch=gfx942 --offload-device-only -fsyntax-only -ferror-limit=0
    ${OUT}.hip)
else()
  message(FATAL_ERROR "no such kind of test: ${KIND}")
endif()
