// Compiles Asio and Beast once (CMakeLists.txt sets the separate-compilation macros).

#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
