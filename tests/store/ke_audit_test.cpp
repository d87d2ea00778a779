// SPDX-License-Identifier: Apache-2.0
//
// The help table of a store against its rows: what is made holds, and one changed cell, line or group is found, whatever the
// digests say.
#include "cordon/store/ke_audit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "cordon/base/random.h"
#include "cordon/data/decimal.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/models/verify/help_verifier.h"
#include "cordon/policy/read_policy.h"
#include "cordon/query/help_table.h"
#include "cordon/store/ke_append.h"
#include "cordon/store/ke_query.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

constexpr auto kOver = fs::copy_options::recursive | fs::copy_options::overwrite_existing;

HelpVerifier::Line LineOf(const HelpTable& help, std::size_t i) {
  return {help.group[i],  help.hits[i],   help.sum_lo[i], help.sum_hi[i],
          help.min_lo[i], help.min_hi[i], help.max_lo[i], help.max_hi[i]};
}
HelpVerifier::Facts FactsOf(const HelpGroups& groups, std::size_t i) {
  return {groups.group[i], groups.rows[i], groups.distinct[i], groups.least[i], groups.greatest[i], groups.total[i]};
}

TEST(HelpVerifier, AgreesWithTheTablesThatAreMadeAndFindsEveryChangedCell) {
  Random random = Random::FromSeed(5);
  for (int run = 0; run < 200; ++run) {
    std::vector<std::int64_t> groups;
    std::vector<std::int64_t> values;
    const std::uint64_t spread = run % 3 == 0 ? 1'000 : 1;  // numbers far apart
    for (std::uint64_t row = 1 + random.Below(60); row > 0; --row) {
      groups.push_back(static_cast<std::int64_t>(3 + random.Below(6) * (run % 5 == 0 ? 1 : spread)));
      values.push_back(static_cast<std::int64_t>(random.Below(run % 2 == 0 ? 8 : 100'000)) - 4);
    }
    const HelpTables tables = MakeHelpTables(groups, values).value();
    HelpVerifier verifier(groups, values);
    ASSERT_EQ(verifier.groups().size(), tables.groups.group.size());
    const std::size_t bad_line = random.Below(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const HelpVerifier::Line good = LineOf(tables.help, i);
      for (int cell = 0; i == bad_line && cell < 8; ++cell) {
        HelpVerifier checked = verifier;
        HelpVerifier::Line bad = good;
        HelpVerifier::Cell* cells[] = {&bad.group,  &bad.hits,   &bad.sum_lo, &bad.sum_hi,
                                       &bad.min_lo, &bad.min_hi, &bad.max_lo, &bad.max_hi};
        *cells[cell] = run % 7 == 0 ? HelpVerifier::Cell() : HelpVerifier::Cell(**cells[cell] + 1);
        EXPECT_NE(checked.Check(bad), nullptr) << cell;
      }
      ASSERT_FALSE(verifier.done());
      ASSERT_EQ(verifier.Check(good), nullptr) << run << " " << i;
    }
    EXPECT_TRUE(verifier.done());
    EXPECT_NE(verifier.Check(LineOf(tables.help, 0)), nullptr);
    for (std::size_t i = 0; i < tables.groups.group.size(); ++i) {
      const HelpVerifier::Facts good = FactsOf(tables.groups, i);
      for (int cell = 0; cell < 6; ++cell) {
        HelpVerifier checked = verifier;
        HelpVerifier::Facts bad = good;
        HelpVerifier::Cell* cells[] = {&bad.group, &bad.rows, &bad.distinct, &bad.least, &bad.greatest, &bad.total};
        *cells[cell] = **cells[cell] - 1;
        EXPECT_NE(checked.Check(bad), nullptr) << cell;
      }
      ASSERT_EQ(verifier.Check(good), nullptr);
    }
    EXPECT_NE(verifier.Check(FactsOf(tables.groups, 0)), nullptr);
  }
}

TEST(HelpVerifier, TakesNumbersOfAnySize) {
  const std::int64_t groups[] = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::max()};
  const std::int64_t values[] = {5, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
  HelpVerifier verifier(groups, values);
  ASSERT_EQ(verifier.groups().size(), 2u);
  EXPECT_EQ(verifier.groups()[1].total, static_cast<Int128>(values[1]) * 2);
  EXPECT_TRUE(HelpVerifier({}, {}).done());
}

class KeAuditTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = scratch_.path();
    store_ = (folder_ / "store").string();
    std::ofstream(folder_ / "policy.toml")
        << "[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.pay]\nrole = "
           "\"sensitive\"\ntype = \"numeric\"\n[[privacy]]\nmodel = \"ke-anonymity\"\nsensitive = "
           "\"pay\"\nk = 3\ne = 5\n";
    const Policy policy = ReadPolicy((folder_ / "policy.toml").string()).value();
    const auto made = Permute({Rows("first.csv", 60), store_, {}, {}}, policy, {});
    ASSERT_TRUE(made.ok()) << made.error().message();
    const auto more = Append({store_, Rows("more.csv", 30), {}, false, false, {}}, {});
    ASSERT_TRUE(more.ok()) << more.error().message();
  }

  std::string Rows(const std::string& name, int rows) {
    std::ofstream file(folder_ / name);
    file << "age,pay\n";
    for (int row = 0; row < rows; ++row) file << 20 + row % 40 << "," << row * 13 % 71 << "." << rows % 7 << "5\n";
    return (folder_ / name).string();
  }
  HelpAudit Audit() {
    const StoreManifest manifest = OpenStore(store_).value();
    const auto source = OpenStoreTable(store_, manifest);
    const Table table = ReadTable(*source.value(), {}).value();
    const auto audit = AuditHelp(store_, manifest, table, {});
    EXPECT_TRUE(audit.ok()) << (audit.ok() ? "" : audit.error().message());
    return audit.ok() ? audit.value() : HelpAudit{};
  }
  // Another table in its place: all its rows in the first part and none in the others; and a manifest that fits.
  void Forge(const std::string& table, const std::string& select) {
    Json manifest = ParseJson(ReadFile(store_ + "/manifest.json").value());
    manifest.erase("digest");
    const std::vector<std::string> paths = SealManifest(manifest).FilesOf(store_, table.c_str());
    ASSERT_EQ(paths.size(), 2u);
    DuckDbSession session = DuckDbSession::Open({}).value();
    ASSERT_TRUE(session.Execute("CREATE TABLE t AS SELECT * FROM " + ParquetRows(paths), {}).ok());
    for (const std::string& path : paths) {
      const char* rows = path == paths[0] ? "" : " LIMIT 0";
      const auto written = session.Execute(
          fmt::format("COPY (SELECT * FROM ({}){}) TO {} (FORMAT parquet)", select, rows, QuoteSqlText(path)), {});
      ASSERT_TRUE(written.ok()) << written.error().message();
      manifest["files"][path.substr(store_.size() + 1)] = DescribeFile(path).value();
      if (table != "table") continue;
      const SqlRows made = session.Query(fmt::format("SELECT count(*) FROM ({})", select), {}).value();
      const bool first = path == paths[0];
      manifest["parts"][first ? 0 : 1]["rows"] = first ? static_cast<std::uint64_t>(made.columns[0].numbers[0].value()) : 0u;
    }
    ASSERT_TRUE(WriteFile(store_ + "/manifest.json", SealManifest(manifest).Text()).ok());
  }

  cordon::test::ScratchFolder scratch_;
  fs::path folder_;
  std::string store_;
};

TEST_F(KeAuditTest, WhatIsMadeHoldsInAnyOrder) {
  const HelpAudit audit = Audit();
  EXPECT_TRUE(audit.holds) << audit.wrong;
  EXPECT_EQ(audit.lines, 90u);
  Forge("help", "SELECT * FROM t ORDER BY hash(sum_lo)");
  Forge("groups", "SELECT * FROM t ORDER BY hash(\"group\")");
  Forge("table", "SELECT * FROM t ORDER BY hash(age)");
  EXPECT_TRUE(Audit().holds);
}

TEST_F(KeAuditTest, AForgedHelpTableIsFound) {
  const auto kept = folder_ / "kept";
  fs::copy(store_, kept, kOver);
  for (const auto& [table, select] : {
           std::pair{"help",
                     "SELECT * REPLACE (sum_hi + CASE WHEN \"group\" = 2 AND hits = 2 THEN 0.01 ELSE 0 END AS sum_hi) FROM t"},
           std::pair{"help",
                     "SELECT * REPLACE (sum_lo - CASE WHEN \"group\" = 1 AND hits = 3 THEN 0.01 ELSE 0 END AS sum_lo) FROM t"},
           std::pair{"help", "SELECT * REPLACE (min_lo - 1 AS min_lo) FROM t"},
           std::pair{"help", "SELECT * REPLACE (max_hi + 1 AS max_hi) FROM t"},
           std::pair{"help", "SELECT * REPLACE (min_lo AS min_hi) FROM t"},
           std::pair{"help", "SELECT * REPLACE (max_hi AS max_lo) FROM t"},
           std::pair{"help", "SELECT * FROM t WHERE NOT (\"group\" = 3 AND hits = 1)"},
           std::pair{"help", "SELECT * FROM t UNION ALL SELECT * FROM t WHERE \"group\" = 3 AND hits = 1"},
           std::pair{"help", "SELECT * FROM t UNION ALL SELECT * REPLACE (9999 AS \"group\") FROM t WHERE \"group\" = 3"},
           std::pair{"help", "SELECT * FROM t UNION ALL SELECT * REPLACE (NULL AS \"group\") FROM t WHERE \"group\" = 3"},
           std::pair{"help", "SELECT * FROM t UNION ALL SELECT * REPLACE (0 AS hits) FROM t WHERE \"group\" = 3 AND hits = 1"},
           std::pair{"help", "SELECT * FROM t LIMIT 0"},
           std::pair{"groups", "SELECT * REPLACE (total + 1 AS total) FROM t"},
           std::pair{"groups", "SELECT * REPLACE (\"rows\" + 1 AS \"rows\") FROM t"},
           std::pair{"groups", "SELECT * REPLACE (distinct_values - 1 AS distinct_values) FROM t"},
           std::pair{"groups", "SELECT * FROM t WHERE \"group\" <> 2"},
           std::pair{"groups", "SELECT * FROM t UNION ALL SELECT * REPLACE (9999 AS \"group\") FROM t WHERE \"group\" = 3"},
           std::pair{"table", "SELECT * REPLACE (CASE WHEN \"group\" = 1 THEN 2 ELSE \"group\" END AS \"group\") FROM t"},
       }) {
    SCOPED_TRACE(select);
    fs::copy(kept, store_, kOver);
    ASSERT_TRUE(Audit().holds);
    Forge(table, select);
    const HelpAudit audit = Audit();
    EXPECT_FALSE(audit.holds);
    EXPECT_TRUE(audit.wrong.starts_with("help") || audit.wrong.starts_with("groups")) << audit.wrong;
  }
  fs::copy(kept, store_, kOver);
  Forge("help", "SELECT * REPLACE (sum_hi + CASE WHEN \"group\" = 2 AND hits = 2 THEN 0.01 ELSE 0 END AS sum_hi) FROM t");
  EXPECT_EQ(Audit().Explain(), "help table: does not hold; help, group 2, hits 2: sum_hi is not what the published rows give");
}

TEST_F(KeAuditTest, AManifestThatClaimsWhatItsRowsDoNotGiveIsFound) {
  const Json honest = ParseJson(ReadFile(store_ + "/manifest.json").value());
  ASSERT_EQ(honest["releases"].size(), 2u);
  const auto claimed = [&](const std::function<void(Json&)>& forge) {
    Json manifest = honest;
    manifest.erase("digest");
    forge(manifest);
    EXPECT_TRUE(WriteFile(store_ + "/manifest.json", SealManifest(manifest).Text()).ok());
    const HelpAudit audit = Audit();
    EXPECT_EQ(audit.holds, audit.wrong.empty());
    return audit.wrong;
  };
  EXPECT_EQ(claimed([](Json&) {}), "");
  for (const std::size_t release : {0, 1}) {
    for (const char* key : {"rows", "groups", "sum_error", "max_error", "greatest_share", "least_quartile_range", "reached"}) {
      SCOPED_TRACE(key);
      const std::string wrong = claimed([&](Json& manifest) {
        Json& value = manifest["releases"][release][key];
        value = value.is_string() ? Json("1") : Json(value.get<std::uint64_t>() + 1);
      });
      EXPECT_NE(wrong.find("release"), std::string::npos) << wrong;
      EXPECT_NE(claimed([&](Json& manifest) { manifest["releases"][release].erase(key); }), "");
    }
  }
  EXPECT_NE(claimed([](Json& manifest) { manifest["releases"].erase(1); }), "");
  EXPECT_NE(claimed([](Json& manifest) { manifest["releases"].push_back(manifest["releases"][1]); }), "");
  EXPECT_NE(claimed([](Json& manifest) { manifest["releases"][0] = 3; }), "");
  const std::string no_model = "manifest.json: 'privacy' is not one ke-anonymity model of the permuted column";
  const std::string not_said = "manifest.json: 'privacy' does not say that the model it names holds";
  EXPECT_EQ(claimed([](Json& manifest) { manifest["privacy"] = Json::array(); }), no_model);
  EXPECT_EQ(claimed([](Json& manifest) { manifest["privacy"][0]["sensitive"] = "age"; }), no_model);
  EXPECT_EQ(claimed([](Json& manifest) { manifest["privacy"][0]["holds"] = false; }), not_said);
  EXPECT_EQ(claimed([](Json& manifest) { manifest["privacy"][0]["k"] = 9; }), not_said);
  const auto stronger = [&](const char* key, const Json& value, const std::string& text) {
    return claimed([&](Json& manifest) {
      manifest["privacy"][0][key] = value;
      manifest["privacy"][0]["text"] = text;
    });
  };
  EXPECT_EQ(
      stronger("k", 9, "ke-anonymity(pay, k=9, e=5, sum)"),
      "manifest.json: 'privacy' says that ke-anonymity(pay, k=9, e=5, sum) holds, and the published rows do not bear it out");
  EXPECT_NE(stronger("e", "5000", "ke-anonymity(pay, k=3, e=5000, sum)"), "");
  EXPECT_NE(stronger("max_share", "1/100", "ke-anonymity(pay, k=3, e=5, sum, max_share=0.01)"), "");
}

TEST_F(KeAuditTest, TheDuckDbQueryOfTheDocumentationGivesTheSameBounds) {
  std::string page = ReadFile(std::string(CORDON_TEST_DATA) + "/../../docs/store.md").value();
  const std::size_t begin = page.find("```sql\n") + 7;
  std::string query = page.substr(begin, page.find("```", begin) - begin);
  for (std::size_t at = 0; (at = query.find("STORE", at)) != std::string::npos; at += store_.size())
    query.replace(at, 5, store_);
  const auto rows = DuckDbSession::Open({}).value().Query(query, {});
  ASSERT_TRUE(rows.ok()) << rows.error().message() << query;
  const auto answer = AskStore(store_, "SELECT COUNT(*), SUM(pay) WHERE age BETWEEN 40 AND 48", {});
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  const QueryAnswer::Line& line = answer.value().lines[0];
  const auto shown = [&](std::size_t column) { return static_cast<std::int64_t>(*rows.value().columns[column].numbers[0]); };
  EXPECT_EQ(fmt::format("{}", shown(0)), line.aggregates[0].lower);
  EXPECT_EQ(FormatDecimal(shown(1), rows.value().columns[1].scale), line.aggregates[1].lower);
  EXPECT_EQ(FormatDecimal(shown(2), rows.value().columns[2].scale), line.aggregates[1].upper);
}

TEST_F(KeAuditTest, AnotherTypeIsAnError) {
  for (const char* select :
       {"SELECT * REPLACE (CAST(sum_lo AS DOUBLE) AS sum_lo) FROM t",
        "SELECT * REPLACE (CAST(sum_lo AS VARCHAR) AS sum_lo) FROM t",
        "SELECT * REPLACE (CAST(sum_lo AS DECIMAL(18,4)) AS sum_lo) FROM t", "SELECT * EXCLUDE (sum_lo) FROM t"}) {
    SCOPED_TRACE(select);
    fs::copy(store_, folder_ / "kept", kOver);
    Forge("help", select);
    const StoreManifest manifest = OpenStore(store_).value();
    const Table table = ReadTable(*OpenStoreTable(store_, manifest).value(), {}).value();
    EXPECT_FALSE(AuditHelp(store_, manifest, table, {}).ok());
    fs::copy(folder_ / "kept", store_, kOver);
  }
}

}  // namespace
}  // namespace cordon::engine
