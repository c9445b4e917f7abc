# Builds one static library per line of src/LAYERS, with tests and fuzzers next to the sources. The
# layering is defined only there; tools/tidy.py checks the #includes against it.

function(orrery_module name allowed)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${name}/*.cc)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS src/${name}/*.h)
    set(tests ${sources})
    set(fuzzers ${sources})
    list(FILTER sources EXCLUDE REGEX "(_(test|fuzz)|/main)\\.cc$")
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")
    list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")

    add_library(${name} STATIC ${sources})
    target_compile_features(${name} PUBLIC cxx_std_20)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${ORRERY_UNITY} UNITY_BUILD_BATCH_SIZE 24)
    target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS src FILES ${headers})
    target_link_libraries(${name} PUBLIC ${allowed} ${ORRERY_LIBRARIES_${name}})
    # `cmake --build … --target all_verify_interface_header_sets` compiles each header on its own.
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX VERIFY_INTERFACE_HEADER_SETS ON)

    if(tests AND ORRERY_TESTS AND (NOT ORRERY_TEST_MODULES OR name IN_LIST ORRERY_TEST_MODULES))
        add_executable(${name}_test ${tests})
        target_compile_options(${name}_test PRIVATE ${ORRERY_TEST_OPTIONS})
        # Each test has a namespace of its own, named after its file, so they can share a batch.
        set_target_properties(${name}_test PROPERTIES UNITY_BUILD ${ORRERY_UNITY} UNITY_BUILD_BATCH_SIZE 24)
        target_link_libraries(${name}_test ${name} GTest::gmock GTest::gtest_main)
        add_test(NAME unit.${name} COMMAND ${name}_test)
        # The largest first, or the last one would run alone.
        list(LENGTH tests size)
        set_tests_properties(unit.${name} PROPERTIES COST ${size})
    endif()

    if(ORRERY_FUZZERS)
        foreach(fuzzer IN LISTS fuzzers)
            get_filename_component(target ${fuzzer} NAME_WE)
            add_executable(${target} ${fuzzer})
            target_link_libraries(${target} ${name})
            target_link_options(${target} PRIVATE -fsanitize=fuzzer)
            add_dependencies(fuzzers ${target})
        endforeach()
    endif()
endfunction()

if(ORRERY_FUZZERS)
    add_custom_target(fuzzers)
endif()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/LAYERS)
file(STRINGS src/LAYERS lines REGEX "^[a-z]")
foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z_]+): *(.*)$" matched "${line}")
    set(module ${CMAKE_MATCH_1})
    separate_arguments(allowed UNIX_COMMAND "${CMAKE_MATCH_2}")
    orrery_module(${module} "${allowed}")
endforeach()
