# The CUDA compiler, for the preset `cuda`: CMAKE_CUDA_COMPILER or CUDACXX where one is named, the nvcc on the path, or
# what cuda_compiler.sh has installed. HYSEQ_HAVE_CUDA says whether there is one.
option(HYSEQ_CUDA_REPORT "Have the CUDA compiler print registers, spills and shared memory of every kernel" OFF)

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  set(folder "$ENV{HYSEQ_CUDA_FOLDER}")
  if(NOT folder)
    set(folder "$ENV{XDG_CACHE_HOME}")
    if(NOT folder)
      set(folder "$ENV{HOME}/.cache")
    endif()
    string(APPEND folder "/hyseq/cuda")
  endif()
  file(GLOB installed "${folder}/lib/python3*/site-packages/nvidia/*/bin")
  find_program(CMAKE_CUDA_COMPILER nvcc PATHS ${installed} /usr/local/cuda/bin)
  if(NOT CMAKE_CUDA_COMPILER)
    unset(CMAKE_CUDA_COMPILER CACHE)
  endif()
endif()

# Machine code for compute capability 8.0 and 9.0, and the portable form of the latter, which drivers translate for
# newer GPUs.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(NOTICE "hyseq: no CUDA compiler found; building for the CPU only")
  return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
find_path(HYSEQ_CUBLAS_INCLUDE_DIR cublas_v2.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_CACHE)
if(NOT HYSEQ_CUBLAS_INCLUDE_DIR)
  message(FATAL_ERROR "hyseq: the CUDA toolkit ${CMAKE_CUDA_COMPILER_TOOLKIT_ROOT} has no cublas_v2.h")
endif()
message(STATUS "hyseq: CUDA compiler ${CMAKE_CUDA_COMPILER} (${CMAKE_CUDA_COMPILER_VERSION})")

set(HYSEQ_HAVE_CUDA ON)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_EXTENSIONS OFF)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has it
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
endif()

# The counterpart of hyseq_options. -Wpedantic and -Wold-style-cast are left out: the toolkit's own headers and what
# nvcc hands to the host compiler are full of what they forbid. 554 is the conversion of a Span<const T> to itself.
add_library(hyseq_cuda_options INTERFACE)
set(host -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Wdouble-promotion -Werror -ffp-contract=off -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND host -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
endif()
list(JOIN host "," host)
target_compile_options(hyseq_cuda_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:--threads 2 --expt-relaxed-constexpr -Werror all-warnings --diag-suppress 554 -Xcompiler=${host}>")
if(HYSEQ_CUDA_REPORT)
  target_compile_options(hyseq_cuda_options INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xptxas -v>")
endif()
