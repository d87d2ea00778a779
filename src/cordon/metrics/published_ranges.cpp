// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/published_ranges.h"

namespace cordon::engine {
namespace {

std::string_view TextOf(const Column& column, Code code) {
  return code == kNull ? std::string_view() : (*column.dictionary)[code].bytes();
}

}  // namespace

Error UnreadableCell(const ReleaseColumn& column, Code code, std::size_t num_rows) {
  std::size_t row = 0;
  while (row + 1 < num_rows && column.text.codes[row] != code) ++row;
  return Error::InvalidData("row {}, column '{}': the cell is not a value, label or range of this attribute", row + 1,
                            column.attribute.name)
      .WithHint("measure with the policy and the hierarchies that the release was made with");
}

Result<std::vector<CodeRange>> PublishedRanges(const ReleaseColumn& column, const Domain& domain, std::size_t num_rows) {
  const std::size_t num_texts = column.text.dictionary->size() + 1;
  std::vector<bool> used(num_texts);
  for (std::size_t row = 0; row < num_rows; ++row) used[column.text.codes[row] + 1] = true;
  std::vector<CodeRange> ranges(num_texts, CodeRange{0, -1});
  for (std::size_t i = 0; i < num_texts; ++i) {
    if (!used[i]) continue;
    const Code code = static_cast<Code>(i) - 1;
    const auto meaning = domain.Read(TextOf(column.text, code));
    if (!meaning) return UnreadableCell(column, code, num_rows);
    ranges[i] = domain.CoveredCodes(*meaning);
  }
  return ranges;
}

std::vector<Code> PublishedValues(const ReleaseColumn& column, const Domain& domain) {
  std::vector<Code> values(column.text.dictionary->size() + 1, kNull);
  const auto& marker = domain.numeric().missing;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Code code = static_cast<Code>(i) - 1;
    const std::string_view text = TextOf(column.text, code);
    if (const auto value = code == kNull ? std::nullopt : domain.Encode(text)) {
      values[i] = *value;
    } else if (domain.missing() && (code == kNull || (marker && text == *marker))) {
      values[i] = *domain.missing();
    }
  }
  return values;
}

}  // namespace cordon::engine
