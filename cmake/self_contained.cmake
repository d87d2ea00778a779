# CORDON_SELF_CONTAINED: for a module that runs on machines which have none of our libraries, also older ones. What Debian has as
# headers or archives is linked in, the C++ library included; so nothing of it is newer than the machine, and nothing meets the
# same library in another module of the process. libsodium, simdjson and zlib stay shared: Debian has no archive
# of them that a module can take in. Left out are the HTTP server of stream metrics and the libraries of workbooks and statistics files.
option(CORDON_SELF_CONTAINED "Link third-party code in, for Python wheels" OFF)
if(NOT CORDON_SELF_CONTAINED)
  return()
endif()
add_compile_definitions(FMT_HEADER_ONLY=1)
set_property(TARGET PkgConfig::tomlplusplus PROPERTY INTERFACE_COMPILE_OPTIONS -DTOML_HEADER_ONLY=1)
set_property(TARGET PkgConfig::tomlplusplus PROPERTY INTERFACE_LINK_LIBRARIES)
add_link_options(-static-libstdc++ -static-libgcc -Wl,--as-needed)
