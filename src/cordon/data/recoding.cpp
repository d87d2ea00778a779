// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/recoding.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "cordon/base/canonical_json.h"
#include "cordon/base/json.h"

namespace cordon::engine {
namespace {

constexpr const char* kFormat = "cordon recoding";
constexpr int kVersion = 1;
constexpr const char* kKinds[] = {"numeric", "date", "categorical"};  // by Domain::Kind

std::vector<std::string> LabelsAbove(const Domain& domain, std::string_view cell) {
  std::vector<std::string> labels;
  if (!domain.is_categorical()) return labels;
  const Hierarchy& hierarchy = *domain.hierarchy();
  const auto node = hierarchy.FindNode(cell);
  for (NodeId at = node ? hierarchy.parent(*node) : -1; at >= 0; at = hierarchy.parent(at))
    labels.emplace_back(hierarchy.label(at));
  return labels;
}

// Distinct rows of codes, each kept once.
class DistinctRows {
 public:
  explicit DistinctRows(std::size_t width) : width_(width), known_(16, Hash{this}, Equal{this}) {}

  void Add(std::span<const std::uint32_t> row) {
    rows_.insert(rows_.end(), row.begin(), row.end());
    if (!known_.insert(rows_.size() / width_ - 1).second) rows_.resize(rows_.size() - width_);
  }
  std::size_t size() const { return known_.size(); }
  std::span<const std::uint32_t> operator[](std::size_t i) const { return std::span(rows_).subspan(i * width_, width_); }

 private:
  struct Hash {
    const DistinctRows* rows;
    std::size_t operator()(std::size_t i) const {
      std::uint64_t hash = 0xcbf29ce484222325ULL;
      for (const std::uint32_t code : (*rows)[i]) hash = (hash ^ code ^ (hash >> 29)) * 0x9e3779b97f4a7c15ULL;
      return hash ^ (hash >> 32);
    }
  };
  struct Equal {
    const DistinctRows* rows;
    bool operator()(std::size_t a, std::size_t b) const { return std::ranges::equal((*rows)[a], (*rows)[b]); }
  };

  std::size_t width_;
  std::vector<std::uint32_t> rows_;
  std::unordered_set<std::size_t, Hash, Equal> known_;
};

Error Damaged(std::string_view what) {
  return Error::InvalidData("this recoding cannot be used: {}", what).WithHint("make it again with --save-recoding");
}

bool ReadStrings(const Json& json, std::vector<std::string>& strings) {
  if (!json.is_array()) return false;
  for (const Json& each : json) {
    if (!each.is_string()) return false;
    strings.push_back(each.get<std::string>());
  }
  return true;
}

Result<Recoding::Column> ReadColumn(const Json& json) {
  Recoding::Column column;
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) return Damaged("a column has no name");
  column.name = json["name"].get<std::string>();
  const auto kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const char* name) { return json.value("kind", Json()) == name; });
  if (kind == std::end(kKinds)) return Damaged(fmt::format("column '{}' has no known kind", column.name));
  column.kind = static_cast<Domain::Kind>(kind - std::begin(kKinds));
  if (!ReadStrings(json.value("cells", Json()), column.cells))
    return Damaged(fmt::format("column '{}' has no list of cells", column.name));
  if (column.kind != Domain::Kind::kCategorical) return column;
  const Json above = json.value("above", Json());
  if (!above.is_array() || above.size() != column.cells.size())
    return Damaged(fmt::format("column '{}' lacks the labels above its cells", column.name));
  for (const Json& labels : above) {
    column.above.emplace_back();
    if (!ReadStrings(labels, column.above.back()))
      return Damaged(fmt::format("column '{}' has a label that is not text", column.name));
  }
  return column;
}

}  // namespace

Recoding Recoding::FromRelease(const Release& release) {
  const std::vector<std::size_t> quasi = release.ColumnsOf(Role::kQuasi);
  Recoding recoding;
  if (quasi.empty()) return recoding;
  // 1. The distinct boxes, by the codes of the release; place 0 is that of absent cells.
  DistinctRows distinct(quasi.size());
  std::vector<std::uint32_t> box(quasi.size());
  for (std::size_t row = 0; row < release.num_rows; ++row) {
    bool starred = release.starred.value_or(release.suppressed) > 0;
    for (std::size_t i = 0; i < quasi.size(); ++i) {
      const cordon::engine::Column& column = release.columns[quasi[i]].text;
      box[i] = static_cast<std::uint32_t>(column.codes[row] + 1);
      starred = starred && column.cell(row).bytes() == "*";
    }
    if (!starred) distinct.Add(box);
  }
  // 2. The texts in use, in byte order, and the boxes by places among them: no trace of the order of the rows.
  std::vector<std::vector<std::uint32_t>> place(quasi.size());
  for (std::size_t i = 0; i < quasi.size(); ++i) {
    const ReleaseColumn& column = release.columns[quasi[i]];
    std::vector<std::uint32_t> codes;
    for (std::size_t b = 0; b < distinct.size(); ++b) codes.push_back(distinct[b][i]);
    const auto text = [&](std::uint32_t code) {
      return code == 0 ? std::string_view() : (*column.text.dictionary)[static_cast<Code>(code) - 1].bytes();
    };
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    std::sort(codes.begin(), codes.end(), [&](std::uint32_t a, std::uint32_t b) { return text(a) < text(b); });
    Column made{column.attribute.name, column.attribute.domain->kind(), {}, {}};
    place[i].resize(column.text.dictionary->size() + 1);
    for (const std::uint32_t code : codes) {
      // An absent cell and an empty text read the same.
      if (made.cells.empty() || made.cells.back() != text(code)) {
        made.cells.emplace_back(text(code));
        if (column.attribute.domain->is_categorical()) made.above.push_back(LabelsAbove(*column.attribute.domain, text(code)));
      }
      place[i][code] = static_cast<std::uint32_t>(made.cells.size() - 1);
    }
    recoding.columns_.push_back(std::move(made));
  }
  std::vector<std::vector<std::uint32_t>> boxes;
  for (std::size_t b = 0; b < distinct.size(); ++b) {
    for (std::size_t i = 0; i < quasi.size(); ++i) box[i] = place[i][distinct[b][i]];
    boxes.push_back(box);
  }
  std::sort(boxes.begin(), boxes.end());
  boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
  for (const auto& each : boxes) recoding.boxes_.insert(recoding.boxes_.end(), each.begin(), each.end());
  return recoding;
}

std::string Recoding::ToJson() const {
  Json json = {{"format", kFormat}, {"version", kVersion}, {"columns", Json::array()}, {"boxes", Json::array()}};
  for (const Column& column : columns_) {
    Json made = {{"name", column.name}, {"kind", kKinds[static_cast<int>(column.kind)]}, {"cells", column.cells}};
    if (column.kind == Domain::Kind::kCategorical) made["above"] = column.above;
    json["columns"].push_back(std::move(made));
  }
  for (std::size_t box = 0; box < num_boxes(); ++box) {
    Json cells = Json::array();
    for (std::size_t column = 0; column < columns_.size(); ++column) cells.push_back(cell(box, column));
    json["boxes"].push_back(std::move(cells));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Recoding> Recoding::FromJson(std::string_view text) {
  const Json json = ParseJsonOnce(text);
  if (json.is_discarded() || !json.is_object() || json.value("format", Json()) != kFormat)
    return Damaged("it is not a saved recoding");
  if (json.value("version", Json()) != kVersion) return Damaged(fmt::format("only version {} is known", kVersion));
  const Json columns = json.value("columns", Json());
  const Json boxes = json.value("boxes", Json());
  if (!columns.is_array() || columns.empty() || !boxes.is_array()) return Damaged("it has no columns or no boxes");
  Recoding recoding;
  std::unordered_set<std::string> names;
  for (const Json& each : columns) {
    CORDON_TRY(Column column, ReadColumn(each));
    if (!names.insert(column.name).second) return Damaged(fmt::format("column '{}' is there twice", column.name));
    recoding.columns_.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!boxes[i].is_array() || boxes[i].size() != recoding.columns_.size())
      return Damaged(fmt::format("box {} does not have one cell per column", i + 1));
    for (std::size_t column = 0; column < boxes[i].size(); ++column) {
      const Json& place = boxes[i][column];
      if (!place.is_number_unsigned() || place.get<std::uint64_t>() >= recoding.columns_[column].cells.size()) {
        return Damaged(fmt::format("box {} refers to a cell that is not there", i + 1));
      }
      recoding.boxes_.push_back(place.get<std::uint32_t>());
    }
  }
  return recoding;
}

}  // namespace cordon::engine
