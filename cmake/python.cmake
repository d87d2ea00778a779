# The Python module needs a Python with its development files and nanobind, which PyPI has and Debian 12 has not.
#   CORDON_PYTHON   AUTO: where both are found; ON: they must be; OFF: left out
# Python_EXECUTABLE says which Python. `make python-test` and `make wheel` bring nanobind along. Sets cordon_python_FOUND.
set(CORDON_PYTHON AUTO CACHE STRING "The Python module: AUTO, ON or OFF")
set_property(CACHE CORDON_PYTHON PROPERTY STRINGS AUTO ON OFF)
set(cordon_python_FOUND FALSE)
if(CORDON_PYTHON STREQUAL "OFF")
  return()
endif()
set(quiet QUIET)
if(CORDON_PYTHON STREQUAL "ON")
  set(quiet REQUIRED)
endif()
find_package(Python 3.10 ${quiet} COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
if(Python_FOUND)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_package(nanobind 3 CONFIG ${quiet} NO_DEFAULT_PATH PATHS ${nanobind_ROOT})
  set(cordon_python_FOUND ${nanobind_FOUND})
endif()
if(NOT cordon_python_FOUND)
  message(STATUS "No nanobind: the Python module is left out (`make python-test` makes an environment that has it)")
endif()
