// SPDX-License-Identifier: Apache-2.0
//
// What the values of a column are by their looks: telephone numbers, mail addresses, account numbers, names of people. Values
// alone are looked at, each distinct one once, so it does not matter how often they repeat.
#pragma once

#include <string_view>
#include <vector>

namespace cordon::engine {

enum class Content {
  kUnknown,
  kMail,
  kTelephone,
  kIban,
  kNationalId,   // social security, tax and insurance numbers of several countries
  kCard,         // payment cards
  kIp,           // addresses of computers and of their network cards
  kCoordinates,  // 48.79858,12.32170
  kAddress,      // streets with the numbers of houses
  kUrl,
  kHandle,       // @wanda_q
  kUuid,         // and other long hexadecimal keys
  kSerial,       // one prefix, and digits of one length: P000123
  kPersonNames,  // given names or surnames that are frequent in Europe and America
  kFullNames,    // two or three words with a capital each: a given name and a surname, from no list
  kFreeText,
};

// "telephone numbers", "free text", ...
const char* ContentName(Content content);

// What four in five of the values are; of names a fourth is enough, since a list of names never has them all.
Content Recognize(const std::vector<std::string_view>& values);

// Mail addresses, telephone numbers, bank accounts or houses, be it one of them among other values.
bool SomeReachPeople(const std::vector<std::string_view>& values);

// Whether one value is such, of contents that a value alone shows; true for the others.
bool LooksLike(Content content, std::string_view value);

}  // namespace cordon::engine
