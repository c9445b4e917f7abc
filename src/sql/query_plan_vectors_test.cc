// Every query plan of the published baselines (query-plans/*.xml of the shared vectors, read in
// place), compared field by field. Skipped where they are absent.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "json/value.h"
#include "sql/binder.h"
#include "sql/checks.h"
#include "sql/parser.h"
#include "sql/query_plan.h"
#include "sql/query_spec.h"
#include "sql/test_xml.h"

namespace orrery::sql {
namespace query_plan_vectors_test {

namespace fs = std::filesystem;

// Shared vectors lie beside the repository; ORRERY_QUERY_PLANS overrides their location.
fs::path vectors() {
    if (const char* given = std::getenv("ORRERY_QUERY_PLANS")) return given;
    for (fs::path at = fs::current_path(); at != at.root_path(); at = at.parent_path()) {
        fs::path found = at / "shared" / "vectors" / "query-plans";
        if (fs::is_directory(found)) return found;
    }
    return {};
}

XmlNode read_xml(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::erase(text, '\r');  // XML normalises line ends
    return XmlReader(text).document();
}

// A plan as text, field by field, from any source. Empty fields are omitted.
using Fields = std::map<std::string, std::string>;

void set(Fields& fields, const std::string& name, const std::string& value) {
    if (!value.empty()) fields[name] = value;
}

std::string upper_first(std::string name) {
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
        name[0] = static_cast<char>(name[0] - 32);
    return name;
}

// The text of a scalar or list in the plan's JSON; booleans may be 0 and 1 (the native library).
std::string text_of(const json::Value& value) {
    if (value.is_null()) return "";
    if (value.is_string()) return value.string();
    if (value.is_bool()) return value.boolean() ? "True" : "False";
    if (!value.is_array()) return value.text();
    std::string out;
    for (const json::Value& element : value.array()) {
        out += text_of(element);
        out += '\n';
    }
    return out;
}

void add_info(Fields& fields, const std::string& prefix, const json::Value& info) {
    for (const auto& [name, value] : info.object()) {
        std::string field = prefix + upper_first(name);
        if (name == "groupByAliasToAggregateType") {
            field += '.';
            for (const auto& [alias, kind] : value.object()) {
                fields[field + alias] = kind.is_null() ? "null" : kind.string();
            }
        } else if (name == "hasSelectValue") {
            fields[field] = value.is_bool()       ? text_of(value)
                            : value.number() != 0 ? "True"
                                                  : "False";
        } else if (name != "hasNonStreamingOrderBy" && name != "dCountInfo") {
            set(fields, field, text_of(value));
        }
    }
}

void add_hybrid(Fields& fields, const json::Value& hybrid) {
    std::size_t number = 0;
    for (const auto& [name, value] : hybrid.object()) {
        if (name == "componentQueryInfos") {
            for (const json::Value& info : value.array()) {
                add_info(fields, "Component" + std::to_string(number++) + ".", info);
            }
        } else if (name == "globalStatisticsQuery" || name == "take" || name == "skip" ||
                   name == "requiresGlobalStatistics") {
            set(fields, upper_first(name), text_of(value));
        }
    }
}

Fields fields_of(const json::Value& plan) {
    Fields fields;
    if (const json::Value* info = plan.find("queryInfo")) add_info(fields, "", *info);
    const json::Value* hybrid = plan.find("hybridSearchQueryInfo");
    if (hybrid != nullptr && !hybrid->is_null()) add_hybrid(fields, *hybrid);
    return fields;
}

void add_info(Fields& fields, const std::string& prefix, const XmlNode& info) {
    for (const XmlNode& node : info.children) {
        const std::string field = prefix + node.name;
        if (node.name == "GroupByAliasToAggregateType") {
            for (const XmlNode& pair : node.children) {
                fields[field + "." + pair.text_of("Alias")] = pair.text_of("AggregateOperator");
            }
        } else if (!node.children.empty()) {
            for (const XmlNode& element : node.children) {
                fields[field] += element.text + "\n";
            }
        } else {
            set(fields, field, node.text);
        }
    }
}

Fields fields_of(const XmlNode& plan) {
    Fields fields;
    if (const XmlNode* info = plan.find("QueryInfo")) add_info(fields, "", *info);
    set(fields, "RewrittenQuery", plan.text_of("RewrittenQuery"));
    const XmlNode* hybrid = plan.find("HybridSearchQueryInfo");
    std::size_t number = 0;
    for (const XmlNode& node : hybrid == nullptr ? std::vector<XmlNode>() : hybrid->children) {
        if (node.name == "componentQueryInfo") {
            add_info(fields, "Component" + std::to_string(number++) + ".", node);
        } else {
            set(fields, node.name, node.text);
        }
    }
    return fields;
}

// Ranges in the space of keys: "all", or the keys in any order.
std::set<std::string> keys_of(const PartitionKeyFilter& filter) {
    if (filter.all) return {"all"};
    std::set<std::string> keys;
    for (const auto& key : filter.keys) {
        keys.insert(key.to_json());
    }
    return keys;
}

// [[5.0],[5.0]] is the key [5], [[],"Infinity") everything, [[],[]] nothing.
std::set<std::string> keys_of(const XmlNode& plan) {
    std::set<std::string> keys;
    const XmlNode* ranges = plan.find("QueryRanges");
    for (const XmlNode& range : ranges->find("Range")->children) {
        if (range.text == "[[],\"Infinity\")") return {"all"};
        if (range.text == "[[],[]]") continue;
        const json::Value pair = json::Value::parse(range.text).take();
        EXPECT_TRUE(pair.array()[0] == pair.array()[1]) << range.text;
        keys.insert(model::parse_partition_key_header(pair.array()[0].text()).take().to_json());
    }
    return keys;
}

struct Case {
    std::string query;
    std::vector<ParameterValue> parameters;
    model::PartitionKeyDefinition partition_key;
};

Case case_of(const XmlNode& input) {
    Case out;
    out.query = input.text_of("Query");
    for (const XmlNode& key : input.find("PartitionKeys")->children) {
        out.partition_key.path_texts.push_back(key.text);
        out.partition_key.paths.push_back(json::parse_path(key.text).take());
    }
    if (input.text_of("PartitionKeyType") == "MultiHash") {
        out.partition_key.kind = model::HashKind::kMultiHash;
    }
    if (const std::string list = input.text_of("QueryParameters"); !list.empty()) {
        out.parameters =
            parse_query_spec("{\"query\":\"\",\"parameters\":" + list + "}")->parameters;
    }
    return out;
}

Result<QueryPlan> plan_of(const Case& of) {
    const ast::QueryPtr query = TRY(parse(of.query));
    TRY(check_query(*query, {.find_function = find_function, .allow_unsupported = true}));
    const BindingContext context{.parameters = of.parameters, .computed = {}, .surroundings = {}};
    ConstantFolder folder(context);
    const Fold fold = [&](const ast::Expression& expression) { return folder.fold(expression); };
    return make_query_plan(
        *query,
        {.partition_key = of.partition_key, .fold = fold, .features = QueryFeatures::all()});
}

// The JSON in "….ExpectedQueryPartitionProviderException : {…}\n…".
std::string json_in(const std::string& exception) {
    const std::size_t start = exception.find("PartitionProviderException : {");
    if (start == std::string::npos) return exception;
    const std::size_t brace = exception.find('{', start);
    return exception.substr(brace, exception.find_first_of("\r\n", brace) - brace);
}

void expect_error(const Result<QueryPlan>& plan, const std::string& wanted) {
    // A plan that the client refused: the exception contains it, and we must produce it as well.
    if (wanted.starts_with("{\"query")) {
        ASSERT_TRUE(plan) << plan.error().message();
        EXPECT_EQ(fields_of(json::Value::parse(to_json(*plan)).take()),
                  fields_of(json::Value::parse(wanted).take()));
        return;
    }
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().message(), wanted);
}

void expect_plan(const Result<QueryPlan>& plan, const XmlNode& wanted) {
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_EQ(fields_of(json::Value::parse(to_json(*plan)).take()), fields_of(wanted));
    EXPECT_EQ(keys_of(plan->filter), keys_of(wanted));
    EXPECT_TRUE(std::is_sorted(
        plan->ranges.begin(), plan->ranges.end(), [](const QueryRange& a, const QueryRange& b) {
            return a.min_inclusive < b.min_inclusive;
        }));
}

TEST(QueryPlanVectors, All) {
    const fs::path directory = vectors();
    if (directory.empty()) GTEST_SKIP() << "no shared/vectors/query-plans above this directory";
    std::size_t cases = 0;
    for (const auto& file : fs::directory_iterator(directory)) {
        if (file.path().extension() != ".xml") continue;
        for (const XmlNode& result : read_xml(file.path()).children) {
            const XmlNode& input = *result.find("Input");
            SCOPED_TRACE(file.path().filename().string() + ": " + input.text_of("Description") +
                         ": " + input.text_of("Query"));
            const auto plan = plan_of(case_of(input));
            const XmlNode& output = result.find("Output")->children.at(0);
            if (output.name == "Exception") {
                expect_error(plan, json_in(output.text));
            } else {
                expect_plan(plan, output);
            }
            ++cases;
        }
    }
    EXPECT_GT(cases, 0U);
    RecordProperty("cases", static_cast<int>(cases));
}

}  // namespace query_plan_vectors_test
}  // namespace orrery::sql
