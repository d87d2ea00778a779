# What `cpack -G DEB` in a build folder makes. scripts/package.sh calls it, and makes the relocatable tarball next to it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cordon)
set(CPACK_PACKAGE_VENDOR cordon)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "publishes personal data without publishing people")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};cordon;Unspecified;/")  # the command line, not the library
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The cordon authors <cordon@example.org>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3")
include(CPack)
