#include "cli/manual.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "cli/completion.h"

namespace orrery::cli {
namespace manual_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Sample final : public Command {
public:
    std::string name() const override { return "sample"; }
    std::string summary() const override { return "show what's possible"; }
    std::string description() const override { return "Shows a back\\slash.\n.And a dot."; }
    std::vector<Example> examples() const override { return {{"orrery sample -x", "Try it"}}; }
    void declare(CLI::App& app) override {
        add_choice(app, "color", color_, colors_, "red", "Which [color]");
        add(app, "file-size", size_, "How large")->required();
        app.add_flag("-x,--extra", extra_, "More");
        app.add_option("FILE", files_, "What to read");
    }
    int run() override { return 0; }

private:
    const Choices<int> colors_ = {{"red", 1}, {"green", 2}};
    int color_ = 0;
    int size_ = 3;
    bool extra_ = false;
    std::vector<std::string> files_;
};

CommandDescription sample() {
    Sample command;
    return describe(command);
}

TEST(DescriptionTest, HasWhatIsDeclared) {
    const CommandDescription found = sample();
    ASSERT_EQ(found.options.size(), 5U);  // with --help
    EXPECT_THAT(found.options[1].names, ElementsAre("--color"));
    EXPECT_THAT(found.options[1].choices, ElementsAre("red", "green"));
    EXPECT_EQ(found.options[1].default_value, "red");
    EXPECT_EQ(found.options[2].value, "INT");
    EXPECT_EQ(found.options[2].default_value, "3");
    EXPECT_EQ(found.options[2].variable, "ORRERY_FILE_SIZE");
    EXPECT_TRUE(found.options[2].required);
    EXPECT_THAT(found.options[3].names, ElementsAre("-x", "--extra"));
    EXPECT_EQ(found.options[3].value, "");
    EXPECT_TRUE(found.options[4].names.empty());
    EXPECT_EQ(found.options[4].value, "FILE");
}

TEST(ManualTest, EscapesWhatManWouldInterpret) {
    const std::string page = command_page(sample());
    EXPECT_THAT(page, HasSubstr(".TH ORRERY\\-SAMPLE 1"));
    EXPECT_THAT(page, HasSubstr("Shows a back\\eslash.\n\\&.And a dot."));
    EXPECT_THAT(page, HasSubstr("\\fB\\-x\\fR, \\fB\\-\\-extra\\fR\nMore"));
    EXPECT_THAT(page, HasSubstr("One of: red, green"));
    EXPECT_THAT(page, HasSubstr("Environment: ORRERY_FILE_SIZE\n.br\nRequired."));
    EXPECT_THAT(page, HasSubstr("Try it:\n"));
    EXPECT_THAT(program_page({sample()}),
                HasSubstr(".BR orrery\\-sample (1)\nshow what's possible"));
}

TEST(CompletionTest, KnowsOptionsAndValues) {
    EXPECT_THAT(*completion_script("bash", {sample()}),
                AllOf(HasSubstr("'sample --color') words='red green' ;;"),
                      HasSubstr("sample) words='-h --help --color --file-size -x --extra' ;;")));
    EXPECT_THAT(*completion_script("zsh", {sample()}),
                AllOf(HasSubstr("'sample:show what'\\''s possible'"),
                      HasSubstr("'--color[Which \\[color\\]]:TEXT:(red green)'")));
    EXPECT_THAT(*completion_script("fish", {sample()}),
                AllOf(HasSubstr("-f -a sample -d 'show what'\\''s possible'"),
                      HasSubstr(" -s x -l extra -d 'More'")));
    EXPECT_FALSE(completion_script("csh", {sample()}));
}

}  // namespace manual_test
}  // namespace orrery::cli
