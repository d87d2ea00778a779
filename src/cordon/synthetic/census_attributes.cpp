// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/census_attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace cordon::engine {
namespace {

// p_i = A r^(i - 12) for i >= 12 and A - s (12 - i) below, with A = .048402, r = (.002018 / A)^(1/37) and s such
// that all sum to 1; rounded to 10^-12, class 12 taking what is missing to 1.
constexpr std::array<std::uint64_t, 50> kSalaryWeights = {
    25865115266, 27743188994, 29621262721, 31499336449, 33377410177, 35255483905, 37133557633, 39011631361, 40889705089,
    42767778816, 44645852544, 46523926272, 48402000002, 44418876915, 40763535110, 37409000633, 34330519289, 31505373967,
    28912717003, 26533416343, 24349914356, 22346098274, 20507181289, 18819593438, 17270881461, 15849616913, 14545311822,
    13348341298, 12249872508, 11241799495, 10316683362, 9467697377,  8688576597,  7973571638,  7317406247,  6715238366,
    6162624405,  5655486445,  5190082152,  4762977155,  4371019710,  4011317435,  3681215971,  3378279391,  3100272230,
    2845142981,  2611008964,  2396142428,  2198957803,  2018000000,
};

struct Leaf {
  const char* label;
  std::uint32_t weight;
  std::vector<const char*> above;  // the levels between the leaf and the root
};

CensusAttribute Categorical(const char* name, const std::vector<Leaf>& leaves) {
  CensusAttribute made{name, {}, {}, {}};
  for (const Leaf& leaf : leaves) {
    made.labels.emplace_back(leaf.label);
    made.weights.push_back(leaf.weight);
    made.hierarchy += leaf.label;
    for (const char* label : leaf.above) made.hierarchy += fmt::format(";{}", label);
    made.hierarchy += ";*\n";
  }
  return made;
}

// Values first..last under cells of growing width, each a multiple of the one before, all starting at `first`.
CensusAttribute Numeric(const char* name, int first, const std::vector<std::uint32_t>& weights,
                        const std::vector<int>& widths) {
  CensusAttribute made{name, {}, weights, {}};
  const int last = first + static_cast<int>(weights.size()) - 1;
  for (int value = first; value <= last; ++value) {
    made.labels.push_back(std::to_string(value));
    made.hierarchy += made.labels.back();
    for (const int width : widths) {
      const int low = value - (value - first) % width;
      const int high = std::min(low + width - 1, last);
      made.hierarchy += low == high ? fmt::format(";{}", low) : fmt::format(";[{},{}]", low, high);
    }
    made.hierarchy += ";*\n";
  }
  return made;
}

// Level from 17 to 55, then falling in a straight line to 95.
std::vector<std::uint32_t> AgeWeights() {
  std::vector<std::uint32_t> weights;
  for (std::uint32_t age = 17; age <= 95; ++age) weights.push_back(std::min(41u, 96 - age));
  return weights;
}

// From no schooling (1) to a doctorate (17); 10 is a finished high school, 14 a bachelor's degree. Per 1000.
std::vector<std::uint32_t> EducationWeights() { return {8, 5, 7, 12, 14, 20, 24, 28, 32, 290, 60, 170, 80, 172, 56, 14, 8}; }

std::vector<Leaf> Sex() { return {{"Female", 51, {}}, {"Male", 49, {}}}; }

// Per 1000.
std::vector<Leaf> MaritalStatus() {
  return {
      {"Never married", 270, {"Never married"}}, {"Separated", 25, {"Married before"}},
      {"Divorced", 95, {"Married before"}},      {"Widowed", 60, {"Married before"}},
      {"Married and apart", 30, {"Married"}},    {"Married and together", 520, {"Married"}},
  };
}

// Per 1000.
std::vector<Leaf> Race() {
  return {
      {"White", 770, {}},     {"Black", 115, {}},    {"American Indian", 9, {}},
      {"Chinese", 12, {}},    {"Japanese", 5, {}},   {"Other Asian", 33, {}},
      {"Other race", 40, {}}, {"Two races", 13, {}}, {"Three or more races", 3, {}},
  };
}

// Per 1000.
std::vector<Leaf> WorkClass() {
  return {
      {"No work", 80, {"No work", "Not employed"}},
      {"Unpaid family work", 5, {"Unpaid family work", "Not employed"}},
      {"Private company", 560, {"Private sector", "Employed"}},
      {"Private nonprofit", 65, {"Private sector", "Employed"}},
      {"Local government", 75, {"Public sector", "Employed"}},
      {"State government", 50, {"Public sector", "Employed"}},
      {"Federal government", 30, {"Public sector", "Employed"}},
      {"Armed forces", 10, {"Public sector", "Employed"}},
      {"Own business", 85, {"Self-employed", "Employed"}},
      {"Own corporation", 40, {"Self-employed", "Employed"}},
  };
}

// Per 100000.
std::vector<Leaf> BirthPlace() {
  return {
      {"United States", 84445, {"North America"}},
      {"Canada", 340, {"North America"}},
      {"Mexico", 4200, {"North America"}},
      {"Guatemala", 250, {"Central America"}},
      {"El Salvador", 420, {"Central America"}},
      {"Honduras", 150, {"Central America"}},
      {"Nicaragua", 120, {"Central America"}},
      {"Costa Rica", 40, {"Central America"}},
      {"Panama", 70, {"Central America"}},
      {"Belize", 25, {"Central America"}},
      {"Cuba", 450, {"Caribbean"}},
      {"Dominican Republic", 360, {"Caribbean"}},
      {"Haiti", 220, {"Caribbean"}},
      {"Jamaica", 290, {"Caribbean"}},
      {"Trinidad and Tobago", 100, {"Caribbean"}},
      {"Barbados", 30, {"Caribbean"}},
      {"Bahamas", 25, {"Caribbean"}},
      {"Grenada", 20, {"Caribbean"}},
      {"Colombia", 270, {"South America"}},
      {"Ecuador", 160, {"South America"}},
      {"Peru", 150, {"South America"}},
      {"Brazil", 120, {"South America"}},
      {"Guyana", 110, {"South America"}},
      {"Venezuela", 60, {"South America"}},
      {"Argentina", 70, {"South America"}},
      {"Chile", 45, {"South America"}},
      {"Bolivia", 30, {"South America"}},
      {"Uruguay", 20, {"South America"}},
      {"United Kingdom", 330, {"Western Europe"}},
      {"Ireland", 90, {"Western Europe"}},
      {"Germany", 500, {"Western Europe"}},
      {"France", 85, {"Western Europe"}},
      {"Netherlands", 55, {"Western Europe"}},
      {"Belgium", 20, {"Western Europe"}},
      {"Austria", 35, {"Western Europe"}},
      {"Switzerland", 25, {"Western Europe"}},
      {"Sweden", 30, {"Western Europe"}},
      {"Norway", 25, {"Western Europe"}},
      {"Denmark", 20, {"Western Europe"}},
      {"Italy", 250, {"Southern Europe"}},
      {"Portugal", 120, {"Southern Europe"}},
      {"Spain", 60, {"Southern Europe"}},
      {"Greece", 95, {"Southern Europe"}},
      {"Albania", 25, {"Southern Europe"}},
      {"Poland", 260, {"Eastern Europe"}},
      {"Russia", 190, {"Eastern Europe"}},
      {"Ukraine", 150, {"Eastern Europe"}},
      {"Romania", 75, {"Eastern Europe"}},
      {"Hungary", 50, {"Eastern Europe"}},
      {"Czechia", 40, {"Eastern Europe"}},
      {"Bulgaria", 25, {"Eastern Europe"}},
      {"Belarus", 25, {"Eastern Europe"}},
      {"Lithuania", 20, {"Eastern Europe"}},
      {"Latvia", 20, {"Eastern Europe"}},
      {"Serbia", 60, {"Eastern Europe"}},
      {"China", 640, {"East Asia"}},
      {"Korea", 450, {"East Asia"}},
      {"Japan", 220, {"East Asia"}},
      {"Taiwan", 170, {"East Asia"}},
      {"Philippines", 750, {"South-East Asia"}},
      {"Vietnam", 560, {"South-East Asia"}},
      {"Thailand", 90, {"South-East Asia"}},
      {"Cambodia", 70, {"South-East Asia"}},
      {"Laos", 105, {"South-East Asia"}},
      {"Indonesia", 45, {"South-East Asia"}},
      {"Malaysia", 35, {"South-East Asia"}},
      {"Myanmar", 25, {"South-East Asia"}},
      {"India", 620, {"South Asia"}},
      {"Pakistan", 130, {"South Asia"}},
      {"Bangladesh", 60, {"South Asia"}},
      {"Sri Lanka", 20, {"South Asia"}},
      {"Iran", 160, {"Middle East"}},
      {"Iraq", 55, {"Middle East"}},
      {"Israel", 65, {"Middle East"}},
      {"Lebanon", 60, {"Middle East"}},
      {"Turkey", 50, {"Middle East"}},
      {"Syria", 35, {"Middle East"}},
      {"Nigeria", 90, {"Africa"}},
      {"Ethiopia", 50, {"Africa"}},
      {"Ghana", 45, {"Africa"}},
      {"Egypt", 70, {"Africa"}},
      {"Australia", 40, {"Oceania"}},
      {"New Zealand", 20, {"Oceania"}},
  };
}

}  // namespace

std::span<const std::uint64_t> CensusSalaryWeights() { return kSalaryWeights; }

std::vector<CensusAttribute> CensusAttributes() {
  CensusAttribute salary{"salary", {}, {}, {}};
  for (std::size_t i = 0; i < kSalaryWeights.size(); ++i) salary.labels.push_back(std::to_string(i));
  return {
      Numeric("age", 17, AgeWeights(), {5, 10, 20}),
      Categorical("sex", Sex()),
      Numeric("education", 1, EducationWeights(), {2, 4, 8}),
      Categorical("marital_status", MaritalStatus()),
      Categorical("race", Race()),
      Categorical("work_class", WorkClass()),
      Categorical("birth_place", BirthPlace()),
      std::move(salary),
  };
}

std::string CensusPolicy() {
  std::vector<int> salaries;
  for (std::size_t i = 0; i < kSalaryWeights.size(); ++i) salaries.push_back(static_cast<int>(i));
  return fmt::format(R"(# Policy for census.csv: seven quasi-identifiers, one sensitive column.

[attributes.age]
role = "quasi"
type = "numeric"
range = [17, 95]
hierarchy = "age.csv"

[attributes.sex]
role = "quasi"
type = "categorical"
hierarchy = "sex.csv"

[attributes.education]
role = "quasi"
type = "numeric"
range = [1, 17]
hierarchy = "education.csv"

[attributes.marital_status]
role = "quasi"
type = "categorical"
hierarchy = "marital_status.csv"

[attributes.race]
role = "quasi"
type = "categorical"
hierarchy = "race.csv"

[attributes.work_class]
role = "quasi"
type = "categorical"
hierarchy = "work_class.csv"

[attributes.birth_place]
role = "quasi"
type = "categorical"
hierarchy = "birth_place.csv"

[attributes.salary]             # 50 classes, from the lowest to the highest
role = "sensitive"
type = "numeric"
values = [{}]
unguarded = "the data is synthetic" # take it out with the model below

[[privacy]]
model = "k-anonymity"
k = 10

# To keep the salaries of every group close to those of the whole table, add:
#
# [[privacy]]
# model = "t-closeness"
# sensitive = "salary"
# t = 0.35
# distance = "ordered"
)",
                     fmt::join(salaries, ", "));
}

}  // namespace cordon::engine
