// SPDX-License-Identifier: Apache-2.0
//
// What a single text of a column is or holds: an amount with its unit, a way to reach somebody, a sentence, a short name.
#pragma once

#include <string_view>

namespace cordon::engine {

// The whole text.
bool IsMail(std::string_view text);
bool IsTelephone(std::string_view text);

// A number that a sign of money or a unit keeps from being one: "$4,341.26", "86993 EUR", "132k". Not "I10" or ">50K".
bool HasUnit(std::string_view text);
// The same, or digits and marks alone.
bool IsAmount(std::string_view text);

// A telephone number, a mail address or a long number among words.
bool HoldsContact(std::string_view text);

// Four words with lower-case ones among them, three that end like a sentence, several lines, or very long. Labels of
// categories are rarely so: "Married-civ-spouse", "Some college".
bool IsSentence(std::string_view text);

// "Dr. Smith", "Frau Prof. Weber": a title, then a word with a capital. Not "Herr" alone.
bool IsTitledName(std::string_view text);

// A title and a name, "Weber, Anna" or "Anna Weber" with names that are frequent. Towns and illnesses are called after people,
// too, but not so.
bool IsSurelyPerson(std::string_view text);

// "Am Markt 12b", "12 High Street": a street and the number of a house.
bool IsAddress(std::string_view text);
// A stricter test, for single values in a column of other texts: "Hauptstr. 12", "12 High Street", not "auf Station 4", "unter
// 18" or "Platz 2".
bool IsHouse(std::string_view text);

// A day in a notation that nothing here reads: "22-AUG-1957", "08.12.78", "22051979", "2023-W06", "20230131235959".
bool IsUnreadDate(std::string_view text);
// The same, or in a notation that is read.
bool LooksLikeDay(std::string_view text);

// A long sentence. Names of illnesses may be so, too.
bool IsRemark(std::string_view text);

// "@wanda_q": what a person is called in a network.
bool IsHandle(std::string_view text);

// "A. Weiss", "Weiss, A.", "J. R. van Dorpel". Not "E. coli".
bool IsAbbreviatedName(std::string_view text);

}  // namespace cordon::engine
