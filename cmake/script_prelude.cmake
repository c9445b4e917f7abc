# Turns the JavaScript of src/script/prelude into strings that the script module is built with. The
# files are parts of one function body, in the order given here.

set(prelude "")
foreach(part errors messages collection query context)
    set(file ${CMAKE_SOURCE_DIR}/src/script/prelude/${part}.js)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND prelude "R\"js(${text})js\"\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/script/prelude.cc @ONLY CONTENT [[
// Made by cmake/script_prelude.cmake.
#include "script/prelude/prelude.h"

const std::string_view orrery::script::kPrelude =
@prelude@;
]])
target_sources(script PRIVATE ${CMAKE_BINARY_DIR}/script/prelude.cc)
