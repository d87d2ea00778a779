// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/loss_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

namespace cordon::engine {
namespace {

// Whether rows that are alike in `on` are alike in all quasi columns: else groups may be smaller than those it counts.
bool NamesAllQuasi(const std::vector<std::string>& on, const Microdata& data) {
  if (on.empty()) return true;
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  return std::all_of(quasi.begin(), quasi.end(), [&](std::size_t column) {
    return std::find(on.begin(), on.end(), data.columns[column].attribute.name) != on.end();
  });
}

std::int64_t RowsOf(const ModelSpec& model, const Microdata& data) {
  if (const auto* k = std::get_if<KAnonymitySpec>(&model)) return NamesAllQuasi(k->on, data) ? k->k : 1;
  if (const auto* alpha = std::get_if<AlphaKSpec>(&model)) return alpha->k;
  if (const auto* stream = std::get_if<KsAnonymitySpec>(&model)) return stream->k;
  return 1;
}

std::int64_t Ceiling(const Rational& number) {
  return number.numerator() / number.denominator() + (number.numerator() % number.denominator() > 0 ? 1 : 0);
}

// An upper figure, so that "at most" is true of what is shown.
std::string RoundedUp(double ratio) { return fmt::format("{:.2f}", std::ceil(ratio * 100) / 100); }

std::string GroupsOf(const LeastGroup& least) {
  std::string text = fmt::format("groups of at least {} rows", least.rows);
  for (const DistinctValues& distinct : least.distinct) {
    text += fmt::format(" and {} values of {}", distinct.count, distinct.column);
  }
  return text;
}

}  // namespace

// Entropy of at least ln l, and recursive (c,l), need l different values.
Result<LeastGroup> LeastGroupOf(std::span<const ModelSpec> models, const Microdata& data) {
  LeastGroup least;
  for (const ModelSpec& model : models) {
    if (std::holds_alternative<KeAnonymitySpec>(model)) {
      return Error::InvalidPolicy("--bound does not go with {}: a permuted release shows quasi columns as they are",
                                  Describe(model));
    }
    least.rows = std::max(least.rows, RowsOf(model, data));
    const auto* diverse = std::get_if<LDiversitySpec>(&model);
    if (diverse == nullptr || !data.Find(diverse->sensitive)) continue;
    least.distinct.push_back({diverse->sensitive, std::max<std::int64_t>(1, Ceiling(diverse->l))});
    least.rows = std::max(least.rows, least.distinct.back().count);
  }
  if (least.rows < 2) {
    return Error::InvalidPolicy("--bound needs a model that asks for k >= 2 rows or l >= 2 values in every group")
        .WithHint("add k-anonymity or l-diversity to the policy");
  }
  return least;
}

Json ToJson(const LossBound& bound, double information_loss) {
  Json json;
  json["information_loss"] = bound.information_loss;
  json["ratio"] = bound.information_loss > 0 ? Json(information_loss / bound.information_loss) : Json(nullptr);
  json["cheapest_boxes"] = bound.cheapest_boxes;
  json["min_rows"] = bound.least.rows;
  json["min_values"] = Json::object();
  for (const DistinctValues& distinct : bound.least.distinct) {
    json["min_values"][distinct.column] = distinct.count;
  }
  json["confidence"] = bound.sampled == 0 ? 1 : LossBoundOptions::kConfidence;
  if (bound.sampled > 0) json["sampled_rows"] = bound.sampled;
  if (bound.cut_short) json["cut_short"] = true;
  return json;
}

std::string Sentence(const LossBound& bound, double information_loss) {
  std::string text = fmt::format("no release with {} loses less than {:.4f}", GroupsOf(bound.least),
                                 std::floor(bound.information_loss * 1e4) / 1e4);
  if (bound.sampled > 0) text += fmt::format(" (confidence {:.0f} %)", 100 * LossBoundOptions::kConfidence);
  if (bound.information_loss <= 0 || information_loss < bound.information_loss) return text;
  return text + fmt::format("; this one loses at most {} times that", RoundedUp(information_loss / bound.information_loss));
}

std::string Describe(const LossBound& bound, double information_loss) {
  std::string text = fmt::format("loss bound        {:.4f}   any release with {} loses at least this",
                                 std::floor(bound.information_loss * 1e4) / 1e4, GroupsOf(bound.least));
  if (bound.sampled > 0) {
    text += fmt::format(" (confidence {:.0f} %, from {} sampled rows)", 100 * LossBoundOptions::kConfidence, bound.sampled);
  }
  if (bound.information_loss <= 0) return text + "\n";
  if (information_loss < bound.information_loss) {
    return text + "\n  this release loses less: its groups are smaller, or it shows cells that the policy does not allow\n";
  }
  return text +
         fmt::format("\n  this release loses at most {} times as much\n", RoundedUp(information_loss / bound.information_loss));
}

}  // namespace cordon::engine
