// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/sal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cordon::engine {
namespace {

enum Place : std::size_t { kAge, kGender, kMarital, kBirthPlace, kEducation, kOccupation, kRace, kSalary };

constexpr std::size_t kBirthPlaces = 57;
constexpr std::size_t kRaces = 8;
constexpr std::size_t kYoung = 25 - 17;     // places on the axis of ages, from 17 on
constexpr std::size_t kGraduated = 14 - 1;  // a bachelor's degree, from 1 on
constexpr std::size_t kSchool = 10 - 1;     // a finished high school
// Where the occupations of each level of schooling begin; from there the n-th has a share proportional to 1/n.
constexpr std::size_t kFirstOccupation[] = {16, 8, 0};
constexpr std::uint32_t kFirstWeight = 1 << 20;

struct Occupation {
  const char* label;
  const char* group;
};

constexpr Occupation kOccupations[] = {
    {"Manager", "Office and professions"},
    {"Engineer", "Office and professions"},
    {"Scientist", "Office and professions"},
    {"Lawyer", "Office and professions"},
    {"Physician", "Health and teaching"},
    {"Nurse", "Health and teaching"},
    {"Teacher", "Health and teaching"},
    {"Social worker", "Health and teaching"},
    {"Clerk", "Sales and clerical"},
    {"Secretary", "Sales and clerical"},
    {"Salesperson", "Sales and clerical"},
    {"Cashier", "Sales and clerical"},
    {"Police officer", "Public service"},
    {"Firefighter", "Public service"},
    {"Soldier", "Public service"},
    {"Mail carrier", "Public service"},
    {"Builder", "Crafts and industry"},
    {"Electrician", "Crafts and industry"},
    {"Mechanic", "Crafts and industry"},
    {"Machine operator", "Crafts and industry"},
    {"Driver", "Transport and services"},
    {"Cook", "Transport and services"},
    {"Cleaner", "Transport and services"},
    {"Hairdresser", "Transport and services"},
    {"Farm worker", "Transport and services"},
};

constexpr std::string_view kPolicyStart = R"(# Policy for sal.csv: a stream of people who do not exist, each with one row.

[attributes.age]
role = "quasi"
type = "numeric"
range = [17, 95]                # a stream learns no domain from its data
)";

constexpr std::string_view kPolicyEnd = R"(
[[privacy]]
model = "ks-anonymity"
k = 10

[stream]                        # no delay: waiting costs, see below

[algorithm]
name = "stream-rtree"

[algorithm.stream-rtree]
active = 1000                   # tuples that wait at a time: the mean delay
alpha = 0.001                   # what an arrival of delay costs
)";

std::string Policy(const std::vector<CensusAttribute>& attributes) {
  std::string text(kPolicyStart);
  for (const Place column : {kGender, kMarital, kBirthPlace, kEducation, kOccupation, kRace}) {
    const std::string& name = attributes[column].name;
    if (column == kEducation) {
      text += fmt::format("\n[attributes.{}]\nrole = \"quasi\"\ntype = \"numeric\"\nrange = [1, 17]\n", name);
    } else {
      text += fmt::format("\n[attributes.{0}]\nrole = \"quasi\"\ntype = \"categorical\"\nhierarchy = \"{0}.csv\"\n", name);
    }
  }
  text += fmt::format(
      "\n[attributes.salary]             # 50 classes\nrole = \"sensitive\"\ntype = \"numeric\"\nvalues = [{}]\n"
      "unguarded = \"the data is synthetic\"\n",
      fmt::join(attributes[kSalary].labels, ", "));
  return text + std::string(kPolicyEnd);
}

// Only the leaves that are kept, in their order.
CensusAttribute Kept(const CensusAttribute& from, const std::vector<bool>& keep) {
  CensusAttribute made{from.name, {}, {}, {}};
  std::size_t start = 0;
  for (std::size_t i = 0; i < from.labels.size(); ++i) {
    const std::size_t end = from.hierarchy.find('\n', start) + 1;
    if (keep[i]) {
      made.labels.push_back(from.labels[i]);
      made.weights.push_back(from.weights[i]);
      made.hierarchy += from.hierarchy.substr(start, end - start);
    }
    start = end;
  }
  return made;
}

// The `count` most common leaves; of equals the earlier.
CensusAttribute MostCommon(const CensusAttribute& from, std::size_t count) {
  std::vector<std::size_t> order(from.labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return from.weights[a] > from.weights[b]; });
  std::vector<bool> keep(order.size());
  for (std::size_t i = 0; i < count; ++i) keep[order[i]] = true;
  return Kept(from, keep);
}

CensusAttribute Occupations() {
  CensusAttribute made{"occupation", {}, {}, {}};
  for (const Occupation& each : kOccupations) {
    made.labels.emplace_back(each.label);
    made.weights.push_back(kFirstWeight / static_cast<std::uint32_t>(made.labels.size()));
    made.hierarchy += fmt::format("{};{};*\n", each.label, each.group);
  }
  return made;
}

}  // namespace

std::vector<CensusAttribute> SalAttributes() {
  const std::vector<CensusAttribute> census = CensusAttributes();
  const auto find = [&](std::string_view name) {
    return *std::find_if(census.begin(), census.end(), [&](const CensusAttribute& each) { return each.name == name; });
  };
  CensusAttribute gender = find("sex");
  gender.name = "gender";
  return {find("age"),       gender,        find("marital_status"),           MostCommon(find("birth_place"), kBirthPlaces),
          find("education"), Occupations(), MostCommon(find("race"), kRaces), find("salary")};
}

SalRows::SalRows(std::uint64_t seed) : random_(Random::FromSeed(seed).Substream("sal")) {
  std::vector<std::vector<std::uint64_t>> cumulative;
  for (const CensusAttribute& attribute : SalAttributes()) {
    std::uint64_t sum = 0;
    cumulative.emplace_back();
    for (const std::uint32_t weight : attribute.weights) cumulative.back().push_back(sum += weight);
  }
  for (std::uint64_t sum = 0; const std::uint64_t weight : CensusSalaryWeights()) cumulative[kSalary].push_back(sum += weight);
  cumulative_ = std::make_shared<const std::vector<std::vector<std::uint64_t>>>(std::move(cumulative));
}

std::size_t SalRows::Draw(std::size_t column) {
  const std::vector<std::uint64_t>& cumulative = (*cumulative_)[column];
  const std::uint64_t at = random_.Below(cumulative.back());
  return static_cast<std::size_t>(std::upper_bound(cumulative.begin(), cumulative.end(), at) - cumulative.begin());
}

// The young are more often unmarried, schooling leads to an occupation, and a degree pays.
SalRows::Row SalRows::Next() {
  Row row{};
  for (std::size_t column = 0; column < row.size(); ++column) row[column] = Draw(column);
  if (row[kAge] < kYoung) row[kMarital] = std::min(row[kMarital], Draw(kMarital));
  const std::size_t level = row[kEducation] >= kGraduated ? 2 : (row[kEducation] >= kSchool ? 1 : 0);
  row[kOccupation] = (kFirstOccupation[level] + row[kOccupation]) % std::size(kOccupations);
  if (level == 2) row[kSalary] = std::max(row[kSalary], Draw(kSalary));
  return row;
}

Result<Generated> GenerateSal(const SalOptions& options) {
  const auto attributes = std::make_shared<const std::vector<CensusAttribute>>(SalAttributes());
  Generated made;
  made.table.num_rows = options.rows;
  made.table_file = "sal.csv";
  made.files.emplace_back("policy.toml", Policy(*attributes));
  for (const Place column : {kGender, kMarital, kBirthPlace, kOccupation, kRace}) {
    made.files.emplace_back((*attributes)[column].name + ".csv", (*attributes)[column].hierarchy);
  }
  for (const CensusAttribute& attribute : *attributes)
    made.header += attribute.name + (attribute.name == "salary" ? "\n" : ",");
  made.rows = [attributes, seed = options.seed]() -> Generated::RowWriter {
    return [attributes, rows = SalRows(seed)](std::string& text) mutable {
      const SalRows::Row row = rows.Next();
      for (std::size_t column = 0; column < row.size(); ++column) {
        text += (*attributes)[column].labels[row[column]];
        text += column + 1 < row.size() ? ',' : '\n';
      }
    };
  };
  return made;
}

}  // namespace cordon::engine
