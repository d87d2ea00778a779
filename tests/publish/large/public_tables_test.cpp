// SPDX-License-Identifier: Apache-2.0
//
// What shards cost on real tables, against one search over all rows: bounds that a change must keep (docs/scale.md). By default
// on some of the rows, in shards that are as much smaller.
#include <gtest/gtest.h>

#include "cordon/policy/read_policy.h"
#include "cordon/publish/anonymize.h"
#include "tests/scratch_folder.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

struct PublicTable {
  std::string name;
  std::vector<std::string> columns;
  std::string age;      // keys of the numeric column
  std::uint64_t every;  // 1: the test takes every row

  // The rows that the test takes, as a file in the folder.
  std::string In(const cordon::test::ScratchFolder& folder) const {
    std::ifstream whole(fmt::format("{0}/{1}/{1}.csv", CORDON_DATA, name));
    std::string text;
    std::string line;
    for (std::uint64_t row = 0; std::getline(whole, line); ++row) {
      if (row % every == 0) text += line + "\n";  // row 0: the names of the columns
    }
    folder.Write("rows.csv", text);
    return folder / "rows.csv";
  }
  // `sensitive`: this column, the others are quasi.
  Policy With(const std::string& sensitive, const std::string& models) const {
    std::string text = "[data]\ndelimiter = \";\"\n";
    for (const std::string& column : columns) {
      text += fmt::format("[attributes.{}]\nrole = \"{}\"\nhierarchy = \"{}_hierarchy_{}.csv\"\n", column,
                          column == sensitive ? "sensitive" : "quasi", name, column);
      if (column == columns.front()) text += age;
    }
    text += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n" + models;
    Result<Policy> policy = ParsePolicy(text, fmt::format("{}/{}", CORDON_DATA, name), name + ".toml");
    EXPECT_TRUE(policy.ok()) << policy.error().message();
    return std::move(policy).value();
  }
};

const PublicTable& Adult() {
  static const PublicTable table = {
      "adult",
      {"age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"},
      "type = \"numeric\"\nrange = [17, 90]\n",
      SomeOrAll(20u, 1u)};
  return table;
}

const PublicTable& Fars() {
  static const PublicTable table = {"fars",
                                    {"iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury"},
                                    "type = \"numeric\"\n",
                                    SomeOrAll(50u, 1u)};
  return table;
}

Report MakeWith(const PublicTable& table, const Policy& policy, std::uint64_t shard_rows) {
  const cordon::test::ScratchFolder folder;
  AnonymizeRequest request;
  request.input = table.In(folder);
  request.seed = 1;
  if (shard_rows > 0) {
    request.memory = std::uint64_t{1} << 30;
    request.shard_rows = shard_rows / table.every;
  }
  Result<Report> report = Anonymize(request, policy, {.threads = 2});
  EXPECT_TRUE(report.ok()) << report.error().message();
  return std::move(report).value();
}

// Shards of at most this many rows lose at most this much more, as a share of the loss without them.
void ExpectCost(const PublicTable& table, const Policy& policy, const Report& whole, std::uint64_t shard_rows, double most) {
  const Report report = MakeWith(table, policy, shard_rows);
  const double loss = whole.utility.loss.information_loss;
  const double cost = report.utility.loss.information_loss / loss - 1;
  std::printf("%s, %s: loss %.5f, without shards %.5f (%+.2f %%)\n", table.name.c_str(), report.notes.at(0).c_str(),
              report.utility.loss.information_loss, loss, 100 * cost);
  EXPECT_LE(cost, most);
  for (const Verdict& verdict : report.privacy) EXPECT_TRUE(verdict.holds) << Explain(verdict);
}

TEST(ShardsOfAdult, CostLittleUnderDiversity) {
  const Policy policy = Adult().With("occupation", "[[privacy]]\nmodel = \"l-diversity\"\nsensitive = \"occupation\"\nl = 3\n");
  ExpectCost(Adult(), policy, MakeWith(Adult(), policy, 0), 10'000, 0.005);
}

TEST(ShardsOfAdult, KeepClosenessToTheWholeTable) {
  const Policy policy = Adult().With(
      "occupation", "[[privacy]]\nmodel = \"t-closeness\"\nsensitive = \"occupation\"\nt = 0.3\ndistance = \"equal\"\n");
  ExpectCost(Adult(), policy, MakeWith(Adult(), policy, 0), 10'000, 0.03);
}

TEST(ShardsOfAdult, KeepLikenessToTheWholeTable) {
  const Policy policy =
      Adult().With("occupation", "[[privacy]]\nmodel = \"beta-likeness\"\nsensitive = \"occupation\"\nbeta = 2\n");
  ExpectCost(Adult(), policy, MakeWith(Adult(), policy, 0), 10'000, 0);
}

TEST(ShardsOfFars, CostLittle) {
  const Policy policy = Fars().With("", "");
  const Report whole = MakeWith(Fars(), policy, 0);
  ExpectCost(Fars(), policy, whole, 9'000, 0.01);
  ExpectCost(Fars(), policy, whole, 2'500, SomeOrAll(0.02, 0.005));
}

}  // namespace
}  // namespace cordon::engine
