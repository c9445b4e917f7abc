#include "http/url.h"

#include <gtest/gtest.h>

namespace orrery::http {
namespace url_test {

TEST(Url, HasSchemeHostPortAndTarget) {
    const auto url = parse_url("HTTPS://Login.Example.com/common/keys?appid=1");
    ASSERT_TRUE(url);
    EXPECT_TRUE(url->secure);
    EXPECT_EQ(url->host, "login.example.com");
    EXPECT_EQ(url->port, 443);
    EXPECT_EQ(url->target, "/common/keys?appid=1");
    EXPECT_EQ(url->authority(), "login.example.com");
    EXPECT_EQ(url->shown(), "https://login.example.com/common/keys") << "without the query";
}

TEST(Url, MayBeShort) {
    EXPECT_EQ(parse_url("http://host")->target, "/");
    EXPECT_EQ(parse_url("http://host")->port, 80);
    EXPECT_EQ(parse_url("http://host:8080?q")->target, "/?q");
    EXPECT_EQ(parse_url("http://host:8080")->authority(), "host:8080");
    EXPECT_EQ(parse_url("https://[::1]:8080/x")->host, "::1");
    EXPECT_EQ(parse_url("https://[::1]:8080/x")->authority(), "[::1]:8080");
    EXPECT_EQ(parse_url("https://[::1]")->port, 443);
}

TEST(Url, IsRefusedWhenItIsNone) {
    for (const char* text : {"",
                             "host",
                             "ftp://host/",
                             "https://",
                             "https:///path",
                             "https://user@host/",
                             "https://user:word@host/",
                             "https://host:/",
                             "https://host:0/",
                             "https://host:65536/",
                             "https://host:80x/",
                             "https://::1/",
                             "https://[::1/",
                             "https://[::1]x/",
                             "https://[host]/",
                             "https://ho st/",
                             "https://host/a b",
                             "https://host/\r\nx: y",
                             "https://host/#part"}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
}

TEST(Url, KnowsLoopback) {
    for (const char* text :
         {"http://localhost/", "http://127.0.0.1:80", "http://127.9.9.9", "http://[::1]"}) {
        EXPECT_TRUE(parse_url(text)->names_loopback()) << text;
    }
    for (const char* text : {"http://127.example.com",
                             "http://128.0.0.1",
                             "http://localhost.example",
                             "http://[::2]"}) {
        EXPECT_FALSE(parse_url(text)->names_loopback()) << text;
    }
}

}  // namespace url_test
}  // namespace orrery::http
