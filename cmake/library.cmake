# The library that is installed: all rooms as one, shared and static, with the headers of include/cordon.
#   find_package(cordon)                     cordon::cordon, the shared one: needs nothing else
#   find_package(cordon COMPONENTS static)   also cordon::cordon_static, which looks for what it is linked with
include(GNUInstallDirs)
set(objects)
list(REMOVE_ITEM rooms party joint)  # no public header speaks of them
foreach(room ${rooms})
  list(APPEND objects $<TARGET_OBJECTS:cordon_${room}>)
endforeach()
add_library(cordon SHARED ${objects})
add_library(cordon_static STATIC ${objects})
foreach(library cordon cordon_static)
  add_library(cordon::${library} ALIAS ${library})
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE fmt::fmt ZLIB::ZLIB OpenSSL::Crypto PkgConfig::sodium PkgConfig::tomlplusplus
    simdjson::simdjson SQLite::SQLite3 PkgConfig::httplib Threads::Threads ${CMAKE_DL_LIBS} ${cordon_foreign_LIBRARIES})
  set_target_properties(${library} PROPERTIES OUTPUT_NAME cordon LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endforeach()
set_target_properties(cordon PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# The component keeps it out of the packages of the command line.
set(cmake_files ${CMAKE_INSTALL_LIBDIR}/cmake/cordon)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cordon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(TARGETS cordon EXPORT cordonTargets DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(TARGETS cordon_static EXPORT cordonStaticTargets DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT cordonTargets NAMESPACE cordon:: DESTINATION ${cmake_files} COMPONENT library)
install(EXPORT cordonStaticTargets NAMESPACE cordon:: DESTINATION ${cmake_files} COMPONENT library)
include(CMakePackageConfigHelpers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cordonConfig.cmake.in ${PROJECT_BINARY_DIR}/cordonConfig.cmake
  INSTALL_DESTINATION ${cmake_files})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cordonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cordonConfig.cmake ${PROJECT_BINARY_DIR}/cordonConfigVersion.cmake
  DESTINATION ${cmake_files} COMPONENT library)
