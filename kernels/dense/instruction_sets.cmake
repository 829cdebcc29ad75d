# The sources of target/ once per instruction set, each set linked into one object
# of which only the table stays visible:
#   - `ld -r --force-group-allocation` joins the objects and dissolves their COMDAT groups, so that the final link has
#     nothing left to merge with the copies of the same inline functions elsewhere;
#   - `objcopy --keep-global-symbol` makes every other symbol local to that object.
# So no function compiled for AVX-512 can be called by anything but the AVX-512 table. tests/kernels_dense checks it.
# Where one of the tools is missing, on another processor, or under the sanitizers, there is the baseline alone.

file(GLOB HYSEQ_DENSE_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/target/*.cpp")

# hyseq_dense_instruction_set(NAME FLAGS...): the objects of one instruction set, in the target hyseq_dense_NAME.
function(hyseq_dense_instruction_set name)
  string(MAKE_C_IDENTIFIER "${name}" identifier)
  set(target hyseq_dense_${identifier})
  add_library(${target} OBJECT ${HYSEQ_DENSE_SOURCES})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/kernels/dense/target/standard")
  target_link_libraries(${target} PRIVATE Boost::boost random123 Eigen3::Eigen hyseq_options)
  target_compile_definitions(${target} PRIVATE
    HYSEQ_DENSE_TABLE=hyseq_dense_${identifier} HYSEQ_DENSE_NAME="${name}")
  target_compile_options(${target} PRIVATE ${ARGN})
endfunction()

hyseq_dense_instruction_set(baseline)
set(HYSEQ_DENSE_OBJECTS $<TARGET_OBJECTS:hyseq_dense_baseline>)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_OBJCOPY AND CMAKE_LINKER
   AND NOT HYSEQ_SANITIZE)
  set(HYSEQ_DENSE_X86_64 ON)
  foreach(level v3 v4)
    set(name x86_64_${level})
    # GCC prefers 256-bit vectors for loops of its own even where 512 are there.
    hyseq_dense_instruction_set(x86-64-${level} -march=x86-64-${level} -mprefer-vector-width=512 -fno-gnu-unique
                                -DHWY_DISABLE_PCLMUL_AES)
    set(joined "${CMAKE_CURRENT_BINARY_DIR}/hyseq_dense_${name}.o")
    add_custom_command(
      OUTPUT "${joined}"
      COMMAND "${CMAKE_LINKER}" -r --force-group-allocation -o "${joined}" $<TARGET_OBJECTS:hyseq_dense_${name}>
      COMMAND "${CMAKE_OBJCOPY}" --keep-global-symbol=hyseq_dense_${name} "${joined}"
      DEPENDS $<TARGET_OBJECTS:hyseq_dense_${name}>
      COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "Joining the dense bodies for x86-64-${level}")
    set_source_files_properties("${joined}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND HYSEQ_DENSE_OBJECTS "${joined}")
    set_property(GLOBAL APPEND PROPERTY HYSEQ_DENSE_JOINED "${joined}")
  endforeach()
endif()
