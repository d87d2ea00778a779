// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cordon/base/random.h"
#include "cordon/inspect/profile.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

// People with several rows each: what is of the person repeats, what is of the visit does not.
class Visits {
 public:
  explicit Visits(std::size_t people = 60, std::size_t visits = 6, std::size_t lines = 2)
      : people_(people), visits_(visits), lines_(lines) {}

  // REQUIRES: make takes the numbers of a person and of a row.
  Visits& Add(const std::string& name, const std::function<std::string(std::size_t, std::size_t)>& make) {
    NamedCells column{name, {}};
    for (std::size_t row = 0; row < people_ * visits_ * lines_; ++row)
      column.second.push_back(make(row / (visits_ * lines_), row));
    columns_.push_back(std::move(column));
    return *this;
  }
  Visits& AddPeople() {
    Add("birth_date", [](std::size_t p, std::size_t) {
      return "19" + std::to_string(40 + p % 50) + "-0" + std::to_string(1 + p % 9) + "-1" + std::to_string(p % 10);
    });
    Add("sex", [](std::size_t p, std::size_t) { return p % 2 == 0 ? "m" : "f"; });
    return Add("zip", [](std::size_t p, std::size_t) { return std::to_string(10000 + p * 1477); });
  }
  Visits& AddVisit(const std::string& name) {
    return Add(name, [this](std::size_t, std::size_t row) { return std::to_string(100003 + row / lines_ * 7); });
  }
  Visits& AddNames(const std::string& name) {
    static const std::vector<std::string> given = {"Wanda", "Edda", "Dario", "Jolanta", "Oona", "Tycho", "Bjarne", "Zoltan"};
    return Add(name, [](std::size_t p, std::size_t) { return given[p % 8] + " Quill" + std::string(1 + p / 8, 'o'); });
  }
  Visits& AddNumber(const std::string& name) {  // of each person
    return Add(name, [](std::size_t p, std::size_t) { return std::to_string(500123 + p * 31); });
  }
  Profile Look() const { return ProfileTable(TableOf(columns_), {}); }
  std::string Person() const {
    for (const ColumnProfile& column : Look().columns) {
      if (column.role == Role::kPerson) return column.name;
    }
    return "";
  }

 private:
  std::size_t people_;
  std::size_t visits_;
  std::size_t lines_;
  std::vector<NamedCells> columns_;
};

TEST(ChoosePerson, APersonIsNotAVisit) {
  const auto ssn = [](std::size_t p, std::size_t) {
    return std::to_string(100 + p * 7) + "-" + std::to_string(10 + p) + "-" + std::to_string(1000 + p * 37);
  };
  const auto mail = [](std::size_t p, std::size_t) { return "a" + std::to_string(p) + "@example.org"; };
  for (const char* key : {"visit_id", "id", "order_id", "invoice_no", "Bon_ID", "ticket"}) {
    EXPECT_EQ(Visits().AddVisit(key).Add("ssn", ssn).AddPeople().Person(), "ssn") << key;
    EXPECT_EQ(Visits().AddVisit(key).Add("email", mail).AddPeople().Person(), "email") << key;
    EXPECT_EQ(Visits().AddVisit(key).AddNames("name").AddPeople().Person(), "name") << key;
    EXPECT_EQ(Visits().AddVisit(key).AddNumber("Kundenkarte").AddPeople().Person(), "Kundenkarte") << key;
  }
  EXPECT_EQ(Visits().AddVisit("visit_id").AddNumber("patient_id").AddPeople().Person(), "patient_id");
  EXPECT_EQ(Visits().AddVisit("case_id").AddNumber("Patient").AddPeople().Person(), "Patient");
  EXPECT_EQ(Visits().AddVisit("session_id").AddNumber("user").AddPeople().Person(), "user");
  // A key of people by its name, and one per visit all the same.
  EXPECT_EQ(Visits().AddVisit("patient_id").AddNames("name").AddPeople().Person(), "name");
  EXPECT_EQ(Visits(60, 6, 1).AddVisit("patient_id").AddNames("name").AddPeople().Person(), "name");
  EXPECT_EQ(Visits().AddVisit("patient_id").Add("ssn", ssn).AddPeople().Person(), "ssn");
}

TEST(ChoosePerson, NamesOrAnAddressIfNothingElseTells) {
  const auto address = [](std::size_t p, std::size_t) { return "Am Markt " + std::to_string(p + 1); };
  EXPECT_EQ(Visits().AddNames("name").AddPeople().Person(), "name");
  EXPECT_EQ(Visits().Add("zeta", address).AddPeople().Person(), "zeta");
  EXPECT_EQ(Visits().Add("Anschrift", address).AddPeople().Person(), "Anschrift");
  // A doctor's number is not the patient's.
  EXPECT_EQ(Visits().AddNumber("doctor_id").AddNames("name").AddPeople().Person(), "name");
  EXPECT_EQ(Visits().AddNumber("Arztnr").AddPeople().Person(), "");
}

TEST(ChoosePerson, FewPeopleAreTold) {
  for (const char* name : {"patient_id", "participant_id", "user_id", "employee_id", "user", "patient", "subject", "pat_no"}) {
    for (const std::size_t people : {3, 8, 15}) EXPECT_EQ(Visits(people, 5, 2).AddNumber(name).AddPeople().Person(), name);
  }
  const auto ssn = [](std::size_t p, std::size_t) { return "123-45-678" + std::to_string(p); };
  const auto mail = [](std::size_t p, std::size_t) { return "a" + std::to_string(p) + "@example.org"; };
  for (const std::size_t people : {2, 4, 6}) {
    EXPECT_EQ(Visits(people, 5, 2).Add("x", ssn).AddPeople().Person(), "x");
    EXPECT_EQ(Visits(people, 5, 2).Add("x", mail).AddPeople().Person(), "x");
  }
  // Names of few may be those of staff, and labels those of kinds of users: the reader has to say.
  const Profile names = Visits(12, 5, 2).AddNames("name").AddPeople().Look();
  EXPECT_FALSE(names.columns[0].ask.empty());
  const auto label = [](std::size_t p, std::size_t) { return std::string(1, static_cast<char>('a' + p)); };
  EXPECT_FALSE(Visits(6, 5, 2).Add("user", label).AddPeople().Look().columns[0].ask.empty());
  EXPECT_EQ(Visits(6, 5, 2).Add("subject", label).AddNumber("student_id").AddPeople().Person(), "student_id");
}

TEST(ChoosePerson, WhatPeopleShareDoesNotReplaceTheirKey) {
  const auto address = [](std::size_t p, std::size_t) { return "Am Markt " + std::to_string(p / 10 + 1); };
  const auto phone = [](std::size_t p, std::size_t) { return "030 55199" + std::to_string(10 + p / 10); };
  const auto mail = [](std::size_t p, std::size_t) { return "a" + std::to_string(p / 4) + "@example.org"; };
  const auto few = [](std::size_t p, std::size_t) { return std::to_string(4711000 + p / 4 * 31); };
  for (const char* key : {"patient_id", "insured_id", "Kundennr", "ssn"}) {
    EXPECT_EQ(Visits().AddNumber(key).Add("address", address).AddPeople().Person(), key);
    EXPECT_EQ(Visits().Add("gp_phone", phone).AddNumber(key).AddPeople().Person(), key);
    EXPECT_EQ(Visits().Add("email", mail).AddNumber(key).AddPeople().Person(), key);
    EXPECT_EQ(Visits().Add("account_no", few).AddNumber(key).AddPeople().Person(), key);
    EXPECT_EQ(Visits().Add("household_id", few).AddNumber(key).AddPeople().Person(), key);
  }
  // Rows of one telephone that differ in all that tells people apart.
  const auto clinic = [](std::size_t, std::size_t row) { return "030 55199" + std::to_string(10 + row * 7 % 31); };
  const Profile asked = Visits(200, 1, 1).Add("tel", clinic).AddPeople().Look();
  EXPECT_FALSE(asked.columns[0].ask.empty());
}

TEST(ChoosePerson, NearlyAllRowsHaveToNameSomebody) {
  for (const std::size_t contacts : {5, 30, 60, 95}) {
    const auto channel = [&](std::size_t, std::size_t row) {
      if (row * 37 % 100 >= contacts) return std::string(row % 2 == 0 ? "Post" : "Fax");
      return "a" + std::to_string(row % 40) + "@example.org";
    };
    const Profile profile = Visits(60, 6, 2).Add("channel", channel).Look();
    EXPECT_EQ(profile.columns[0].role, contacts == 95 ? Role::kPerson : Role::kIdentifier) << contacts;
  }
}

// Two people of one name differ in all that tells people apart.
TEST(ChoosePerson, HomonymsAreNotOnePerson) {
  Random random = Random::FromSeed(1);
  Visits rows(1000, 1, 1);
  rows.Add("name", [&](std::size_t, std::size_t) { return "Wanda Quill" + std::string(1 + random.Below(40), 'o') + "per"; });
  rows.Add("age", [&](std::size_t, std::size_t) { return std::to_string(20 + random.Below(60)); });
  rows.Add("zip", [&](std::size_t, std::size_t) { return std::to_string(10000 + random.Below(900)); });
  EXPECT_EQ(rows.Person(), "");
  EXPECT_FALSE(rows.Look().several_rows);
}

TEST(SeveralRows, AreAskedForIfNoColumnTellsPeopleApart) {
  const Profile without = Visits().AddPeople().Look();
  ASSERT_TRUE(without.several_rows);
  EXPECT_NEAR(without.several_rows->rows_each, 12, 1e-9);
  EXPECT_DOUBLE_EQ(without.several_rows->share, 1);
  EXPECT_FALSE(without.several_rows->column);
  // Given names and surnames say it together only.
  const auto given = [](std::size_t p, std::size_t) { return "Wanda" + std::string(p % 8, 'o'); };
  const auto surname = [](std::size_t p, std::size_t) { return "Quill" + std::string(p / 8, 'o'); };
  EXPECT_TRUE(Visits().Add("Vorname", given).Add("Nachname", surname).AddPeople().Look().several_rows);
  // A doctor's number may be a patient's after all.
  const Profile doctor = Visits().AddNumber("Arztnr").AddPeople().Look();
  ASSERT_TRUE(doctor.several_rows);
  EXPECT_EQ(doctor.several_rows->column, 0u);
  // The day of a visit differs between the rows of a person.
  const auto day = [](std::size_t, std::size_t row) {
    return "2024-0" + std::to_string(1 + row % 9) + "-1" + std::to_string(row * 7 / 9 % 10);
  };
  EXPECT_TRUE(Visits().AddPeople().Add("admitted", day).Look().several_rows);
  // So may something else.
  const auto ward = [](std::size_t, std::size_t row) { return "w" + std::to_string(row * 7 % 11); };
  EXPECT_TRUE(Visits().AddPeople().Add("admitted", day).Add("ward", ward).Look().several_rows);
  EXPECT_FALSE(Visits().AddNumber("patient_id").AddPeople().Look().several_rows);
}

// Without the code, its group, chapter and ward agree by more than chance: nobody visited twice.
TEST(SeveralRows, AreNotSeenInTablesOfCodes) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random = Random::FromSeed(seed);
    std::vector<std::size_t> code_of(1000);
    for (std::size_t& code : code_of) code = random.Below(random.Below(40) + 1);
    std::vector<std::size_t> ward_of(40);
    for (std::size_t& ward : ward_of) ward = random.Below(6);
    Visits rows(code_of.size(), 1, 1);
    rows.Add("ward", [&](std::size_t p, std::size_t) { return "W" + std::to_string(ward_of[code_of[p]]); });
    rows.Add("group", [&](std::size_t p, std::size_t) { return "G" + std::to_string(code_of[p] / 3); });
    rows.Add("chapter", [&](std::size_t p, std::size_t) { return "C" + std::to_string(code_of[p] / 8); });
    rows.Add("code", [&](std::size_t p, std::size_t) { return "I" + std::to_string(code_of[p]); });
    rows.Add("sex", [&](std::size_t, std::size_t) { return random.Below(2) == 0 ? "m" : "f"; });
    EXPECT_FALSE(rows.Look().several_rows) << seed;
  }
}

// Rows of different people agree as often as the columns let them, also if a zip code says the town and the town the region.
TEST(SeveralRows, AreNotSeenInTablesOfPeople) {
  for (const std::size_t zips : {20, 200, 2000}) {
    for (const std::size_t people : {500, 5000, 50000}) {
      Random random = Random::FromSeed(people + zips);
      std::vector<std::size_t> zip_of(people);
      for (std::size_t& zip : zip_of) zip = random.Below(random.Below(zips) + 1);
      Visits rows(people, 1, 1);
      rows.Add("zip", [&](std::size_t p, std::size_t) { return std::to_string(10000 + zip_of[p]); });
      rows.Add("town", [&](std::size_t p, std::size_t) { return "t" + std::to_string(zip_of[p] / 10); });
      rows.Add("region", [&](std::size_t p, std::size_t) { return "r" + std::to_string(zip_of[p] / 100); });
      EXPECT_FALSE(rows.Look().several_rows) << zips << " " << people;
      rows.Add("age", [&](std::size_t, std::size_t) { return std::to_string(20 + random.Below(60)); });
      rows.Add("sex", [&](std::size_t, std::size_t) { return random.Below(2) == 0 ? "m" : "f"; });
      EXPECT_FALSE(rows.Look().several_rows) << zips << " " << people;
    }
  }
}

}  // namespace
}  // namespace cordon::engine
