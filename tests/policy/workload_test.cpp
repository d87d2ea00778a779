// SPDX-License-Identifier: Apache-2.0
//
// Queries of a workload file on the axes of the data, compared with counts of the cells themselves.
#include "cordon/policy/workload.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"
#include "cordon/bind/bind.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

constexpr const char* kPolicy = R"([data]
missing = ["?"]
[attributes.age]
role = "quasi"
type = "numeric"
range = [0, 99]
weight = 2
[attributes.born]
role = "quasi"
type = "date"
[attributes.job]
role = "quasi"
hierarchy = "job.csv"
[attributes.city]
role = "quasi"
[attributes.ill]
role = "sensitive"
[attributes.pay]
role = "sensitive"
type = "numeric"
[[privacy]]
model = "k-anonymity"
k = 2
[algorithm]
objective = "query-error"
workload = "queries.txt"
)";
constexpr const char* kJobs = "nurse;care;*\ndoctor;care;*\nclerk;office;*\nboss;office;*\n";

Result<Policy> PolicyWith(const ScratchFolder& folder, const std::string& queries, const char* policy = kPolicy) {
  folder.Write("job.csv", kJobs);
  folder.Write("queries.txt", queries);
  return ParsePolicy(policy, folder.path(), "p.toml");
}

struct Row {
  int age;  // tenths; negative: missing
  std::string born, job, city, ill;
  int pay;
};

std::vector<Row> RandomRows(std::size_t count) {
  Random random = Random::FromSeed(5);
  const std::vector<std::string> jobs = {"nurse", "doctor", "clerk", "boss"};
  const std::vector<std::string> cities = {"Rome", "Oslo", "Bonn"};
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const int age = static_cast<int>(random.Below(990)) - 40;
    rows.push_back({age, fmt::format("199{}-0{}-15", random.Below(10), 1 + random.Below(9)), jobs[random.Below(4)],
                    cities[random.Below(3)], random.Below(2) == 0 ? "flu" : "gout", static_cast<int>(random.Below(9))});
  }
  return rows;
}

Microdata DataOf(const Policy& policy, const std::vector<Row>& rows) {
  std::vector<NamedCells> cells = {{"age", {}}, {"born", {}}, {"job", {}}, {"city", {}}, {"ill", {}}, {"pay", {}}};
  for (const Row& row : rows) {
    cells[0].second.push_back(row.age < 0 ? "?" : fmt::format("{}.{}", row.age / 10, row.age % 10));
    cells[1].second.push_back(row.born);
    cells[2].second.push_back(row.job);
    cells[3].second.push_back(row.city);
    cells[4].second.push_back(row.ill);
    cells[5].second.push_back(std::to_string(row.pay));
  }
  return Bind(policy, TableOf(cells), {}).value();
}

struct Case {
  const char* query;
  bool (*holds)(const Row&);
};

const std::vector<Case> kCases = {
    {"age BETWEEN 30 AND 39.5", [](const Row& r) { return r.age >= 300 && r.age <= 395; }},
    {"age > 30.25 AND age < 30.75", [](const Row& r) { return r.age > 302 && r.age <= 307; }},
    {"age >= 40 AND age < 60 AND age <= 50", [](const Row& r) { return r.age >= 400 && r.age <= 500; }},
    {"age <= 20", [](const Row& r) { return r.age >= 0 && r.age <= 200; }},
    {"age IN (1, 2.5, 2.55, 700)", [](const Row& r) { return r.age == 10 || r.age == 25; }},
    {"age BETWEEN 50 AND 40", [](const Row&) { return false; }},
    {"born >= '1995-01-01' AND born < '1998-05-15'",
     [](const Row& r) { return r.born >= "1995-01-01" && r.born < "1998-05-15"; }},
    {"job = 'care'", [](const Row& r) { return r.job == "nurse" || r.job == "doctor"; }},
    {"job IN ('nurse', 'boss', 'care')", [](const Row& r) { return r.job != "clerk"; }},
    {"job IN ('nurse', 'boss') AND job = 'office'", [](const Row& r) { return r.job == "boss"; }},
    {"job = '*' AND city = 'Rome'", [](const Row& r) { return r.city == "Rome"; }},
    {"city IN ('Rome', 'Atlantis')", [](const Row& r) { return r.city == "Rome"; }},
    {"city = 'Atlantis'", [](const Row&) { return false; }},
    {"ill = 'flu' AND age >= 50", [](const Row& r) { return r.ill == "flu" && r.age >= 500; }},
    {"pay IN (1, 3, 7) AND job IN ('nurse', 'clerk')",
     [](const Row& r) { return (r.pay == 1 || r.pay == 3 || r.pay == 7) && (r.job == "nurse" || r.job == "clerk"); }},
};

TEST(PublishWorkload, CountsAreThoseOfTheCells) {
  const ScratchFolder folder;
  std::string text;
  for (const Case& each : kCases) text += std::string(each.query) + "\n";
  const auto policy = PolicyWith(folder, text);
  ASSERT_TRUE(policy.ok()) << Told(policy);
  const std::vector<Row> rows = RandomRows(3000);
  const Microdata data = DataOf(policy.value(), rows);
  const auto workload = WorkloadOf(policy.value(), data);
  ASSERT_TRUE(workload.ok()) << Told(workload);
  ASSERT_EQ(workload.value()->queries, kCases.size());
  const std::vector<std::uint64_t> boxes = CountQueries(data, workload.value()->boxes, {});
  std::vector<std::uint64_t> counts(kCases.size());
  for (std::size_t box = 0; box < boxes.size(); ++box) counts[workload.value()->query_of_box[box]] += boxes[box];
  for (std::size_t i = 0; i < kCases.size(); ++i) {
    const auto expected = static_cast<std::uint64_t>(std::count_if(rows.begin(), rows.end(), kCases[i].holds));
    EXPECT_EQ(counts[i], expected) << kCases[i].query;
  }
}

TEST(PublishWorkload, WeightsGoByHowManyQueriesAsk) {
  const ScratchFolder folder;
  const Policy policy = PolicyWith(folder, "age < 40\nage < 50 AND age > 20 AND city = 'Rome'\n").value();
  const Microdata data = DataOf(policy, RandomRows(10));
  const Microdata steered = WithWorkloadWeights(policy, data);
  EXPECT_DOUBLE_EQ(steered.columns[*data.Find("age")].attribute.weight, 2);  // asked by all, and 2 in the policy
  EXPECT_DOUBLE_EQ(steered.columns[*data.Find("city")].attribute.weight, 0.5);
  EXPECT_GT(steered.columns[*data.Find("job")].attribute.weight, 0);
  EXPECT_LT(steered.columns[*data.Find("job")].attribute.weight, 0.1);
  EXPECT_EQ(data.columns[*data.Find("city")].attribute.weight, 1);
}

TEST(PublishWorkload, BadFilesAreNamedWithTheirLine) {
  const ScratchFolder folder;
  const auto told = [&](const std::string& queries) {
    std::string text = Told(PolicyWith(folder, queries));
    const std::string path = folder.path().string() + "/";
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path)) text.erase(at, path.size());
    return text;
  };
  EXPECT_EQ(told("age < 4\njob = 'nurze'\n"),
            "queries.txt:2: the hierarchy of 'job' has no value or label 'nurze' / cordon hierarchy show job.csv lists them");
  EXPECT_EQ(told("ill = 'flu' AND pay = 3"),
            "queries.txt:1: a query asks about one sensitive column at most / the release does not change which of their "
            "values go together inside a group: no search can help");
  EXPECT_EQ(told("# none\n"), "queries.txt has no query / write one per line, such as: age BETWEEN 30 AND 39");
  std::filesystem::remove(folder.path() / "queries.txt");
  EXPECT_NE(Told(ParsePolicy(kPolicy, folder.path(), "p.toml")).find("p.toml:24: workload: "), std::string::npos);
  const std::string without = std::string(kPolicy).replace(std::string(kPolicy).find("objective = \"query-error\"\n"), 26, "");
  EXPECT_EQ(
      Told(ParsePolicy(without, folder.path(), "p.toml")),
      "p.toml:25:12: 'workload' names the queries of objective = \"query-error\" / add objective = \"query-error\", or leave "
      "workload out");
}

TEST(PublishWorkload, AQueryOfTooManyBoxesIsRefused) {
  const ScratchFolder folder;
  std::string ages;
  std::string days;
  for (int i = 0; i < 90; ++i) ages += fmt::format("{}{}.5", i == 0 ? "" : ", ", i);
  for (int i = 0; i < 50; ++i) days += fmt::format("{}'199{}-0{}-15'", i == 0 ? "" : ", ", i % 10, 1 + 2 * (i / 10));
  const Policy policy =
      PolicyWith(folder, "age < 3\nage IN (" + ages + ") AND born IN (" + days + ") AND pay IN (0, 2)\n").value();
  EXPECT_EQ(Told(WorkloadOf(policy, DataOf(policy, RandomRows(20'000)))),
            "queries.txt: line 2 asks for more than 4096 boxes / name labels of the hierarchy instead of many values, or split "
            "the query");
}

TEST(PublishWorkload, TheDigestGoesByWhatIsAsked) {
  const ScratchFolder folder;
  const std::string one = PolicyWith(folder, "age < 40\n").value().digest;
  EXPECT_EQ(PolicyWith(folder, "# a comment\nAGE<40").value().digest, one);
  EXPECT_NE(PolicyWith(folder, "age <= 40\n").value().digest, one);
}

}  // namespace
}  // namespace cordon::engine
