// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/patients.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

constexpr std::array kFirstNames = {"Ada",  "Bela",  "Cleo",  "Dario", "Edda", "Finn",  "Gita", "Hugo",
                                    "Ines", "Jonas", "Kira",  "Levi",  "Mira", "Nils",  "Olga", "Pablo",
                                    "Runa", "Sami",  "Tessa", "Umar",  "Vera", "Wanda", "Yara", "Zeno"};
constexpr std::array kLastNames = {"Ashdown",    "Birkwood",  "Corvell",   "Dunmere",  "Elsworth",     "Farrow",
                                   "Greyling",   "Holloway",  "Ingleby",   "Jarrow",   "Kestrel",      "Lindqvist",
                                   "Marlowe",    "Northgate", "Oakhurst",  "Pemberly", "Quillfeather", "Ravensby",
                                   "Stillwater", "Thornbury", "Underhill", "Vancroft", "Whitlock",     "Yarrowby"};

struct Job {
  std::string_view label, field, kind;
  std::uint64_t weight;
};
constexpr std::array kJobs = {
    Job{"Nurse", "Health", "Services", 9},         Job{"Doctor", "Health", "Services", 3},
    Job{"Teacher", "Education", "Services", 9},    Job{"Librarian", "Education", "Services", 2},
    Job{"Clerk", "Office", "Services", 14},        Job{"Accountant", "Office", "Services", 6},
    Job{"Programmer", "Office", "Services", 6},    Job{"Carpenter", "Crafts", "Production", 6},
    Job{"Electrician", "Crafts", "Production", 6}, Job{"Baker", "Crafts", "Production", 4},
    Job{"Machinist", "Industry", "Production", 9}, Job{"Welder", "Industry", "Production", 4},
    Job{"Farmer", "Land", "Production", 4},        Job{"Forester", "Land", "Production", 1},
    Job{"Student", "At home", "Without a job", 8}, Job{"Retired", "At home", "Without a job", 9},
};

// Weights for people under 40, under 65, and older; cost is the mean in whole units of money.
struct Disease {
  std::string_view label, group;
  std::array<std::uint64_t, 3> weights;
  std::uint64_t cost;
};
constexpr std::array kDiseases = {
    Disease{"Flu", "Infection", {14, 9, 8}, 900},
    Disease{"Pneumonia", "Infection", {6, 7, 12}, 4200},
    Disease{"Hepatitis", "Infection", {4, 5, 3}, 5100},
    Disease{"Asthma", "Lung disease", {9, 6, 4}, 1800},
    Disease{"Bronchitis", "Lung disease", {7, 8, 9}, 1500},
    Disease{"Angina", "Heart disease", {1, 8, 12}, 6400},
    Disease{"Heart attack", "Heart disease", {1, 6, 13}, 14800},
    Disease{"Gastritis", "Stomach disease", {10, 9, 7}, 1300},
    Disease{"Ulcer", "Stomach disease", {5, 8, 7}, 3700},
    Disease{"Fracture", "Injury", {16, 9, 11}, 3900},
    Disease{"Concussion", "Injury", {9, 4, 3}, 2100},
    Disease{"Diabetes", "Metabolic disease", {4, 9, 12}, 2600},
};

template <typename Items, typename WeightOf>
std::size_t Draw(const Items& items, const WeightOf& weight_of, Random& random) {
  std::uint64_t total = 0;
  for (const auto& item : items) total += weight_of(item);
  std::uint64_t at = random.Below(total);
  for (std::size_t i = 0;; ++i) {
    if (at < weight_of(items[i])) return i;
    at -= weight_of(items[i]);
  }
}

bool OneIn(std::uint64_t n, Random& random) { return random.Below(n) == 0; }

struct Patient {
  std::string id, name, age, sex, zip, job;
  std::size_t age_class;
};

Patient DrawPatient(std::uint64_t number, Random& random) {
  Patient made;
  made.id = fmt::format("P{:06}", number);
  made.name = fmt::format("{} {}", kFirstNames[random.Below(kFirstNames.size())], kLastNames[random.Below(kLastNames.size())]);
  const std::uint64_t age = 18 + random.Below(42) + random.Below(31);  // 18 to 89, most in the middle
  made.age = std::to_string(age);
  made.age_class = age < 40 ? 0 : age < 65 ? 1 : 2;
  made.sex = OneIn(2, random) ? "Female" : "Male";
  // Three towns of unequal size, each with a few dozen postal codes.
  const std::uint64_t town = random.Below(6);
  made.zip = std::to_string((town < 3 ? 53700 : town < 5 ? 53500 : 54900) + random.Below(40));
  made.job = kJobs[Draw(kJobs, [](const Job& job) { return job.weight; }, random)].label;
  if (made.job == "Student" && made.age_class > 0) made.job = "Retired";
  if (made.job == "Retired" && made.age_class == 0) made.job = "Student";
  if (OneIn(50, random)) made.job = "?";  // not asked
  if (OneIn(100, random)) made.zip = "";  // not written down
  return made;
}

class Columns {
 public:
  explicit Columns(std::vector<std::string> names) : names_(std::move(names)), codes_(names_.size()) {
    for (std::size_t i = 0; i < names_.size(); ++i) dictionaries_.push_back(std::make_shared<Dictionary>());
  }

  // REQUIRES: one cell per column.
  void Add(std::span<const std::string_view> row) {
    CORDON_CHECK_EQ(row.size(), names_.size());
    for (std::size_t i = 0; i < row.size(); ++i) codes_[i].Add(dictionaries_[i]->Intern(row[i]));
    ++num_rows_;
  }

  Table Finish() {
    Table table;
    table.num_rows = num_rows_;
    for (std::size_t i = 0; i < names_.size(); ++i) table.columns.push_back({names_[i], dictionaries_[i], codes_[i].Finish()});
    return table;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<Dictionary>> dictionaries_;
  std::vector<CodesBuilder> codes_;
  std::size_t num_rows_ = 0;
};

void AddStay(const Patient& patient, std::int64_t first_day, Random& random, Columns& columns) {
  const std::string admitted = FormatDate(first_day + static_cast<std::int64_t>(random.Below(730)));
  const Disease& disease = kDiseases[Draw(kDiseases, [&](const Disease& d) { return d.weights[patient.age_class]; }, random)];
  const std::uint64_t cents = disease.cost * 50 + random.Below(disease.cost * 100);  // half to three halves of the mean
  const std::string cost = OneIn(100, random) ? "" : fmt::format("{}.{:02}", cents / 100, cents % 100);
  const std::array<std::string_view, 9> row = {patient.id,  patient.name, patient.age,   patient.sex, patient.zip,
                                               patient.job, admitted,     disease.label, cost};
  columns.Add(row);
}

std::string JobHierarchy() {
  std::string text;
  for (const Job& job : kJobs) text += fmt::format("{};{};{};*\n", job.label, job.field, job.kind);
  return text;
}

std::string DiseaseHierarchy() {
  std::string text;
  for (const Disease& disease : kDiseases) text += fmt::format("{};{};*\n", disease.label, disease.group);
  return text;
}

constexpr std::string_view kPatientsPolicy = R"(# Policy for patients.csv: hospital stays of people who do not exist.

[data]
missing = ["?", ""]             # the first one is what is published where all cells of a group are missing

[attributes.patient_id]
role = "person"                 # one person, several stays: k counts people; never published

[attributes.name]
role = "identifier"             # dropped

[attributes.age]
role = "quasi"
type = "numeric"
range = [18, 90]

[attributes.sex]
role = "quasi"
type = "categorical"            # no hierarchy: Female, Male or *

[attributes.zip]
role = "quasi"
type = "categorical"
hierarchy = { prefix = 5 }      # 53711 -> 5371* -> 537* ...

[attributes.job]
role = "quasi"
type = "categorical"
hierarchy = "job.csv"

[attributes.admitted]
role = "quasi"
type = "date"
hierarchy = { dates = ["month", "quarter", "year"] }

[attributes.disease]
role = "sensitive"
type = "categorical"
hierarchy = "disease.csv"

[attributes.cost]
role = "identifier"             # left out: who knows a bill to the cent would find the person

[[privacy]]                     # nobody can be told from fewer than four others by the quasi columns
model = "k-anonymity"
k = 5

[[privacy]]                     # and no group gives away the disease
model = "l-diversity"
sensitive = "disease"
kind = "distinct"
l = 3
)";

}  // namespace

Result<Generated> GeneratePatients(const PatientsOptions& options, const Run& run) {
  if (options.rows == 0) return Error::InvalidPolicy("rows = 0 makes no table");
  Random random = Random::FromSeed(options.seed).Substream("patients");
  const std::int64_t first_day = *ParseDate("2023-01-01");
  Columns columns({"patient_id", "name", "age", "sex", "zip", "job", "admitted", "disease", "cost"});
  std::uint64_t people = 0;
  for (std::uint64_t row = 0; row < options.rows;) {
    if (run.Stopped()) return Error::Cancelled();
    const Patient patient = DrawPatient(++people, random);
    std::uint64_t stays = 1;
    while (stays < 4 && OneIn(6, random)) ++stays;
    for (; stays > 0 && row < options.rows; --stays, ++row) AddStay(patient, first_day, random, columns);
    run.Report("generate", row, options.rows);
  }
  Generated made;
  made.table = columns.Finish();
  made.table_file = "patients.csv";
  made.files.emplace_back("policy.toml", kPatientsPolicy);
  made.files.emplace_back("job.csv", JobHierarchy());
  made.files.emplace_back("disease.csv", DiseaseHierarchy());
  return made;
}

}  // namespace cordon::engine
