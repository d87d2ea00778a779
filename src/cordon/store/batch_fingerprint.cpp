// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/batch_fingerprint.h"

#include <algorithm>

#include "cordon/base/digest.h"
#include "cordon/base/parallel_for.h"
#include "cordon/base/random.h"
#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kRowsPerTask = 1 << 16;

struct Mark {
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  bool operator==(const Mark&) const = default;
};
void operator+=(Mark& to, const Mark& more) {
  to.a += more.a;
  to.b += more.b;
}

std::uint64_t Mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// A number is the same however it is written, and all markers of a missing cell are one.
std::string Plain(std::string_view text, const AttributePolicy* attribute) {
  if (attribute == nullptr || attribute->type != Domain::Kind::kNumeric) return std::string(text);
  const auto number = ParseDecimal(text);
  return number ? FormatDecimal(number->mantissa, number->scale) : std::string(text);
}

struct MarkedColumn {
  const Codes* codes;
  std::vector<Mark> of_code;  // by code
  Mark missing;
  bool needed;  // rows without a value here do not count
};

MarkedColumn MarkColumn(const Column& column, const Policy& policy, bool needed, const SipKey& key) {
  const std::string prefix = fmt::format("{}:{}=", column.name.size(), column.name);
  const auto mark = [&](const std::string& cell) {
    const auto hash = SipHash(key, prefix + cell);
    return Mark{hash[0], hash[1]};
  };
  MarkedColumn made{&column.codes, std::vector<Mark>(column.dictionary->size()), mark("-"), needed};
  for (std::size_t code = 0; code < made.of_code.size(); ++code) {
    const std::string_view text = (*column.dictionary)[static_cast<Code>(code)].bytes();
    made.of_code[code] = policy.data.IsMissing(text) ? made.missing : mark("'" + Plain(text, policy.Find(column.name)));
  }
  return made;
}

struct MarkedRows {
  Mark sum;
  std::uint64_t rows = 0;
};

// The sum over rows of a mix of their cells: the order of rows and columns does not count, which cells are in one row does.
MarkedRows MarkRows(const Table& table, const Policy& policy, const std::string& sensitive, const SipKey& key, const Run& run) {
  std::vector<MarkedColumn> columns;
  for (const Column& column : table.columns) columns.push_back(MarkColumn(column, policy, column.name == sensitive, key));
  std::vector<MarkedRows> sums(NumChunks(table.num_rows, kRowsPerTask));
  ParallelFor(run.threads, table.num_rows, kRowsPerTask, [&](std::size_t task, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      Mark mark;
      bool counts = true;
      for (const MarkedColumn& column : columns) {
        const Code code = (*column.codes)[row];
        const Mark& cell = code == kNull ? column.missing : column.of_code[code];
        mark += cell;
        counts = counts && !(column.needed && cell == column.missing);
      }
      if (!counts) continue;
      sums[task].sum += {Mixed(mark.a), Mixed(mark.b ^ mark.a)};
      ++sums[task].rows;
    }
  });
  MarkedRows total;
  for (const MarkedRows& each : sums) {
    total.sum += each.sum;
    total.rows += each.rows;
  }
  return total;
}

bool Has(const Json& state, const char* list, const std::string& text) {
  const Json known = state.value(list, Json::array());
  return std::find(known.begin(), known.end(), Json(text)) != known.end();
}

}  // namespace

BatchDigests DescribeBatch(const Table& table, std::string sha256, const Policy& policy, const std::string& sensitive,
                           Json& state, const Run& run) {
  SipKey key;
  if (!FromHex(state.value("batch_key", ""), key)) {
    Random random = Random::FromOperatingSystem();
    for (std::uint8_t& byte : key) byte = static_cast<std::uint8_t>(random.Below(256));
    state["batch_key"] = ToHex(key);
  }
  const MarkedRows marked = MarkRows(table, policy, sensitive, key, run);
  return {std::move(sha256), fmt::format("{:016x}{:016x}-{}", marked.sum.a, marked.sum.b, marked.rows)};
}

Seen WasTakenIn(const BatchDigests& batch, const Json& state) {
  if (Has(state, "appended", batch.sha256)) return Seen::kSameBytes;
  return Has(state, "appended_rows", batch.rows) ? Seen::kSameRows : Seen::kNo;
}

void RememberBatch(const BatchDigests& batch, Json& state) {
  state["appended"].push_back(batch.sha256);
  state["appended_rows"].push_back(batch.rows);
}

}  // namespace cordon::engine
