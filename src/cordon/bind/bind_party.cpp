// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/bind_party.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "cordon/bind/bind.h"

namespace cordon::engine {
namespace {

std::string_view TextAt(const Column& column, const Microdata& data, std::size_t row, const DataPolicy& policy) {
  const Code code = column.codes[data.input_row(static_cast<RowId>(row))];
  const std::string_view text = code == kNull ? std::string_view() : (*column.dictionary)[code].bytes();
  return policy.IsMissing(text) ? std::string_view() : text;
}

const AttributePolicy& TheColumn(const Policy& policy, Role role) {
  const auto found = std::find_if(policy.attributes.begin(), policy.attributes.end(),
                                  [&](const AttributePolicy& each) { return each.role == role; });
  CORDON_CHECK(found != policy.attributes.end());
  return *found;
}

std::vector<std::string_view> TextsOf(const Column& column, const Microdata& data, const DataPolicy& policy) {
  std::vector<std::string_view> texts(data.num_rows);
  for (std::size_t row = 0; row < texts.size(); ++row) texts[row] = TextAt(column, data, row, policy);
  return texts;
}

Result<void> CheckPeople(const PartyTable& table, const std::string& column) {
  std::unordered_map<std::string_view, std::size_t> row_of;
  row_of.reserve(table.ids.size());
  for (std::size_t row = 0; row < table.ids.size(); ++row) {
    const std::uint64_t number = table.data.input_row(static_cast<RowId>(row)) + 1;
    if (table.ids[row].empty()) return Error::InvalidData("row {} has no '{}'", number, column);
    const auto [first, is_new] = row_of.try_emplace(table.ids[row], number);
    if (!is_new) {
      return Error::InvalidData("rows {} and {} are of the same person (column '{}')", first->second, number, column)
          .WithHint("two parties count rows, so a person may have one row only; merge or drop the others first");
    }
  }
  return {};
}

void Hash(Sha256& hash, std::string_view text) {
  const std::uint64_t size = text.size();
  std::array<char, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(size >> (8 * i));
  hash.Update({bytes.data(), bytes.size()});
  hash.Update(text);
}

}  // namespace

Sha256Digest PartyTable::Commitment(std::string_view salt) const {
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
  Sha256 hash;
  Hash(hash, "cordon table of a party 1");
  Hash(hash, salt);
  for (const std::string& name : own_columns) Hash(hash, name);
  for (const std::size_t row : order) {
    Hash(hash, ids[row]);
    Hash(hash, classes[row]);
    for (const auto& cells : own_cells) Hash(hash, cells[row]);
  }
  return hash.Finish();
}

Policy OwnPart(const Policy& policy, const std::string& party) {
  Policy own = policy;
  std::erase_if(own.attributes, [&](const AttributePolicy& each) { return each.owner && *each.owner != party; });
  return own;
}

Result<PartyTable> BindParty(const Policy& policy, const std::string& party, const Table& table, const Run& run) {
  for (const Column& column : table.columns) {
    const AttributePolicy* const attribute = policy.Find(column.name);
    if (attribute == nullptr || !attribute->owner || *attribute->owner == party) continue;
    return Error::InvalidPolicy("the data has '{}', a column of {}", column.name, *attribute->owner)
        .WithHint("a party brings its own columns, the person and the class; leave the others out of the file");
  }
  PartyTable bound;
  bound.rows = table.num_rows;
  CORDON_TRY(Microdata own, Bind(OwnPart(policy, party), table, run));
  const AttributePolicy& person = TheColumn(policy, Role::kPerson);
  const AttributePolicy& label = TheColumn(policy, Role::kClass);
  bound.ids = TextsOf(*table.Find(person.name), own, policy.data);
  bound.classes = TextsOf(*table.Find(label.name), own, policy.data);

  CORDON_TRY(const std::vector<Attribute> declared, BindAttributes(policy));
  bound.data = own;
  bound.data.columns.clear();
  bound.data.persons = Codes();
  bound.data.num_persons = own.num_rows;
  for (const Attribute& attribute : declared) {
    const auto found = own.Find(attribute.name);
    if (found) {
      bound.data.columns.push_back(std::move(own.columns[*found]));
    } else {
      bound.data.columns.push_back({attribute, {}, {}});
    }
    if (found && attribute.role == Role::kQuasi) {
      bound.own_columns.push_back(attribute.name);
      bound.own_cells.push_back(TextsOf(*table.Find(attribute.name), bound.data, policy.data));
    }
  }
  CORDON_RETURN_IF_ERROR(CheckPeople(bound, person.name));
  return bound;
}

Microdata RecordsOf(const Microdata& data, std::span<const std::size_t> rows, int threads) {
  Microdata records = data;
  const auto moved = [&](const Codes& codes) {
    return codes.empty() ? Codes() : Codes::Generate(rows.size(), threads, [&](std::size_t i) { return codes[rows[i]]; });
  };
  records.num_rows = records.num_persons = rows.size();
  records.input_rows.clear();
  for (const std::size_t row : rows) records.input_rows.push_back(data.input_row(static_cast<RowId>(row)));
  for (MicrodataColumn& column : records.columns) {
    column.codes = moved(column.codes);
    column.text.codes = moved(column.text.codes);
  }
  return records;
}

}  // namespace cordon::engine
