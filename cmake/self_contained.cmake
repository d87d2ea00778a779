# CORDON_SELF_CONTAINED: for a module that runs on machines which have none of our libraries, also older ones. What Debian has as
# headers or archives is linked in, the C++ library included; so nothing of it is newer than the machine, and nothing meets the
# same library in another module of the process. simdjson stays shared: Debian has no archive of it. Left out are the HTTP server
# of stream metrics and the libraries of workbooks and statistics files.
#   CORDON_GLIBC   the oldest glibc that the module is to run with, such as 2.28; empty: the one of this machine
option(CORDON_SELF_CONTAINED "Link third-party code in, for Python wheels" OFF)
set(CORDON_GLIBC "" CACHE STRING "The oldest glibc for the Python module; empty: that of this machine")
if(NOT CORDON_SELF_CONTAINED)
  return()
endif()
add_compile_definitions(FMT_HEADER_ONLY=1)
set_property(TARGET PkgConfig::tomlplusplus PROPERTY INTERFACE_COMPILE_OPTIONS -DTOML_HEADER_ONLY=1)
set_property(TARGET PkgConfig::tomlplusplus PROPERTY INTERFACE_LINK_LIBRARIES)
# Archives whose code is not quite position-independent: a module can hold them if it hides their symbols (--exclude-libs).
find_library(CORDON_SODIUM_ARCHIVE libsodium.a REQUIRED)
set_property(TARGET PkgConfig::sodium PROPERTY INTERFACE_LINK_LIBRARIES ${CORDON_SODIUM_ARCHIVE})
find_library(CORDON_SQLITE_ARCHIVE libsqlite3.a REQUIRED)
set_property(TARGET SQLite::SQLite3 PROPERTY IMPORTED_LOCATION ${CORDON_SQLITE_ARCHIVE})
add_link_options(-static-libstdc++ -static-libgcc -Wl,--as-needed)
if(CORDON_GLIBC)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(stubs ${PROJECT_BINARY_DIR}/glibc-${CORDON_GLIBC})
  execute_process(COMMAND ${CMAKE_COMMAND} -E env CXX=${CMAKE_CXX_COMPILER}
    ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/glibc_stubs.py ${CORDON_GLIBC} ${stubs} COMMAND_ERROR_IS_FATAL ANY)
  add_link_options(-L${stubs})
endif()
