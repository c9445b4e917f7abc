#include "cli/command.h"

#include <cstdlib>
#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "cli/program.h"

namespace orrery::cli {
namespace command_test {

using testing::ElementsAre;
using testing::HasSubstr;

class Sample final : public Command {
public:
    explicit Sample(int* runs = nullptr) : runs_(runs) {}

    std::string name() const override { return "sample"; }
    std::string summary() const override { return "show how commands are declared"; }
    std::string description() const override { return "Shows how commands are declared."; }
    std::vector<Example> examples() const override {
        return {{"orrery sample --size 3", "Three of them"}};
    }
    void declare(CLI::App& app) override {
        add(app, "sample-size", size, "How many");
        app.add_option("FILE", files, "Files to read");
    }
    std::string check() override { return size > 9 ? "too many" : ""; }
    int run() override {
        ++*runs_;
        return 7;
    }

    int size = 1;
    std::vector<std::string> files;

private:
    int* const runs_;
};

TEST(CommandTest, SetsOptionsFromArgumentsBeforeTheEnvironment) {
    setenv("ORRERY_SAMPLE_SIZE", "2", 1);
    Sample from_environment;
    EXPECT_TRUE(parse(from_environment, {}).ready);
    EXPECT_EQ(from_environment.size, 2);
    Sample from_arguments;
    EXPECT_TRUE(parse(from_arguments, {"--sample-size", "3", "a", "b"}).ready);
    EXPECT_EQ(from_arguments.size, 3);
    EXPECT_THAT(from_arguments.files, ElementsAre("a", "b"));
    unsetenv("ORRERY_SAMPLE_SIZE");
}

TEST(CommandTest, RefusesWrongOptions) {
    for (const char* wrong : {"--sample-size=x", "--unknown", "--sample-size=10"}) {
        Sample sample;
        const Parsed parsed = parse(sample, {wrong});
        EXPECT_FALSE(parsed.ready) << wrong;
        EXPECT_EQ(parsed.exit_code, kExitUsage) << wrong;
        EXPECT_FALSE(parsed.text.empty()) << wrong;
    }
}

TEST(CommandTest, ShowsExamplesInTheHelp) {
    Sample sample;
    const Parsed parsed = parse(sample, {"--help"});
    EXPECT_EQ(parsed.exit_code, 0);
    EXPECT_THAT(parsed.text, HasSubstr("Shows how commands are declared."));
    EXPECT_THAT(parsed.text, HasSubstr("# Three of them\n  orrery sample --size 3"));
    EXPECT_THAT(parsed.text, HasSubstr("ORRERY_SAMPLE_SIZE"));
}

TEST(CommandTest, RunsTheCommandThatIsNamed) {
    int runs = 0;
    Commands commands;
    commands.push_back(std::make_unique<Sample>(&runs));
    EXPECT_EQ(run_program(commands, {"sample"}), 7);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(run_program(commands, {"other"}), kExitUsage);
    EXPECT_EQ(run_program(commands, {}), 0);
    EXPECT_EQ(run_program(commands, {"--version"}), 0);
    EXPECT_EQ(runs, 1);
}

TEST(CommandTest, SplitsLists) {
    EXPECT_THAT(split_list("a,b"), ElementsAre("a", "b"));
    EXPECT_THAT(split_list(",a,,"), ElementsAre("a"));
    EXPECT_TRUE(split_list("").empty());
}

}  // namespace command_test
}  // namespace orrery::cli
