# Language level, warnings and sanitizers, as one interface library that every target links.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(hyseq_options INTERFACE)
# Contraction is off so that a sum of products rounds the same with and without fused instructions;
# without math-errno the compiler may inline square roots, which are exact either way.
target_compile_options(hyseq_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wdouble-promotion -Werror
  -ffp-contract=off -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives from inlined standard library code at -O3 and under sanitizers.
  target_compile_options(hyseq_options INTERFACE
    -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
endif()
if(HYSEQ_SANITIZE)
  # Null pointers and accesses beyond an object are the address sanitizer's to find; checking them twice makes
  # a file of templates take 40% longer to compile.
  target_compile_options(hyseq_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize=null,object-size,alignment,vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(hyseq_options INTERFACE -fsanitize=address,undefined)
  # Two instruction sets are enough here, AVX2 and the portable one: the sources are the same, and each takes its time.
  target_compile_definitions(hyseq_options INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL|HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()

find_program(HYSEQ_CCACHE ccache)
if(HYSEQ_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HYSEQ_CCACHE}")
endif()

if(HYSEQ_CLANG_TIDY)
  find_program(HYSEQ_CLANG_TIDY_PROGRAM clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY "${HYSEQ_CLANG_TIDY_PROGRAM};--quiet")
endif()
