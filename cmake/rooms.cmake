# cordon_room(data SOURCES a.cpp b.cpp LINKS cordon_base)   one static library per room
# FOLDERS names sub-rooms, whose own files add their sources. QUICK_TO_COMPILE is for a room that parses and prints: nothing in
# it runs once per row and step, and with less optimization it compiles in three quarters of the time.
function(cordon_room name)
  cmake_parse_arguments(ROOM "QUICK_TO_COMPILE" "" "SOURCES;FOLDERS;LINKS" ${ARGN})
  add_library(cordon_${name} STATIC ${ROOM_SOURCES})
  foreach(folder ${ROOM_FOLDERS})
    add_subdirectory(${folder})
  endforeach()
  target_include_directories(cordon_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(cordon_${name} PUBLIC ${ROOM_LINKS})
  cordon_warnings(cordon_${name})
  cordon_unity(cordon_${name})
  if(ROOM_QUICK_TO_COMPILE)
    cordon_quick_to_compile(cordon_${name})
  endif()
endfunction()

function(cordon_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

function(cordon_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    -Wno-missing-field-initializers  # designated initializers leave the rest at their defaults
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # false alarms of g++ 12 on string concatenation
  if(CORDON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# Compiles the files of a folder as one object: nearly all of the time goes into headers and templates that they share. So a
# name in an anonymous namespace is unique in its folder. The dev preset compiles every file alone, which shows a missing
# include and is the quicker build while only a few files change. Clang's static analyzer looks at functions of included .cpp
# files only if the including file has "UnifiedSource" in its name.
function(cordon_unity target)
  if(NOT CORDON_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(path ${path} DIRECTORY)
    get_filename_component(folder ${path} NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP UnifiedSource_${folder})
  endforeach()
  # g++ takes an included .cpp for a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# cordon_test(data SOURCES a_test.cpp LINKS cordon_data)   one test program per room; ctest sees every TEST
function(cordon_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name}_test ${TEST_SOURCES})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name}_test PRIVATE ${TEST_LINKS} GTest::gtest_main)
  cordon_warnings(${name}_test)
  cordon_unity(${name}_test)
  # Most of a test is assertions, which run once; the libraries that it tests keep the optimization of a release. With so little
  # of it, g++ believes that members of the standard library are not initialized.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-Og$<SEMICOLON>-Wno-maybe-uninitialized>)
  target_compile_definitions(${name}_test PRIVATE
    CORDON_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    CORDON_DATA="${CORDON_DATA_DIR}")
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
  cordon_unit(${name}_test)
endfunction()

# The programs of the tests that carry the label `unit`: `make sanitize` builds these alone.
function(cordon_unit target)
  if(NOT TARGET unit_tests)
    add_custom_target(unit_tests)
  endif()
  add_dependencies(unit_tests ${target})
endfunction()
