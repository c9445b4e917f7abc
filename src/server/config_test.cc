#include "server/config.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/test_serve.h"
#include "storage/temporary_directory.h"

namespace orrery::server {
namespace config_test {

using testing::HasSubstr;

// Sets a variable for one test.
class EnvironmentVariable {
public:
    EnvironmentVariable(std::string name, const std::string& value) : name_(std::move(name)) {
        setenv(name_.c_str(), value.c_str(), 1);
    }
    ~EnvironmentVariable() { unsetenv(name_.c_str()); }
    EnvironmentVariable(const EnvironmentVariable&) = delete;
    EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

private:
    std::string name_;
};

struct Setting {
    std::string option;       // without the dashes
    std::string environment;  // the variable
    std::string value;
    std::string expected;  // what `read` then returns
    std::function<std::string(const ServeConfig&)> read;
    std::vector<std::string> bad;  // values that are refused
};

// A setting that is a number.
Setting number(std::string option,
               std::string environment,
               const std::string& value,
               std::uint32_t ServeConfig::*member,
               std::vector<std::string> bad) {
    return {std::move(option),
            std::move(environment),
            value,
            value,
            [member](const ServeConfig& config) { return std::to_string(config.*member); },
            std::move(bad)};
}

class ConfigTest : public testing::Test {
protected:
    ConfigTest() { std::ofstream(file_) << "content"; }

    std::string config_file(const std::string& content) {
        std::string path = directory_ / "orrery.toml";
        std::ofstream(path) << content;
        return path;
    }
    static ServeConfig parse(const std::vector<std::string>& arguments) {
        const ParsedServe parsed = parse_serve(arguments);
        EXPECT_TRUE(parsed.config) << parsed.text;
        return parsed.config.value_or(ServeConfig());
    }
    static std::string refused(const std::vector<std::string>& arguments) {
        const ParsedServe parsed = parse_serve(arguments);
        EXPECT_FALSE(parsed.config);
        EXPECT_EQ(parsed.exit_code, cli::kExitUsage);
        EXPECT_TRUE(prints_whole(parsed.text));
        return parsed.config ? "(not refused)" : parsed.text;
    }

    // The text is printed as a C string.
    static bool prints_whole(const std::string& text) {
        return text.find('\0') == std::string::npos;
    }

    const storage::TemporaryDirectory directory_;
    const std::string file_ = directory_ / "file";

    const std::vector<Setting> settings_ = {
        {"listen",
         "ORRERY_LISTEN",
         "0.0.0.0:9000",
         "0.0.0.0 9000",
         [](const ServeConfig& c) { return c.address + " " + std::to_string(c.port); },
         {"9000",
          ":9000",
          "localhost",
          "example.com:80",
          "127.0.0.1:",
          "127.0.0.1:x",
          "127.0.0.1:70000",
          "127.0.0.1:-1",
          "1.2.3:80",
          "[::1]",
          "[::g]:80"}},
        {"advertise",
         "ORRERY_ADVERTISE",
         "https://db.example.com:8081",
         "https://db.example.com:8081/",
         [](const ServeConfig& c) { return c.advertised_endpoint; },
         {"db.example.com:8081",
          "",
          "https://",
          "https:///",
          "ftp://db.example.com/",
          "https://db.example.com:0/",
          "https://db.example.com:65536/",
          "https://db.example.com:/",
          "https://db.example.com:80x/",
          "https://db.example.com//",
          "https://db.example.com/path",
          "https://db.example.com?query",
          "https://user@db.example.com/",
          "https://two words/",
          "https://quo\"te/",
          "https://::1/",
          "https://[::g]/",
          "https://[::1]:x/"}},
        {"allow",
         "ORRERY_ALLOW",
         "10.0.0.0/8,::1",
         "2",
         [](const ServeConfig& c) { return std::to_string(c.allowed_networks.size()); },
         {"10.0.0.1/8", "host", ",", "10.0.0.0/8;11.0.0.0/8"}},
        {"cors-origins",
         "ORRERY_CORS_ORIGINS",
         "https://app.example,http://localhost:3000",
         "2",
         [](const ServeConfig& c) { return std::to_string(c.allowed_origins.size()); },
         {"app.example", "https://app.example/", ","}},
        {"data",
         "ORRERY_DATA",
         "/some/where",
         "/some/where",
         [](const ServeConfig& c) { return c.data_directory; },
         {}},
        {"ephemeral",
         "ORRERY_EPHEMERAL",
         "true",
         "1",
         [](const ServeConfig& c) { return std::to_string(static_cast<int>(c.ephemeral)); },
         {"perhaps"}},
        {"key-file",
         "ORRERY_KEY_FILE",
         file_,
         file_,
         [](const ServeConfig& c) { return c.key_file; },
         {"/does/not/exist", "/tmp"}},
        {"secondary-key-file",
         "ORRERY_SECONDARY_KEY_FILE",
         file_,
         file_,
         [](const ServeConfig& c) { return c.secondary_key_file; },
         {"/does/not/exist", "/tmp"}},
        {"readonly-key-file",
         "ORRERY_READONLY_KEY_FILE",
         file_,
         file_,
         [](const ServeConfig& c) { return c.readonly_key_file; },
         {"/does/not/exist", "/tmp"}},
        {"secondary-readonly-key-file",
         "ORRERY_SECONDARY_READONLY_KEY_FILE",
         file_,
         file_,
         [](const ServeConfig& c) { return c.secondary_readonly_key_file; },
         {"/does/not/exist", "/tmp"}},
        {"emulator-tokens",
         "ORRERY_EMULATOR_TOKENS",
         "true",
         "1",
         [](const ServeConfig& c) { return std::to_string(c.emulator_tokens.value_or(false)); },
         {"perhaps"}},
        {"metrics-token-file",
         "ORRERY_METRICS_TOKEN_FILE",
         file_,
         file_,
         [](const ServeConfig& c) { return c.metrics_token_file; },
         {"/does/not/exist", "/tmp"}},
        {"slow-query-ms",
         "ORRERY_SLOW_QUERY_MS",
         "250",
         "250",
         [](const ServeConfig& c) {
             return c.slow_query ? std::to_string(c.slow_query->count()) : "none";
         },
         {"-2", "x", "1.5", "on", "99999999999"}},
        {"port-file",
         "ORRERY_PORT_FILE",
         "/some/port",
         "/some/port",
         [](const ServeConfig& c) { return c.port_file; },
         {}},
        {"partitions",
         "ORRERY_PARTITIONS",
         "7",
         "7",
         [](const ServeConfig& c) { return std::to_string(c.partitions.value_or(0)); },
         {"0", "1001", "-1", "x", "1.5", "7x"}},
        number("threads", "ORRERY_THREADS", "3", &ServeConfig::threads, {"257", "-1", "x"}),
        number("control-threads",
               "ORRERY_CONTROL_THREADS",
               "3",
               &ServeConfig::control_threads,
               {"257", "-1", "x"}),
        number("item-threads",
               "ORRERY_ITEM_THREADS",
               "3",
               &ServeConfig::item_threads,
               {"257", "-1", "x"}),
        number("query-threads",
               "ORRERY_QUERY_THREADS",
               "3",
               &ServeConfig::query_threads,
               {"257", "-1", "x"}),
        number("long-query-threads",
               "ORRERY_LONG_QUERY_THREADS",
               "3",
               &ServeConfig::long_query_threads,
               {"257", "-1", "x"}),
        number("script-threads",
               "ORRERY_SCRIPT_THREADS",
               "3",
               &ServeConfig::script_threads,
               {"257", "-1", "x"}),
        number("writer-threads",
               "ORRERY_WRITER_THREADS",
               "3",
               &ServeConfig::writer_threads,
               {"257", "-1", "x"}),
        number(
            "queue-max", "ORRERY_QUEUE_MAX", "5", &ServeConfig::queue_max, {"0", "1000001", "x"}),
        number("partition-idle-seconds",
               "ORRERY_PARTITION_IDLE_SECONDS",
               "5",
               &ServeConfig::partition_idle_seconds,
               {"0", "86401", "x"}),
        number("connections-max",
               "ORRERY_CONNECTIONS_MAX",
               "12",
               &ServeConfig::connections_max,
               {"0", "1000001", "x"}),
        number("body-memory-mb",
               "ORRERY_BODY_MEMORY_MB",
               "32",
               &ServeConfig::body_memory_mb,
               {"7", "1000001", "x"}),
        number("response-memory-mb",
               "ORRERY_RESPONSE_MEMORY_MB",
               "32",
               &ServeConfig::response_memory_mb,
               {"7", "1000001", "x"}),
        number("query-memory-mb",
               "ORRERY_QUERY_MEMORY_MB",
               "64",
               &ServeConfig::query_memory_mb,
               {"0", "1000001", "x"}),
        number("ttl-sweep-ms",
               "ORRERY_TTL_SWEEP_MS",
               "50",
               &ServeConfig::ttl_sweep_ms,
               {"9", "3600001", "x"}),
        number("drain-seconds",
               "ORRERY_DRAIN_SECONDS",
               "0",
               &ServeConfig::drain_seconds,
               {"3601", "-1", "x"}),
        number("block-cache-mb",
               "ORRERY_BLOCK_CACHE_MB",
               "64",
               &ServeConfig::block_cache_mb,
               {"-1", "1000001", "x"}),
        number("partition-max-mb",
               "ORRERY_PARTITION_MAX_MB",
               "16",
               &ServeConfig::partition_max_mb,
               {"0", "1000001", "x"}),
        number("logical-partition-max-mb",
               "ORRERY_LOGICAL_PARTITION_MAX_MB",
               "16",
               &ServeConfig::logical_partition_max_mb,
               {"0", "1000001", "x"}),
        number("memtable-mb",
               "ORRERY_MEMTABLE_MB",
               "16",
               &ServeConfig::memtable_mb,
               {"0", "4097", "x"}),
        {"consistency",
         "ORRERY_CONSISTENCY",
         "Bounded-Staleness",
         "1",
         [](const ServeConfig& c) { return std::to_string(static_cast<int>(c.consistency)); },
         {"linearizable", ""}},
        {"log-level",
         "ORRERY_LOG_LEVEL",
         "debug",
         "0",
         [](const ServeConfig& c) { return std::to_string(static_cast<int>(c.log_level)); },
         {"loud", ""}},
        {"log-format",
         "ORRERY_LOG_FORMAT",
         "json",
         "1",
         [](const ServeConfig& c) { return std::to_string(static_cast<int>(c.log_format)); },
         {"xml"}},
    };
};

TEST_F(ConfigTest, Defaults) {
    const ServeConfig config = parse({});
    EXPECT_EQ(config.address, "127.0.0.1");
    EXPECT_EQ(config.port, 8081);
    EXPECT_EQ(config.data_directory, "./orrery-data");
    EXPECT_FALSE(config.ephemeral);
    EXPECT_FALSE(config.partitions);
    EXPECT_EQ(config.consistency, model::ConsistencyLevel::kSession);
    EXPECT_EQ(config.partition_max_mb, 51'200U);
    EXPECT_EQ(config.logical_partition_max_mb, 20'480U);
    EXPECT_EQ(config.threads, 0U);
    EXPECT_EQ(config.queue_max, 1024U);
    EXPECT_EQ(config.partition_idle_seconds, 600U);
    EXPECT_EQ(config.connections_max, 20'000U);
    EXPECT_EQ(config.body_memory_mb, 256U);
    EXPECT_EQ(config.response_memory_mb, 256U);
    EXPECT_EQ(config.query_memory_mb, 512U);
    EXPECT_EQ(config.ttl_sweep_ms, 1000U);
    EXPECT_EQ(config.drain_seconds, 10U);
    EXPECT_EQ(config.block_cache_mb, 0U);
    EXPECT_EQ(config.memtable_mb, 64U);
    EXPECT_EQ(config.log_level, log::Level::kInfo);
    EXPECT_EQ(config.log_format, log::Format::kText);
}

TEST_F(ConfigTest, EveryOptionOnTheCommandLine) {
    for (const Setting& setting : settings_) {
        EXPECT_NE(setting.read(parse({})), setting.expected) << setting.option;
        EXPECT_EQ(setting.read(parse({"--" + setting.option + "=" + setting.value})),
                  setting.expected)
            << setting.option;
    }
    EXPECT_TRUE(parse({"--ephemeral"}).ephemeral);
    EXPECT_EQ(parse({"--data", "/x"}).data_directory, "/x");
    EXPECT_EQ(parse({"--log-level", "WARN"}).log_level, log::Level::kWarn);
}

TEST_F(ConfigTest, EveryOptionInTheEnvironment) {
    for (const Setting& setting : settings_) {
        const EnvironmentVariable variable(setting.environment, setting.value);
        EXPECT_EQ(setting.read(parse({})), setting.expected) << setting.environment;
    }
}

TEST_F(ConfigTest, EveryOptionInAFile) {
    for (const Setting& setting : settings_) {
        const std::string path =
            config_file("# a comment\n" + setting.option + " = \"" + setting.value + "\"\n");
        EXPECT_EQ(setting.read(parse({"--config", path})), setting.expected) << setting.option;
        const EnvironmentVariable variable("ORRERY_CONFIG", path);
        EXPECT_EQ(setting.read(parse({})), setting.expected) << setting.option;
    }
    const std::string several =
        config_file("threads = 5\nephemeral = true\nlisten = \"[::1]:70\"\n");
    const ServeConfig config = parse({"--config", several});
    EXPECT_EQ(config.threads, 5U);
    EXPECT_TRUE(config.ephemeral);
    EXPECT_EQ(config.address, "::1");
    EXPECT_EQ(config.port, 70);
}

TEST_F(ConfigTest, RefusesBadValuesNamingTheOption) {
    for (const Setting& setting : settings_) {
        for (const std::string& bad : setting.bad) {
            EXPECT_THAT(refused({"--" + setting.option + "=" + bad}), HasSubstr(setting.option))
                << bad;
            if (bad.empty()) continue;
            const EnvironmentVariable variable(setting.environment, bad);
            EXPECT_NE(refused({}), "") << setting.environment << "=" << bad;
        }
        if (setting.bad.empty()) continue;
        const std::string path = config_file(setting.option + " = \"" + setting.bad[0] + "\"\n");
        EXPECT_THAT(refused({"--config", path}), HasSubstr(setting.option));
    }
}

TEST_F(ConfigTest, RefusesAndNamesUnknownOptions) {
    EXPECT_THAT(refused({"--colour", "red"}), HasSubstr("--colour"));
    EXPECT_THAT(refused({"stray"}), HasSubstr("stray"));
    EXPECT_THAT(refused({"--config", config_file("colour = \"red\"\n")}), HasSubstr("colour"));
    EXPECT_THAT(refused({"--config", config_file("[section]\nthreads = 1\n")}),
                HasSubstr("section"));
    EXPECT_THAT(refused({"--config", "/does/not/exist"}), HasSubstr("/does/not/exist"));
    EXPECT_THAT(refused({"--threads"}), HasSubstr("threads"));
}

TEST_F(ConfigTest, CommandLineOverridesEnvironmentOverridesFile) {
    const std::string path =
        config_file("listen = \"127.0.0.3:3\"\nthreads = 3\ndrain-seconds = 3\n");
    const EnvironmentVariable listen("ORRERY_LISTEN", "127.0.0.2:2");
    const EnvironmentVariable threads("ORRERY_THREADS", "2");
    const ServeConfig config = parse({"--config", path, "--listen", "127.0.0.1:1"});
    EXPECT_EQ(config.address, "127.0.0.1");
    EXPECT_EQ(config.port, 1);
    EXPECT_EQ(config.threads, 2U);
    EXPECT_EQ(config.drain_seconds, 3U);
    const ServeConfig without = parse({"--config", path});
    EXPECT_EQ(without.address, "127.0.0.2");
    EXPECT_EQ(without.port, 2);
}

TEST_F(ConfigTest, ListenAddresses) {
    EXPECT_EQ(parse({"--listen", "localhost:80"}).address, "127.0.0.1");
    EXPECT_EQ(parse({"--listen", "[::]:0"}).address, "::");
    EXPECT_EQ(parse({"--listen", "[::]:0"}).port, 0);
    EXPECT_EQ(parse({"--listen", "127.0.0.1:65535"}).port, 65535);
    EXPECT_TRUE(parse({"--listen", "127.9.9.9:1"}).loopback());
    EXPECT_TRUE(parse({"--listen", "[::1]:1"}).loopback());
    EXPECT_TRUE(parse({"--listen", "localhost:1"}).loopback());
    for (const char* open : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "[fe80::1]:1"}) {
        EXPECT_FALSE(parse({"--listen", open}).loopback()) << open;
    }
}

TEST_F(ConfigTest, AdvertisedEndpointsEndInASlash) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"https://localhost:8081/", "https://localhost:8081/"},
        {"http://127.0.0.1:8081", "http://127.0.0.1:8081/"},
        {"https://host:443", "https://host:443/"},
        {"https://host", "https://host/"},
        {"HTTPS://My_Host-1.Example", "https://my_host-1.example/"},
        {"https://[::1]:8081/", "https://[::1]:8081/"},
        {"http://[::1]", "http://[::1]/"}};
    for (const auto& [given, expected] : cases) {
        EXPECT_EQ(parse({"--advertise", given}).advertised_endpoint, expected);
    }
    EXPECT_EQ(parse({}).advertised_endpoint, "");
    EXPECT_THAT(refused({"--advertise", "here"}), HasSubstr("is not a URL such as https://"));
}

TEST_F(ConfigTest, SlowQueriesAreLoggedAfterASecondUnlessTurnedOff) {
    using std::chrono::milliseconds;
    EXPECT_EQ(parse({}).slow_query, milliseconds(1000));
    EXPECT_EQ(parse({"--slow-query-ms", "0"}).slow_query, milliseconds(0));
    for (const char* off : {"-1", "off", "OFF"}) {
        EXPECT_EQ(parse({"--slow-query-ms", off}).slow_query, std::nullopt) << off;
    }
    const EnvironmentVariable variable("ORRERY_SLOW_QUERY_MS", "off");
    EXPECT_EQ(parse({"--slow-query-ms", "7"}).slow_query, milliseconds(7));
}

TEST_F(ConfigTest, CertificateAndKeyMustBeGivenTogether) {
    EXPECT_THAT(refused({"--tls-certificate", file_}), HasSubstr("must be given together"));
    EXPECT_THAT(refused({"--tls-key", file_}), HasSubstr("must be given together"));
    EXPECT_THAT(refused({"--tls-key", file_, "--tls-certificate", "/does/not/exist"}),
                HasSubstr("tls-certificate"));
    const ServeConfig config = parse({"--tls-certificate", file_, "--tls-key", file_});
    EXPECT_EQ(config.tls_certificate_file, file_);
    EXPECT_EQ(config.tls_key_file, file_);
    const EnvironmentVariable certificate("ORRERY_TLS_CERTIFICATE", file_);
    const EnvironmentVariable key("ORRERY_TLS_KEY", file_);
    EXPECT_EQ(parse({}).tls_key_file, file_);
}

TEST_F(ConfigTest, HelpListsEveryOptionAndItsVariable) {
    const ParsedServe help = parse_serve({"--help"});
    EXPECT_FALSE(help.config);
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_TRUE(prints_whole(help.text));
    EXPECT_THAT(help.text, HasSubstr("{debug,info,warn,error}"));
    EXPECT_THAT(help.text, HasSubstr("{text,json}"));
    for (const Setting& setting : settings_) {
        EXPECT_THAT(help.text, HasSubstr("--" + setting.option));
        EXPECT_THAT(help.text, HasSubstr(setting.environment));
    }
    EXPECT_THAT(help.text, HasSubstr("ORRERY_CONFIG"));
}

TEST_F(ConfigTest, BearerTokensNeedAllTheirSettings) {
    const std::vector<std::string> all = {
        "--token-issuer=https://a/,https://b/", "--token-audience=x", "--token-keys-file=" + file_};
    const ServeConfig config = parse(all);
    EXPECT_EQ(config.token_issuers, (std::vector<std::string>{"https://a/", "https://b/"}));
    EXPECT_EQ(config.token_audiences, std::vector<std::string>{"x"});
    EXPECT_EQ(config.token_keys_file, file_);
    EXPECT_FALSE(config.emulator_tokens);
    for (const std::string& one : all)
        EXPECT_THAT(refused({one}), HasSubstr("must be given together"));
    const EnvironmentVariable variable("ORRERY_TOKEN_AUDIENCE", "y,z");
    EXPECT_EQ(parse(all).token_audiences, std::vector<std::string>{"x"});
    EXPECT_EQ(parse({all[0], all[2]}).token_audiences, (std::vector<std::string>{"y", "z"}));
}

}  // namespace config_test
}  // namespace orrery::server
