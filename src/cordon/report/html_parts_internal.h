// SPDX-License-Identifier: Apache-2.0
//
// The sections of the HTML report, top to bottom.
#pragma once

#include <string>
#include <string_view>

#include "cordon/report/html_facts.h"

namespace cordon::engine::internal {

std::string_view PageStyle();
// The name of the file as markup.
std::string PageTitle(const std::string& path);
// What comes before and after the content of any page. `title` is markup, `text` is not.
std::string PageHead(std::string_view title, std::string_view mark);
std::string PageFoot(std::string_view text);

std::string VerdictSection(const Report& report);
std::string SummarySection(const Report& report);
std::string PolicySection(const Policy* policy);
std::string LossSection(const HtmlFacts& facts);
std::string GroupSection(const HtmlFacts& facts);
std::string DistributionSection(const HtmlFacts& facts);
std::string RiskSection(const Report& report);
std::string StatisticsSection(const Report& report);
std::string CodebookSection(const Json& codebook);
std::string RunSection(const Report& report);
std::string FigureSection(const Report& report);

// "<figure>" with a heading, a chart and, if not empty, a note; `body` is markup, the rest is text.
std::string Card(std::string_view heading, const std::string& body, std::string_view note);
std::string Section(std::string_view heading, std::string_view lead, const std::string& body);
// A key to the two colours of original and release.
std::string SeriesKey();

}  // namespace cordon::engine::internal
