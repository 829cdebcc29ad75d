# hyseq_library(NAME SOURCES... DEPENDS...): the library of one layer, namespaced hyseq::NAME.
# Includes are written from the project's root: #include "kernels/base/error.hpp".
function(hyseq_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(hyseq_${name} STATIC ${ARG_SOURCES})
  add_library(hyseq::${name} ALIAS hyseq_${name})
  target_include_directories(hyseq_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(hyseq_${name} PUBLIC ${ARG_DEPENDS} PRIVATE hyseq_options)
  hyseq_unity(hyseq_${name})
endfunction()

# hyseq_unity(TARGET): with HYSEQ_UNITY, sources of one folder that have no name in common are compiled together. Most
# of the time that a small source takes is spent on headers.
function(hyseq_unity target)
  if(NOT HYSEQ_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  # The groups depend on what the sources define.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  execute_process(COMMAND python3 "${PROJECT_SOURCE_DIR}/cmake/unity_groups.py" ${sources}
    OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" "|" groups "${groups}")
  set(number 0)
  while(groups MATCHES "^([^|]+)[|]?(.*)$")
    set(files "${CMAKE_MATCH_1}")
    set(groups "${CMAKE_MATCH_2}")
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP group_${number})
    math(EXPR number "${number} + 1")
  endwhile()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# hyseq_compile_quickly(TARGET): for code that only directs the work of others, where optimising costs more time than it
# ever saves.
function(hyseq_compile_quickly target)
  if(HYSEQ_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -g0)
  else()
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# hyseq_test(NAME SOURCES... DEPENDS... [SHARDS n]): a GoogleTest program, one ctest entry labelled `unit`; or n entries
# with a share of its tests each, so that a long program does not keep one core busy while the others wait.
function(hyseq_test name)
  cmake_parse_arguments(ARG "" "SHARDS" "SOURCES;DEPENDS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(test_${name} PRIVATE
    HYSEQ_GOLDEN_DIR="${PROJECT_SOURCE_DIR}/tests/golden" HYSEQ_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(test_${name} PRIVATE ${ARG_DEPENDS} GTest::gtest GTest::gtest_main hyseq_options)
  hyseq_compile_quickly(test_${name})
  hyseq_unity(test_${name})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(entry ${name})
    if(ARG_SHARDS GREATER 1)
      set(entry ${name}_${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${entry} COMMAND test_${name} --gtest_brief=1)
    set_tests_properties(${entry} PROPERTIES LABELS unit TIMEOUT 1800
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()
