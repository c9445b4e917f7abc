# Builds RocksDB from the source of Debian's package, for optimized builds of the server.
#
# Debian's library checks assertions in every step of an iterator and computes checksums without the
# processor's instructions, which makes aggregates take almost twice as long (ADR 18). It
# remains the source of the headers, and the library of all other builds: in tests those assertions are
# welcome.

set(ORRERY_ROCKSDB_VERSION 7.8.3)
set(ORRERY_ROCKSDB_ARCHIVE ${CMAKE_SOURCE_DIR}/build/downloads/rocksdb-${ORRERY_ROCKSDB_VERSION}.tar.gz)
set(ORRERY_ROCKSDB_SHA256 b85408a374770897332bf15e51620a5f35720dd416a4749e3899057f9cfaf84d)
set(ORRERY_ROCKSDB_URLS
    https://deb.debian.org/debian/pool/main/r/rocksdb/rocksdb_${ORRERY_ROCKSDB_VERSION}.orig.tar.gz
    http://deb.debian.org/debian/pool/main/r/rocksdb/rocksdb_${ORRERY_ROCKSDB_VERSION}.orig.tar.gz
    https://github.com/facebook/rocksdb/archive/refs/tags/v${ORRERY_ROCKSDB_VERSION}.tar.gz)

# Sets `result` to whether the archive is there and is the one we know.
function(orrery_download_rocksdb result)
    set(${result} FALSE PARENT_SCOPE)
    foreach(url "" ${ORRERY_ROCKSDB_URLS})
        if(url)
            file(DOWNLOAD ${url} ${ORRERY_ROCKSDB_ARCHIVE} INACTIVITY_TIMEOUT 15)
        endif()
        if(EXISTS ${ORRERY_ROCKSDB_ARCHIVE})
            file(SHA256 ${ORRERY_ROCKSDB_ARCHIVE} found)
            if(found STREQUAL ORRERY_ROCKSDB_SHA256)
                set(${result} TRUE PARENT_SCOPE)
                return()
            endif()
        endif()
    endforeach()
endfunction()

# Defines the target `rocksdb_from_source`.
function(orrery_build_rocksdb)
    include(ExternalProject)
    set(directory ${CMAKE_BINARY_DIR}/rocksdb)
    set(library ${directory}/librocksdb.a)
    if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
        set(checksums -DFORCE_SSE42=ON)  # in every such processor since 2011
    endif()
    ExternalProject_Add(rocksdb_build
        URL ${ORRERY_ROCKSDB_ARCHIVE}
        URL_HASH SHA256=${ORRERY_ROCKSDB_SHA256}
        DOWNLOAD_EXTRACT_TIMESTAMP ON
        PREFIX ${directory}-source
        BINARY_DIR ${directory}
        # Compiling files in batches saves much of the time.
        CMAKE_ARGS
            -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=-w -include cstdint" "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"
            -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
            -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16
            -DPORTABLE=ON ${checksums} -DUSE_RTTI=ON -DFAIL_ON_WARNINGS=OFF
            -DWITH_LZ4=ON -DWITH_ZSTD=ON -DWITH_GFLAGS=OFF -DROCKSDB_BUILD_SHARED=OFF
            -DWITH_TESTS=OFF -DWITH_TOOLS=OFF -DWITH_CORE_TOOLS=OFF -DWITH_BENCHMARK_TOOLS=OFF
        BUILD_COMMAND ${CMAKE_COMMAND} --build . --target rocksdb
        BUILD_BYPRODUCTS ${library}
        INSTALL_COMMAND "")
    add_library(rocksdb_from_source INTERFACE)
    add_dependencies(rocksdb_from_source rocksdb_build)
    target_link_libraries(rocksdb_from_source INTERFACE ${library} lz4::lz4 zstd::zstd)
endfunction()

# The static library saves a call for each access to its thread-local variables, which every comparison
# of keys makes: a tenth of the CPU time of a write. ThreadSanitizer's filter tells RocksDB by its file name.
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "sanitize")
    set(ORRERY_ROCKSDB RocksDB::rocksdb-shared)
elseif(ORRERY_ROCKSDB_FROM_SOURCE AND RocksDB_VERSION VERSION_EQUAL ORRERY_ROCKSDB_VERSION)
    orrery_download_rocksdb(downloaded)
    if(downloaded)
        orrery_build_rocksdb()
        set(ORRERY_ROCKSDB rocksdb_from_source)
    else()
        message(WARNING "RocksDB's source could not be downloaded. The server will use Debian's library, with which "
                        "aggregates take longer; to try again, configure again.")
        set(ORRERY_ROCKSDB RocksDB::rocksdb)
    endif()
else()
    set(ORRERY_ROCKSDB RocksDB::rocksdb)
endif()
