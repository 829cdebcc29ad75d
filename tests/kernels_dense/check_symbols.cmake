# cmake -DNM=... -DOBJECT=... -DTABLE=... -P check_symbols.cmake: the object of an instruction set lets out its table and
# nothing else, and runs no code when the program starts.
execute_process(COMMAND "${NM}" --defined-only --extern-only --format=posix "${OBJECT}"
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(STRIP "${output}" output)
string(REPLACE "\n" ";" lines "${output}")
list(LENGTH lines count)
if(NOT count EQUAL 1 OR NOT output MATCHES "^${TABLE} D")
  message(FATAL_ERROR "${OBJECT} lets out more or else than ${TABLE}:\n${output}")
endif()
execute_process(COMMAND "${NM}" --format=posix "${OBJECT}" OUTPUT_VARIABLE all COMMAND_ERROR_IS_FATAL ANY)
if(all MATCHES "_GLOBAL__sub_I")
  message(FATAL_ERROR "${OBJECT} has initialisers, which would run on every processor")
endif()
