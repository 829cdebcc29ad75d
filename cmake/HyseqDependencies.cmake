# Third-party libraries, all from Debian 12 packages (./bootstrap installs what is missing).
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context program_options)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tomlplusplus 3.3 REQUIRED)
find_package(GTest REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)
find_program(GNUPLOT_EXECUTABLE gnuplot)

# Random123 is headers alone; SYSTEM keeps its warnings out of ours.
add_library(random123 INTERFACE)
target_include_directories(random123 SYSTEM INTERFACE "${RANDOM123_INCLUDE_DIR}")

# Debian's libhwy-dev has no CMake package.
find_path(HIGHWAY_INCLUDE_DIR hwy/highway.h REQUIRED)
find_library(HIGHWAY_LIBRARY hwy REQUIRED)
add_library(highway INTERFACE)
target_include_directories(highway SYSTEM INTERFACE "${HIGHWAY_INCLUDE_DIR}")
target_link_libraries(highway INTERFACE "${HIGHWAY_LIBRARY}")
