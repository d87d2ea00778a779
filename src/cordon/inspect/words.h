// SPDX-License-Identifier: Apache-2.0
//
// Words that column names are made of, in English, German, French, Spanish, Italian and Dutch, and frequent names of people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cordon::engine {

// age_group, AgeGroup and "Age group" have the words age and group. Lower case, accents and umlauts spelled out: "Größe" is
// groesse, "prénom" is prenom.
std::vector<std::string> WordsOf(std::string_view name);

enum class Meant {
  kName,      // of a person
  kContact,   // telephone, mail, street
  kOfficial,  // numbers that an office or a bank gives to a person
  kAccount,   // what a person is called in a computer or a network
  kRelative,  // somebody else: a mother, a doctor, a guardian
  kFreeText,  // remarks
  kPostcode,
  kPerson,  // who a row is about: patient, customer
  kKey,     // id: a value for each of them
  kNumber,  // may be a key or a quantity
  kThing,   // what else may have a name or a number: a town, a product
  kBirth,   // of a person, when
  kDate,
  kShared,      // what a family or a firm has together: an account, a car, a household
  kCoordinate,  // of a place
  kSensitive,
};

// Whether a word of the name, or two or three of them in a row written as one, means that.
bool Mentions(const std::vector<std::string>& words, Meant meant);
bool Means(const std::string& word, Meant meant);

// Whose number a column holds, if its name says so: Personalnr, emp_no, n_tessera. Not what else may have a number, such as a
// room. Words like account and badge alone may say something else; then the values are no numbers.
enum class NumberOf {
  kNothing,
  kPerson,    // a contract, a membership, a customer
  kCase,      // a claim, a file
  kRelative,  // a doctor
};
NumberOf NumberedBy(const std::vector<std::string>& words);

// The word of a key that says nothing of what it is the key of: id.
bool IsBareKey(const std::string& word);

// A given name or surname that is frequent in the countries of these languages. REQUIRES: a word of WordsOf.
bool IsNameOfPeople(const std::string& word);

}  // namespace cordon::engine
