// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/policy.h"

#include <gtest/gtest.h>

#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

constexpr const char* kAttributes = R"(
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi"
type = "numeric"
range = [1, 100]
[attributes.zip]
role = "quasi"
[attributes.salary]
role = "sensitive"
type = "numeric"
[attributes.disease]
role = "sensitive"
)";
constexpr const char* kPrivacy = R"(
[[privacy]]
model = "k-anonymity"
k = 10
)";

Result<Policy> Parsed(const std::string& text) { return ParsePolicyText(text, "p.toml"); }
// The good policy with one more piece.
Result<Policy> With(const std::string& more) { return Parsed(std::string(kAttributes) + kPrivacy + more); }
Result<Policy> WithModel(const std::string& model) { return Parsed(std::string(kAttributes) + "[[privacy]]\n" + model); }
// The one quasi column of a policy, with these keys.
Result<Policy> WithQuasi(const std::string& keys) { return Parsed("[attributes.a]\nrole = \"quasi\"\n" + keys + kPrivacy); }

TEST(Policy, ReadsEveryPart) {
  const auto result = Parsed(R"(
[data]
delimiter = ";"
quote = "'"
header = false
columns = ["id", "who", "age", "born", "salary", "job"]
skip = 2
trim = true
missing = ["?", ""]
on_missing = "drop"
[attributes.id]
role = "identifier"
pseudonym = { key_file = "k" }
[attributes.who]
role = "person"
[attributes.age]
role = "quasi"
type = "numeric"
range = [0.5, 100]
grid = 5
top = 90
bottom = 1
round = 0.5
weight = 2
mask = "suppress"
hierarchy = { intervals = [10, 20, 40] }
[attributes.born]
role = "quasi"
type = "date"
range = [1900-01-01, "2024-12-31"]
hierarchy = { dates = ["month", "year"] }
[attributes.salary]
role = "sensitive"
type = "numeric"
values = [1000, 2000.5, "3000"]
[attributes.job]
role = "class"
[[privacy]]
model = "k-anonymity"
k = 5
on = ["age"]
[[privacy]]
model = "t-closeness"
sensitive = "salary"
t = 0.2
[algorithm]
name = "mondrian"
suppression_limit = "1/50"
suppressed = "star"
[algorithm.mondrian]
dims = "widest"
relaxed = true
[algorithm.castle]
max_open = 7
[stream]
delay = "30s"
event_time = "ts"
lateness = "5s"
order = "arrival"
max_dead_letters = 3
)");
  ASSERT_TRUE(result.ok()) << Told(result);
  const Policy& policy = result.value();
  EXPECT_EQ(policy.data.text.delimiter, ";");
  EXPECT_EQ(policy.data.text.quote, '\'');
  EXPECT_FALSE(policy.data.text.header);
  EXPECT_EQ(policy.data.text.columns.size(), 6u);
  EXPECT_EQ(policy.data.text.skip, 2u);
  EXPECT_TRUE(policy.data.text.trim);
  EXPECT_EQ(policy.data.marker(), "?");
  EXPECT_EQ(policy.data.on_missing, OnMissing::kDrop);
  ASSERT_EQ(policy.attributes.size(), 6u);
  EXPECT_EQ(policy.attributes[0].name, "id");  // the order of the file, not of the alphabet
  EXPECT_EQ(policy.attributes[0].pseudonym_key_file, "k");
  EXPECT_EQ(policy.attributes[1].role, Role::kPerson);
  const AttributePolicy& age = *policy.Find("age");
  EXPECT_EQ(age.type, Domain::Kind::kNumeric);
  EXPECT_EQ(age.range->first.mantissa, 5);
  EXPECT_EQ(age.range->first.scale, 1);
  EXPECT_EQ(age.grid->mantissa, 5);
  EXPECT_EQ(age.top->mantissa, 90);
  EXPECT_EQ(age.bottom->mantissa, 1);
  EXPECT_EQ(age.round->scale, 1);
  EXPECT_EQ(age.weight, 2);
  EXPECT_EQ(age.mask, Mask::kSuppress);
  EXPECT_EQ(age.hierarchy.widths.size(), 3u);
  EXPECT_EQ(age.line, 16);
  EXPECT_EQ(policy.Find("born")->range->second.mantissa, ParseDate("2024-12-31"));
  EXPECT_EQ(policy.Find("born")->hierarchy.units, (std::vector{DateUnit::kMonth, DateUnit::kYear}));
  EXPECT_EQ(*policy.Find("salary")->values, (std::vector<std::string>{"1000", "2000.5", "3000"}));
  ASSERT_EQ(policy.models.size(), 2u);
  EXPECT_EQ(std::get<KAnonymitySpec>(policy.models[0]).on, std::vector<std::string>{"age"});
  EXPECT_EQ(std::get<TClosenessSpec>(policy.models[1]).t, Rational(1, 5));
  EXPECT_EQ(policy.model_lines, (std::vector{38, 42}));
  EXPECT_EQ(policy.algorithm.name, "mondrian");
  EXPECT_EQ(policy.algorithm.suppression_limit, Rational(1, 50));
  EXPECT_EQ(policy.algorithm.suppressed, Suppression::kStar);
  EXPECT_EQ(policy.algorithm.Option<std::string>("mondrian", "dims"), "widest");
  EXPECT_EQ(policy.algorithm.Option<bool>("mondrian", "relaxed"), true);
  EXPECT_EQ(policy.algorithm.Option<std::int64_t>("castle", "max_open"), 7);
  EXPECT_EQ(policy.algorithm.Option<bool>("castle", "outlier"), std::nullopt);
  EXPECT_EQ(policy.stream->delay_ms, 30'000);
  EXPECT_EQ(policy.stream->event_time, "ts");
  EXPECT_EQ(policy.stream->lateness_ms, 5'000);
  EXPECT_EQ(policy.stream->order, StreamPolicy::Order::kArrival);
  EXPECT_EQ(policy.stream->max_dead_letters, 3);
}

TEST(Policy, DefaultsAreThoseOfTheReference) {
  const Policy policy = With("").value();
  EXPECT_EQ(policy.data.text.delimiter, ",");
  EXPECT_EQ(policy.data.text.quote, '"');
  EXPECT_EQ(policy.data.missing, std::vector<std::string>{""});
  EXPECT_EQ(policy.data.on_missing, OnMissing::kLeaf);
  EXPECT_EQ(policy.Find("zip")->type, Domain::Kind::kCategorical);
  EXPECT_EQ(policy.Find("zip")->hierarchy.kind, HierarchySource::Kind::kNone);
  EXPECT_EQ(policy.algorithm.name, "auto");
  EXPECT_EQ(policy.algorithm.suppression_limit, Rational(0));
  EXPECT_EQ(policy.algorithm.suppressed, Suppression::kDrop);
  EXPECT_FALSE(policy.stream.has_value());
}

TEST(Policy, TheExampleOfTheReferenceIsAPolicy) {
  std::ifstream file(std::string(CORDON_TEST_DATA) + "/../../docs/policy.md");
  const std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto begin = page.find("```toml\n");
  ASSERT_NE(begin, std::string::npos);
  const auto policy = Parsed(page.substr(begin + 8, page.find("```", begin + 8) - begin - 8));
  ASSERT_TRUE(policy.ok()) << Told(policy);
  EXPECT_EQ(policy.value().attributes.size(), 4u);
  EXPECT_EQ(policy.value().models.size(), 2u);
}

TEST(Policy, UnknownKeysNameThePlaceAndTheNearestKey) {
  EXPECT_EQ(Told(With("[dta]\n")), "p.toml:19:2: unknown key 'dta' in the policy / did you mean 'data'?");
  EXPECT_EQ(Told(With("[data]\nmising = []\n")), "p.toml:20:1: unknown key 'mising' in [data] / did you mean 'missing'?");
  EXPECT_EQ(Told(WithQuasi("rnge = [1, 2]\n")), "p.toml:3:1: unknown key 'rnge' in [attributes.a] / did you mean 'range'?");
  EXPECT_EQ(Told(With("[algorithm]\nmondrien = {}\n")),
            "p.toml:20:1: unknown key 'mondrien' in [algorithm] / did you mean 'mondrian'?");
  EXPECT_EQ(Told(With("[algorithm.mondrian]\nrelax = true\n")),
            "p.toml:20:1: unknown key 'relax' in [algorithm.mondrian] / did you mean 'relaxed'?");
  EXPECT_EQ(Told(With("[stream]\ndelya = 3\n")), "p.toml:20:1: unknown key 'delya' in [stream] / did you mean 'delay'?");
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\nk = 2\nonn = [\"age\"]\n")),
            "p.toml:18:1: unknown key 'onn' in k-anonymity / did you mean 'on'?");
  // Of several, the first in the file.
  EXPECT_EQ(Told(With("[data]\nzzz = 1\naaa = 2\n")),
            "p.toml:20:1: unknown key 'zzz' in [data] / known here: encoding, delimiter, quote, header, columns, skip, trim, "
            "missing, "
            "on_missing");
}

TEST(Policy, WrongTypesSayWhatWasExpected) {
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\nk = \"ten\"\n")),
            "p.toml:17:5: 'k' in k-anonymity must be a whole number, not text");
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\nk = 2.5\n")),
            "p.toml:17:5: 'k' in k-anonymity must be a whole number, not a decimal number");
  EXPECT_EQ(Told(With("[data]\nheader = \"no\"\n")), "p.toml:20:10: 'header' in [data] must be true or false, not text");
  EXPECT_EQ(Told(With("[data]\nmissing = \"?\"\n")), "p.toml:20:11: 'missing' in [data] must be a list of texts, not text");
  EXPECT_EQ(Told(With("[data]\nmissing = [1]\n")),
            "p.toml:20:12: 'missing' in [data] must be a list of texts, not a whole number");
  EXPECT_EQ(Told(WithQuasi("type = 3\n")), "p.toml:3:8: 'type' in [attributes.a] must be text in quotes, not a whole number");
  EXPECT_EQ(Told(With("algorithm = 3\n")), "p.toml:19:1: unknown key 'algorithm' in k-anonymity / known here: model, k, on");
  EXPECT_EQ(Told(Parsed("data = 3\n")), "p.toml:1:8: 'data' in the policy must be a table, not a whole number");
  EXPECT_EQ(Told(Parsed("attributes = 3\n")),
            "p.toml:1:14: 'attributes' in the policy must be tables [attributes.NAME], not a whole number");
  EXPECT_EQ(Told(Parsed("[attributes]\nage = 3\n")),
            "p.toml:2:7: [attributes] holds 'age', which is not a table / write [attributes.age] with role = \"...\"");
}

TEST(Policy, ChoicesListWhatIsPossible) {
  EXPECT_EQ(Told(WithQuasi("type = \"number\"\n")),
            "p.toml:3:8: 'type' in [attributes.a] cannot be 'number' / one of: numeric, date, categorical");
  EXPECT_EQ(Told(With("[algorithm]\nname = \"mondrain\"\n")),
            "p.toml:20:8: unknown algorithm 'mondrain' / did you mean 'mondrian'?");
  EXPECT_EQ(Told(With("[algorithm.castle]\nreuse = \"never\"\n")),
            "p.toml:20:9: 'reuse' in [algorithm.castle] cannot be 'never' / one of: uniform, disjoint, off");
  EXPECT_EQ(Told(Parsed("[attributes.a]\ntype = \"numeric\"\n")),
            "p.toml:1:1: [attributes.a] needs 'role' / one of: identifier, person, quasi, sensitive, class, insensitive");
}

TEST(Policy, NoPrivacyParameterHasADefault) {
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\n")), "p.toml:15:1: k-anonymity needs 'k'");
  EXPECT_EQ(Told(WithModel("model = \"l-diversity\"\nsensitive = \"disease\"\n")), "p.toml:15:1: l-diversity needs 'l'");
  EXPECT_EQ(Told(WithModel("model = \"l-diversity\"\nl = 3\n")), "p.toml:15:1: l-diversity needs 'sensitive'");
  EXPECT_EQ(Told(WithModel("model = \"l-diversity\"\nl = 3\nsensitive = \"disease\"\nkind = \"recursive\"\n")),
            "p.toml:15:1: recursive l-diversity needs 'c'");
  EXPECT_EQ(Told(WithModel("model = \"t-closeness\"\nsensitive = \"disease\"\n")), "p.toml:15:1: t-closeness needs 't'");
  EXPECT_EQ(Told(WithModel("model = \"beta-likeness\"\nsensitive = \"disease\"\n")), "p.toml:15:1: beta-likeness needs 'beta'");
  EXPECT_EQ(Told(WithModel("model = \"delta-disclosure\"\nsensitive = \"disease\"\n")),
            "p.toml:15:1: delta-disclosure needs 'delta'");
  EXPECT_EQ(Told(WithModel("model = \"alpha-k\"\nsensitive = \"disease\"\nvalue = \"flu\"\nk = 2\n")),
            "p.toml:15:1: alpha-k needs 'alpha'");
  EXPECT_EQ(Told(WithModel("model = \"alpha-k\"\nsensitive = \"disease\"\nvalue = \"flu\"\nalpha = 0.5\n")),
            "p.toml:15:1: alpha-k needs 'k'");
  EXPECT_EQ(Told(WithModel("model = \"confidence\"\nvalues = { disease = [] }\n")), "p.toml:15:1: confidence needs 'h'");
  EXPECT_EQ(Told(WithModel("model = \"confidence\"\nh = 0.5\n")), "p.toml:15:1: confidence needs 'values'");
}

TEST(Policy, ReadsEveryModel) {
  const auto spec = [](const std::string& model) { return WithModel(model).value().models.at(0); };
  const auto l = std::get<LDiversitySpec>(
      spec("model = \"l-diversity\"\nsensitive = \"disease\"\nl = 3\nkind = \"recursive\"\nc = \"3/2\"\n"));
  EXPECT_EQ(l.l, Rational(3));
  EXPECT_EQ(l.kind, LDiversitySpec::Kind::kRecursive);
  EXPECT_EQ(l.c, Rational(3, 2));
  const auto beta =
      std::get<BetaLikenessSpec>(spec("model = \"beta-likeness\"\nsensitive = \"disease\"\nbeta = 4\nkind = \"basic\"\n"));
  EXPECT_EQ(beta.beta, Rational(4));
  EXPECT_EQ(beta.kind, BetaLikenessSpec::Kind::kBasic);
  EXPECT_FALSE(beta.range || beta.min_depth);
  EXPECT_EQ(std::get<DeltaDisclosureSpec>(spec("model = \"delta-disclosure\"\nsensitive = \"disease\"\ndelta = 1.5\n")).delta,
            Rational(3, 2));
  const auto alpha =
      std::get<AlphaKSpec>(spec("model = \"alpha-k\"\nsensitive = \"disease\"\nvalue = \"flu\"\nalpha = \"2/3\"\nk = 4\n"));
  EXPECT_EQ(alpha.value, "flu");
  EXPECT_EQ(alpha.alpha, Rational(2, 3));
  EXPECT_EQ(alpha.k, 4);
  const auto confidence = std::get<ConfidenceSpec>(
      spec("model = \"confidence\"\non = [\"age\", \"zip\"]\nvalues = { disease = [\"flu\"], salary = [] }\nh = 0.75\n"));
  EXPECT_EQ(confidence.on.size(), 2u);
  EXPECT_EQ(confidence.values.at("disease"), std::vector<std::string>{"flu"});
  EXPECT_TRUE(confidence.values.at("salary").empty());
  EXPECT_EQ(confidence.h, Rational(3, 4));
  EXPECT_EQ(std::get<KsAnonymitySpec>(spec("model = \"ks-anonymity\"\nk = 7\n")).k, 7);
}

TEST(Policy, NumbersThatDecideAreExact) {
  const auto t = [](const std::string& text) {
    return std::get<TClosenessSpec>(
               WithModel("model = \"t-closeness\"\nsensitive = \"disease\"\nt = " + text + "\n").value().models[0])
        .t;
  };
  EXPECT_EQ(t("0.2"), Rational(1, 5));
  EXPECT_EQ(t("\"2/3\""), Rational(2, 3));
  EXPECT_EQ(t("1e-1"), Rational(1, 10));
  EXPECT_EQ(t("1"), Rational(1));
  EXPECT_EQ(
      Told(WithModel("model = \"t-closeness\"\nsensitive = \"disease\"\nt = \"a third\"\n")),
      "p.toml:18:5: 't' in t-closeness: 'a third' is not a number / write a decimal such as 0.2 or a fraction such as \"2/3\"");
  EXPECT_FALSE(WithModel("model = \"t-closeness\"\nsensitive = \"disease\"\nt = nan\n").ok());
  EXPECT_FALSE(WithModel("model = \"t-closeness\"\nsensitive = \"disease\"\nt = 0.123456789012345\n").ok());
}

TEST(Policy, ParametersOutOfRangeAreRefusedAtTheModel) {
  for (const char* model : {"model = \"k-anonymity\"\nk = 0\n", "model = \"t-closeness\"\nsensitive = \"disease\"\nt = -0.1\n",
                            "model = \"l-diversity\"\nsensitive = \"disease\"\nl = 0\n"}) {
    const auto result = WithModel(model);
    ASSERT_FALSE(result.ok()) << model;
    EXPECT_EQ(result.error().kind(), ErrorKind::kInvalidPolicy);
    EXPECT_TRUE(result.error().message().starts_with("p.toml:15:1: ")) << result.error().message();
  }
}

TEST(Policy, UnknownModelListsTheKnownOnes) {
  EXPECT_EQ(Told(WithModel("model = \"k-anonimity\"\nk = 3\n")),
            "p.toml:16:9: unknown model 'k-anonimity'; known are k-anonymity, l-diversity, t-closeness, beta-likeness, "
            "delta-disclosure, alpha-k, confidence, ks-anonymity, ke-anonymity, window-closeness, window-likeness, "
            "xy-anonymity, xy-linkability / did you mean 'k-anonymity'?");
  EXPECT_EQ(
      Told(WithModel("k = 3\n")),
      "p.toml:15:1: [[privacy]] needs 'model' / one of: k-anonymity, l-diversity, t-closeness, "
      "beta-likeness, delta-disclosure, alpha-k, confidence, ks-anonymity, ke-anonymity, window-closeness, window-likeness, "
      "xy-anonymity, xy-linkability");
}

TEST(Policy, ColumnsThatModelsNameMustExistAndHaveTheRole) {
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\nk = 3\non = [\"agee\"]\n")),
            "p.toml:18:6: 'on' in k-anonymity names 'agee', which is not a column of the policy / did you mean 'age'?");
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\nk = 3\non = [\"salary\"]\n")),
            "p.toml:18:6: 'on' in k-anonymity names 'salary', whose role is \"sensitive\" / it must be a quasi column");
  EXPECT_EQ(Told(WithModel("model = \"t-closeness\"\nt = 0.2\nsensitive = \"age\"\n")),
            "p.toml:18:13: 'sensitive' in t-closeness names 'age', whose role is \"quasi\" / it must be a sensitive column");
  EXPECT_EQ(Told(WithModel("model = \"confidence\"\nh = 0.2\nvalues = { zip = [] }\n")),
            "p.toml:18:10: 'values' in confidence names 'zip', whose role is \"quasi\" / it must be a sensitive column");
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\nk = 3\non = [\"age\", \"age\"]\n")),
            "p.toml:18:14: 'age' is twice in 'on' of k-anonymity");
  EXPECT_EQ(Told(WithModel("model = \"k-anonymity\"\nk = 3\non = []\n")),
            "p.toml:18:6: 'on' in k-anonymity is empty / leave it out to mean all quasi columns");
}

TEST(Policy, DistanceFollowsTheColumnUnlessItIsGiven) {
  const auto distance = [](const std::string& column, const std::string& rest) {
    const std::string text = "[attributes.q]\nrole = \"quasi\"\n[attributes.s]\nrole = \"sensitive\"\n" + column +
                             "[[privacy]]\nmodel = \"t-closeness\"\nsensitive = \"s\"\nt = 0.2\n" + rest;
    return std::get<TClosenessSpec>(Parsed(text).value().models[0]).distance;
  };
  EXPECT_EQ(distance("type = \"numeric\"\n", ""), Distance::kOrdered);
  EXPECT_EQ(distance("type = \"date\"\n", ""), Distance::kOrdered);
  EXPECT_EQ(distance("", ""), Distance::kEqual);
  EXPECT_EQ(distance("hierarchy = \"h.csv\"\n", ""), Distance::kHierarchical);
  EXPECT_EQ(distance("hierarchy = \"h.csv\"\n", "distance = \"equal\"\n"), Distance::kEqual);
  EXPECT_EQ(Told(WithModel("model = \"t-closeness\"\nt = 0.2\nsensitive = \"disease\"\ndistance = \"ordered\"\n")),
            "p.toml:19:12: the ordered distance needs numbers or dates; 'disease' is categorical / set type = \"numeric\" in "
            "[attributes.disease], or distance = \"equal\"");
  EXPECT_EQ(Told(WithModel("model = \"t-closeness\"\nt = 0.2\nsensitive = \"salary\"\ndistance = \"hierarchical\"\n")),
            "p.toml:19:12: the hierarchical distance needs a categorical column with a hierarchy; 'salary' is not one / add "
            "hierarchy = "
            "\"...\" to [attributes.salary], or take another distance");
}

TEST(Policy, KeysMustGoWithRoleAndType) {
  EXPECT_EQ(Told(WithQuasi("range = [1, 2]\n")),
            "p.toml:3:9: 'range' in [attributes.a] is for numbers and dates; the column is categorical / set type = "
            "\"numeric\" or type = \"date\"");
  EXPECT_EQ(Told(Parsed("[attributes.s]\nrole = \"sensitive\"\ntop = 4\n")),
            "p.toml:3:7: 'top' in [attributes.s] does not go with role \"sensitive\" / it is for quasi columns");
  EXPECT_EQ(Told(WithQuasi("pseudonym = { key_file = \"k\" }\n")),
            "p.toml:3:13: 'pseudonym' in [attributes.a] does not go with role \"quasi\" / it is for identifier columns");
  EXPECT_EQ(
      Told(WithQuasi("hierarchy = { intervals = [1, 2] }\n")),
      "p.toml:3:27: intervals in [attributes.a] are for numbers; the column is categorical / set type = \"numeric\", or use "
      "{ dates = [...] } for dates, a file for categories");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\nhierarchy = { prefix = 3 }\n")),
            "p.toml:4:24: a prefix in [attributes.a] is for codes; the column is numeric / set type = \"categorical\"");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\nhierarchy = { dates = [\"month\"] }\n")),
            "p.toml:4:23: dates in [attributes.a] are for dates; the column is numeric / set type = \"date\"");
  EXPECT_EQ(Told(WithQuasi("type = \"date\"\nround = 3\n")),
            "p.toml:4:9: 'round' in [attributes.a] is for numbers / for dates use grid, a number of days, or hierarchy = { "
            "dates = [...] }");
  EXPECT_EQ(Told(WithQuasi("values = [\"x\"]\nhierarchy = \"h.csv\"\n")),
            "p.toml:3:10: 'values' in [attributes.a] and a hierarchy file both declare the values / leave one of them out");
}

TEST(Policy, NumbersOfAColumnMustFitTogether) {
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\nrange = [5, 1]\n")),
            "p.toml:4:9: 'range' in [attributes.a] ends before it starts");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\nrange = [5]\n")),
            "p.toml:4:9: 'range' in [attributes.a] must be [minimum, maximum]");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\ngrid = 0\n")), "p.toml:4:8: 'grid' in [attributes.a] must be above 0");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\ntop = 1\nbottom = 2\n")),
            "p.toml:5:10: 'bottom' in [attributes.a] is above 'top'");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\nrange = [1, 5]\ntop = 6\n")),
            "p.toml:5:7: 'top' in [attributes.a] is outside 'range'");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\nhierarchy = { intervals = [10, 25] }\n")),
            "p.toml:4:32: each width of intervals in [attributes.a] must be a multiple of the one before");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\ngrid = 3\nhierarchy = { intervals = [10] }\n")),
            "p.toml:4:8: the first width of intervals in [attributes.a] must be a multiple of 'grid'");
  EXPECT_EQ(Told(WithQuasi("type = \"date\"\nrange = [\"1900-01-01\", \"1900-02-30\"]\n")),
            "p.toml:4:24: 'range' in [attributes.a] must be a date / such as \"2024-02-29\"");
  EXPECT_EQ(Told(WithQuasi("type = \"numeric\"\nvalues = [1, \"x\"]\n")),
            "p.toml:4:10: the value 'x' in [attributes.a] is not a number");
  EXPECT_EQ(Told(WithQuasi("values = [\"x\", \"x\"]\n")), "p.toml:3:16: the value 'x' is twice in 'values' of [attributes.a]");
  for (const char* weight : {"-1", "0", "nan", "inf", "1e100", "1e-7", "1000001"}) {
    EXPECT_EQ(Told(WithQuasi(fmt::format("weight = {}\n", weight))),
              "p.toml:3:10: 'weight' in [attributes.a] must be from 0.000001 to 1000000 / only the proportions of the weights "
              "count; 1 is the weight of a column without one");
  }
  EXPECT_EQ(Told(WithQuasi("hierarchy = { prefix = 0 }\n")),
            "p.toml:3:24: the prefix in [attributes.a] must be a whole number from 1 to 64: the length of the codes");
}

TEST(Policy, SomethingMustBeProtectedAndAskedFor) {
  EXPECT_EQ(Told(Parsed("")), "p.toml: there is no attribute / describe every column: [attributes.NAME] with a role");
  EXPECT_EQ(Told(Parsed("[attributes.a]\nrole = \"insensitive\"\n")),
            "p.toml: no column has role \"quasi\" / give that role to the columns by which a person might be recognized");
  EXPECT_EQ(Told(Parsed(kAttributes)),
            "p.toml: nothing is asked for: there is no [[privacy]] / add [[privacy]] with a model, such as model = "
            "\"k-anonymity\" and k");
  EXPECT_EQ(Told(Parsed("[attributes.a]\nrole = \"person\"\n[attributes.b]\nrole = \"person\"\n")),
            "p.toml:3: 'b' is a second person column; the first is 'a'");
}

TEST(Policy, FileFormatMustBePossible) {
  EXPECT_EQ(Told(With("[data]\nheader = false\n")),
            "p.toml:20:10: without a header the columns need names / add columns = [\"...\", ...] to [data]");
  EXPECT_EQ(
      Told(With("[data]\ndelimiter = \"\"\n")),
      "p.toml:20:13: 'delimiter' in [data] must be at least one character and no line end / such as \",\" \";\" or \"\\t\"");
  EXPECT_EQ(Told(With("[data]\nquote = \"ab\"\n")), "p.toml:20:9: 'quote' in [data] must be one character, or \"\" for none");
  EXPECT_EQ(Told(With("[data]\nquote = \",\"\n")),
            "p.toml:20:9: 'quote' in [data] must differ from the delimiter and the line end");
  EXPECT_EQ(Told(With("[data]\nskip = -1\n")), "p.toml:20:8: 'skip' in [data] must not be negative");
  EXPECT_EQ(Told(With("[data]\nmissing = [\"*\"]\n")),
            "p.toml:20:11: the first missing marker is published, and * is published for suppressed cells / put another marker "
            "first: "
            "missing = [\"\", \"*\"]");
  EXPECT_EQ(With("[data]\nquote = \"\"\n").value().data.text.quote, '\0');
}

TEST(Policy, StreamsNeedTheirEventTime) {
  EXPECT_EQ(With("[stream]\ndelay = 10000\n").value().stream->delay_tuples, 10000);
  EXPECT_EQ(Told(With("[stream]\ndelay = \"30s\"\n")),
            "p.toml:20:9: a delay of event time needs 'event_time', the column that holds it");
  EXPECT_EQ(
      Told(With("[stream]\nlateness = \"soon\"\n")),
      "p.toml:20:12: 'lateness' in [stream] is not a duration: 'soon' / write \"250ms\", \"30s\", \"5m\", \"2h\" or \"1d\"");
  EXPECT_EQ(Told(With("[stream]\ndelay = 0\n")), "p.toml:20:9: 'delay' in [stream] must be at least 1");
}

TEST(Policy, BadTomlGivesThePlace) {
  EXPECT_TRUE(Told(Parsed("[data\n")).starts_with("p.toml:1:")) << Told(Parsed("[data\n"));
  EXPECT_TRUE(Told(Parsed("a = 1\na = 2\n")).starts_with("p.toml:2:")) << Told(Parsed("a = 1\na = 2\n"));
  EXPECT_TRUE(Told(Parsed("a = \"\xff\xfe\"\n")).starts_with("p.toml:1:")) << Told(Parsed("a = \"\xff\xfe\"\n"));
  EXPECT_FALSE(Parsed("no = NO\n").ok());
}

TEST(Policy, VeryDeepKeysAreRefusedNotFollowed) {
  std::string deep = "a";
  for (int i = 0; i < 200'000; ++i) deep += ".a";
  EXPECT_EQ(Told(Parsed(deep + " = 1\n")), "p.toml: a dotted key has more than 16 parts");
  EXPECT_EQ(Told(Parsed("[" + deep + "]\n")), "p.toml: a dotted key has more than 16 parts");
  EXPECT_EQ(Told(Parsed(std::string(5 << 20, '#'))), "p.toml: larger than 4194304 bytes: this is not a policy");
  // Many dots that nest nothing are fine.
  EXPECT_TRUE(With("# ...................................\n[data]\nmissing = [\"..........................\"]\n").ok());
}

TEST(Policy, BetaLikenessOfSetsGoesWithTheColumn) {
  const auto beta = [](const std::string& keys) { return WithModel("model = \"beta-likeness\"\nbeta = 4\n" + keys); };
  const Policy range = beta("sensitive = \"salary\"\nrange = 2.5\n").value();
  EXPECT_EQ(std::get<BetaLikenessSpec>(range.models[0]).range, Rational(5, 2));
  EXPECT_NE(range.digest, beta("sensitive = \"salary\"\n").value().digest);
  EXPECT_NE(range.digest, beta("sensitive = \"salary\"\nrange = 2\n").value().digest);
  EXPECT_EQ(Told(beta("sensitive = \"disease\"\nrange = 2\n")),
            "p.toml:19:9: 'range' in beta-likeness needs numbers or dates; 'disease' is categorical / use min_depth with a "
            "hierarchy, or set type = \"numeric\" in [attributes.disease]");
  EXPECT_EQ(
      Told(beta("sensitive = \"disease\"\nmin_depth = 1\n")),
      "p.toml:19:13: 'min_depth' in beta-likeness needs a categorical column with a hierarchy; 'disease' is not one / add "
      "hierarchy = \"...\" to [attributes.disease]");
  EXPECT_EQ(Told(beta("sensitive = \"salary\"\nrange = -1\n")),
            "p.toml:15:1: beta-likeness: range is -1, it must be 0 or more");
}

TEST(Policy, DigestFollowsTheMeaningNotTheLayout) {
  const std::string digest = With("").value().digest;
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(With("# a comment\n[data]\nmissing = [\"\"]\n[algorithm]\nsuppression_limit = 0.0\n").value().digest, digest);
  // Columns and models in another order say the same.
  const std::string reordered = std::string(kPrivacy) + R"(
[attributes.disease]
role = "sensitive"
type = "categorical"
[attributes.zip]
role = "quasi"
[attributes.salary]
role = "sensitive"
type = "numeric"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi"
type = "numeric"
range = [1.0, 100.0]
)";
  EXPECT_EQ(Parsed(reordered).value().digest, digest);
  for (const char* more :
       {"[data]\nmissing = [\"?\"]\n", "[algorithm]\nsuppression_limit = 0.01\n", "[algorithm]\nname = \"mondrian\"\n",
        "[algorithm.mondrian]\nrelaxed = true\n", "[[privacy]]\nmodel = \"k-anonymity\"\nk = 3\n", "[stream]\ndelay = 5\n"}) {
    EXPECT_NE(With(more).value().digest, digest) << more;
  }
  EXPECT_NE(WithModel("model = \"k-anonymity\"\nk = 11\n").value().digest, digest);
  EXPECT_EQ(WithModel("model = \"t-closeness\"\nsensitive = \"disease\"\nt = 0.2\n").value().digest,
            WithModel("model = \"t-closeness\"\nsensitive = \"disease\"\nt = \"1/5\"\ndistance = \"equal\"\n").value().digest);
}

// Every option of every algorithm that has a default, spelled out.
TEST(Policy, DefaultsThatAreSpelledOutDoNotChangeTheDigest) {
  const std::string of_tables = With("").value().digest;
  for (const char* table : {"[algorithm.mondrian]\ndims = \"all\"\ncategorical = \"hierarchy\"\nrelaxed = false\n",
                            "[algorithm.full-domain]\nchecks = 4000\n", "[algorithm.sabre]\nbound = \"thesis\"\n",
                            "[algorithm.burel]\nmargin = 0.0\nneighbours = \"hilbert\"\n",
                            "[algorithm.tdr]\nutility = \"distortion\"\nscore = \"gain-per-loss\"\n",
                            "[algorithm.tdd]\nutility = \"distortion\"\nscore = \"gain-per-loss\"\n", "[algorithm.sabre]\n"}) {
    EXPECT_EQ(With(table).value().digest, of_tables) << table;
  }
  EXPECT_NE(With("[algorithm.tdr]\nutility = \"class\"\n").value().digest, of_tables);

  const std::string stream = "[stream]\ndelay = 500\n";
  const std::string of_streams = With(stream).value().digest;
  const std::string castle =
      "[algorithm.castle]\nmax_open = 50\nhistory = 100\nreuse = \"uniform\"\nreuse_cap = 4096\nreuse_ttl = 5000\noutlier = "
      "false\nloss = \"paper\"\nbatch = 1\npool_cap = 4096\ncuts = \"best\"\nsplit_tries = 2\n";
  EXPECT_EQ(With(stream + castle).value().digest, of_streams);
  EXPECT_EQ(With(stream + "lateness = \"0s\"\norder = \"ready\"\nmax_dead_letters = 1000\n").value().digest, of_streams);
  EXPECT_EQ(
      With(stream + "[algorithm.stream-rtree]\nmethod = \"full\"\nactive = 1000\nalpha = 0.001\nsample = 3000\nsample_window = "
                    "10000\nmax_holds = 2\nmax_held = 2000\ncontrol = \"proportional\"\n")
          .value()
          .digest,
      of_streams);
  for (const char* other : {"[algorithm.castle]\nreuse_ttl = 5001\n", "[algorithm.castle]\ncuts = \"seeds\"\n",
                            "[algorithm.stream-rtree]\nmax_held = 1000\n"}) {
    EXPECT_NE(With(stream + other).value().digest, of_streams) << other;
  }
  // Where another option moves a default, the old value is none.
  EXPECT_NE(With(stream + "[algorithm.stream-rtree]\nactive = 900\nmax_held = 2000\n").value().digest,
            With(stream + "[algorithm.stream-rtree]\nactive = 900\n").value().digest);
}

TEST(Policy, DefaultsOfWindowsFollowFromThem) {
  const auto digest = [](const std::string& window, const std::string& more) {
    const std::string model = "model = \"window-closeness\"\nsensitive = \"disease\"\nt = 0.2\nwindow = " + window + "\n";
    const auto policy = Parsed(std::string(kAttributes) + "values = [\"a\", \"b\"]\n[[privacy]]\n" + model + more);
    EXPECT_TRUE(policy.ok()) << Told(policy);
    return policy.ok() ? policy.value().digest : "";
  };
  const std::string plain = digest("80", "[stream]\n");
  EXPECT_EQ(plain, digest("80",
                          "[stream]\n[algorithm.sabre-w]\nstep = 20\npartition = \"sabre\"\nsweeps = 0\nrho = 1\nlazy = "
                          "false\nshort = \"static\"\n"));
  EXPECT_EQ(plain, digest("80", "[stream]\ndelay = 99\n"));  // window + step - 1
  EXPECT_EQ(digest("81", "[stream]\n"), digest("81", "[stream]\ndelay = 161\n[algorithm.sabre-w]\nstep = 81\n"));
  EXPECT_NE(plain, digest("80", "[stream]\n[algorithm.sabre-w]\nstep = 40\n"));
  EXPECT_NE(plain, digest("80", "[stream]\n[algorithm.sabre-w]\nrho = \"1/2\"\n"));
  EXPECT_NE(plain, digest("80", "[stream]\ndelay = 100\n"));
}

TEST(Policy, HierarchyFilesAreReadRelativeToThePolicyAndEnterTheDigest) {
  const ScratchFolder folder;
  folder.Write("h.csv", "a;x;*\nb;x;*\nc;y;*\n");
  folder.Write("p.toml",
               "[attributes.q]\nrole = \"quasi\"\nhierarchy = \"h.csv\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n");
  const std::string path = (folder.path() / "p.toml").string();
  const auto policy = ReadPolicy(path);
  ASSERT_TRUE(policy.ok()) << Told(policy);
  EXPECT_EQ(policy.value().Find("q")->hierarchy.hierarchy->num_leaves(), 3);
  EXPECT_EQ(policy.value().directory, folder.path());
  folder.Write("h.csv", "\xEF\xBB\xBF\"a\";x;*\r\nb;x;*\r\nc;y;*\r\n\r\n");  // the same tree
  EXPECT_EQ(ReadPolicy(path).value().digest, policy.value().digest);
  folder.Write("h.csv", "a;x;*\nb;y;*\nc;y;*\n");
  EXPECT_NE(ReadPolicy(path).value().digest, policy.value().digest);
}

TEST(Policy, MissingFilesAreNamed) {
  const ScratchFolder folder;
  const std::string path = (folder.path() / "p.toml").string();
  const auto none = ReadPolicy(path);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind(), ErrorKind::kIo);
  EXPECT_NE(none.error().message().find("p.toml"), std::string::npos) << none.error().message();
  folder.Write("p.toml",
               "[attributes.q]\nrole = \"quasi\"\nhierarchy = \"h.csv\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n");
  const auto no_hierarchy = ReadPolicy(path);
  ASSERT_FALSE(no_hierarchy.ok());
  EXPECT_NE(no_hierarchy.error().message().find("p.toml:1: hierarchy of 'q'"), std::string::npos)
      << no_hierarchy.error().message();
  EXPECT_NE(no_hierarchy.error().message().find("h.csv"), std::string::npos) << no_hierarchy.error().message();
}

TEST(Policy, ValuesThatModelsNameMustBeOfTheDeclaredDomain) {
  const ScratchFolder folder;
  folder.Write("h.csv", "flu;lungs;*\nasthma;lungs;*\nulcer;stomach;*\n");
  const auto parsed = [&](const std::string& value) {
    return ParsePolicy(
        "[attributes.q]\nrole = \"quasi\"\n[attributes.s]\nrole = \"sensitive\"\nhierarchy = \"h.csv\"\n"
        "[[privacy]]\nmodel = \"alpha-k\"\nsensitive = \"s\"\nvalue = \"" +
            value + "\"\nalpha = 0.5\nk = 2\n",
        folder.path(), "p.toml");
  };
  EXPECT_TRUE(parsed("asthma").ok());
  EXPECT_EQ(Told(parsed("astma")), "p.toml:6: 'astma' is not a value of the column 's' / did you mean 'asthma'?");
  EXPECT_FALSE(parsed("lungs").ok());
}

TEST(Policy, LabelsOfNumbersMustHoldNumbers) {
  const ScratchFolder folder;
  folder.Write("h.csv", "young;*\nold;*\n");
  EXPECT_EQ(
      Told(ParsePolicy("[attributes.q]\nrole = \"quasi\"\ntype = \"numeric\"\nhierarchy = \"h.csv\"\n" + std::string(kPrivacy),
                       folder.path(), "p.toml")),
      "p.toml:1: no leaf of " + (folder / "h.csv") + " is a number, but 'q' is of type numeric / set type = \"categorical\"");
}

}  // namespace
}  // namespace cordon::engine
