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

#include "cordon/report/html_facts.h"

namespace cordon::engine {

// `path`: of the table or release the page is named for. REQUIRES: the release is one of `original`, and `report` is about it.
// What a page calls its input.
std::string InputTitle(const std::string& input);

Result<HtmlFacts> GatherHtmlFacts(const std::string& path, const Report& report, const Microdata& original,
                                  const Release& release, const Run& run);

std::string HtmlReport(const HtmlFacts& facts);

}  // namespace cordon::engine
