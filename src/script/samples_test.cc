// Runs the scripts of tests/scripts on a container in memory.

#include <fstream>
#include <sstream>

#include "script/test_support.h"

namespace orrery::script {
namespace samples_test {

using testing::HasSubstr;

class SamplesTest : public ScriptTest {
protected:
    static std::string sample(const std::string& name) {
        std::ifstream file(std::string(ORRERY_SOURCE_DIR) + "/tests/scripts/" + name + ".js");
        std::ostringstream text;
        text << file.rdbuf();
        EXPECT_FALSE(text.str().empty()) << name;
        return text.str();
    }

    std::string run(const std::string& name, const std::string& arguments = {}) {
        return result(sample(name), arguments);
    }

    // Makes queries return the items whose member has this value.
    void find_by(const std::string& member, json::Value value) {
        host_.on_query = [this, member, value = std::move(value)](const Operation&) {
            json::Value::Array rows;
            for (const json::Value& item : host_.items) {
                const json::Value* found = item.find(member);
                if (found != nullptr && *found == value) rows.push_back(item);
            }
            return Reply{.status = 200, .body = json::Value(rows).text(), .continuation = {}};
        };
    }

    const json::Value& item(const std::string& id) {
        for (const json::Value& item : host_.items) {
            if (item.find("id")->string() == id) return item;
        }
        ADD_FAILURE() << "no item " << id;
        return host_.items.front();
    }

    void add_numbers(int count) {
        for (int i = 0; i < count; ++i) {
            const std::string n = std::to_string(i);
            host_.add(R"({"id":")" + n + R"(","n":)" + n + "}");
        }
    }
};

TEST_F(SamplesTest, Simple) {
    EXPECT_EQ(run("simple", R"(["first: "])"), "\"no docs found\"");
    host_.add(R"({"id":"a"})");
    EXPECT_EQ(run("simple", R"(["first: "])"), R"("first: \"a\"")");
}

TEST_F(SamplesTest, BulkImport) {
    EXPECT_EQ(run("bulk_import", R"([[{"id":"1"},{"id":"2"},{"a":3}]])"), "3");
    EXPECT_EQ(host_.items.size(), 3U);
    EXPECT_EQ(run("bulk_import", "[[]]"), "0");
    EXPECT_THAT(run("bulk_import"), HasSubstr("undefined or null"));
    EXPECT_THAT(run("bulk_import", R"([[{"id":"9"},{"id":"1"}]])"), HasSubstr("the id exists"));
    host_.operations_max = host_.operations.size() + 1;
    EXPECT_EQ(run("bulk_import", R"([[{"id":"7"},{"id":"8"}]])"), "1");
}

TEST_F(SamplesTest, BulkDelete) {
    add_numbers(250);
    EXPECT_EQ(run("bulk_delete", R"(["SELECT * FROM c"])"),
              R"({"deleted":250,"continuation":false})");
    add_numbers(10);
    host_.operations_max = host_.operations.size() + 5;
    EXPECT_EQ(run("bulk_delete", R"(["SELECT * FROM c"])"), R"({"deleted":4,"continuation":true})");
}

TEST_F(SamplesTest, CountAndSum) {
    add_numbers(60);
    EXPECT_EQ(run("count"), R"({"count":60,"continuationToken":null})");
    EXPECT_EQ(run("count", R"(["SELECT * FROM c"])"), R"({"count":60,"continuationToken":null})");
    EXPECT_EQ(run("count", R"([null,"50"])"), R"({"count":10,"continuationToken":null})");
    EXPECT_EQ(run("sum", R"(["n"])"), R"({"sum":1770})");
    const Outcome outcome = run_procedure(sample("sum"), R"(["none"])");
    EXPECT_EQ(outcome.status.error().sub_status(), 400U);
}

TEST_F(SamplesTest, Update) {
    host_.add(R"({"id":"a","n":1,"list":[1],"old":true})");
    find_by("id", "a");
    EXPECT_THAT(
        run("update",
            R"(["a",{"$inc":{"n":4},"$set":{"s":"t"},"$unset":{"old":""},"$push":{"list":2}}])"),
        HasSubstr(R"({"id":"a","n":5,"list":[1,2],"_rid":)"));
    EXPECT_EQ(item("a").find("s")->string(), "t");
    find_by("id", "b");
    EXPECT_EQ(run_procedure(sample("update"), R"(["b",{}])").status.error().sub_status(), 404U);
}

TEST_F(SamplesTest, Upsert) {
    find_by("id", "a");
    EXPECT_EQ(run("upsert", R"([{"id":"a"}])"), R"({"op":"created","id":"a"})");
    EXPECT_EQ(run("upsert", R"([{"id":"a","n":1}])"), R"({"op":"replaced","id":"a"})");
    EXPECT_EQ(host_.items.size(), 1U);
}

TEST_F(SamplesTest, OrderBy) {
    add_numbers(7);
    EXPECT_EQ(run("order_by", R"(["n",true,3])"), R"(["6","5","4"])");
}

TEST_F(SamplesTest, SwapPlayers) {
    host_.add(R"({"id":"a","team":"red"})");
    host_.add(R"({"id":"b","team":"blue"})");
    EXPECT_EQ(run("swap_players", R"(["a","b"])"), "true");
    EXPECT_EQ(item("a").find("team")->string(), "blue");
    EXPECT_EQ(item("b").find("team")->string(), "red");
    const Outcome outcome = run_procedure(sample("swap_players"), R"(["a","c"])");
    EXPECT_EQ(outcome.status.error().sub_status(), 404U);
}

TEST_F(SamplesTest, CreateToDoItems) {
    EXPECT_EQ(run("create_to_do_items", R"([[{"id":"1"},{"id":"2"}]])"), "2");
    EXPECT_FALSE(item("2").find("isDone")->boolean());
}

TEST_F(SamplesTest, AsyncUpdate) {
    add_numbers(3);
    const std::size_t before = host_.items.size();
    // Replacing moves an item to the end, so every page is read before it is changed.
    EXPECT_NE(run("async_update"), "\"\"");
    EXPECT_EQ(host_.items.size(), before);
    host_.items.clear();
    host_.add(R"({"id":"p","poison":true})");
    const Outcome outcome = run_procedure(sample("async_update"));
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().sub_status(), 1234U);
}

TEST_F(SamplesTest, PatchDemo) {
    host_.add(R"({"id":"a","counter":1})");
    EXPECT_EQ(run("patch_demo", R"(["a"])"), "\"a\"");
    EXPECT_THAT(host_.operations.back().text, HasSubstr("\"condition\":\"from c"));
}

TEST_F(SamplesTest, BulkInsertDetached) {
    EXPECT_EQ(
        run("bulk_insert_detached", R"([[{"id":"1"},{"id":"1"},{"id":"2"}]])"),
        R"({"count":2,"errorCode":0,"errors":[{"index":1,"number":409,"body":"the id exists"}]})");
}

TEST_F(SamplesTest, ConflictResolver) {
    host_.add(R"({"id":"x","myCustomId":5})");
    const std::string existing = item("x").text();
    EXPECT_TRUE(run_procedure(sample("conflict_resolver"),
                              R"([{"id":"x","myCustomId":1},)" + existing + ",false,[]]")
                    .status);
    EXPECT_EQ(item("x").find("myCustomId")->integer(), 1);
}

TEST_F(SamplesTest, PreTriggers) {
    EXPECT_THAT(
        *run_trigger(ScriptKind::kPreTrigger, sample("validate_timestamp"), R"({"id":"a"})").body,
        HasSubstr(R"({"id":"a","timestamp":1)"));
    EXPECT_EQ(run_trigger(ScriptKind::kPreTrigger,
                          sample("canonicalize_schedule"),
                          R"({"schedule":{"Thursday":1,"someday":2}})")
                  .body,
              R"({"schedule":{"thursday":1}})");
    host_.add(R"({"id":"1","name":"n"})");
    find_by("name", "n");
    const Outcome outcome =
        run_trigger(ScriptKind::kPreTrigger, sample("unique_name"), R"({"name":"n"})");
    EXPECT_EQ(outcome.status.error().sub_status(), 409U);
    find_by("name", "m");
    EXPECT_EQ(run_trigger(ScriptKind::kPreTrigger, sample("unique_name"), R"({"name":"m"})").body,
              R"({"name":"m","isUnique":true})");
}

TEST_F(SamplesTest, UpdateMetadata) {
    host_.add(R"({"id":"meta","isMetadata":true,"min":3,"max":4,"total":7})");
    find_by("isMetadata", true);
    EXPECT_TRUE(
        run_trigger(ScriptKind::kPostTrigger, sample("update_metadata"), R"({"id":"x","size":10})")
            .status);
    EXPECT_EQ(item("meta").find("max")->integer(), 10);
    EXPECT_EQ(item("meta").find("total")->integer(), 17);
}

TEST_F(SamplesTest, Tax) {
    const auto session = runtime_->open_udfs(std::chrono::seconds(1));
    const std::size_t tax = session->add({"tax", sample("tax")}).take();
    const UdfValue income = UdfValue::number(5000);
    EXPECT_EQ(session->call(tax, {&income, 1})->number(), 1000);
    EXPECT_THAT(session->call(tax, {}).error().message(), HasSubstr("no input"));
}

}  // namespace samples_test
}  // namespace orrery::script
