// SPDX-License-Identifier: Apache-2.0
//
// The report as one page for a person: verdicts first, then what was done, what it cost and what risk is left, with charts.
// Self-contained: no script, no font, no address of anything outside. Every number of the report's `privacy` and `utility`
// stands in its text as the JSON has it.
//
// The page is the custodian's. It shows how the original is distributed (distributions.h says how coarsely), so it is
// written like other private files, says so at the top, and holds no cell that fewer than kFewestPeople people share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cordon/report/html_facts.h"

namespace cordon::engine {

// `path`: of the table or release the page is named for. REQUIRES: the release is one of `original`, and `report` is about it.
// What a page calls its input.
std::string InputTitle(const std::string& input);

Result<HtmlFacts> GatherHtmlFacts(const std::string& path, const Report& report, const Microdata& original,
                                  const Release& release, const Run& run);

std::string HtmlReport(const HtmlFacts& facts);

// A page for readers of the release: what holds of it, and its codebook. Nothing in it was computed from the original, beyond
// what the manifest and the codebook say.
std::string PublicHtmlReport(const std::string& title, const Report& report, const Json& codebook);

// Several releases on one page, whose kind `mark` is (atomic_file_set.h): a map of risk against loss, what else is drawn
// (markup), and the figures. Private, like a report.
struct MapEntry {
  std::string name;
  double information_loss = 0;
  double risk = 0;  // the highest, of an attacker who knows that the target is in the table
  std::string note;
};
std::string MapPage(const std::string& title, std::string_view mark, const std::string& headline,
                    const std::vector<MapEntry>& entries, const std::string& more);

}  // namespace cordon::engine
