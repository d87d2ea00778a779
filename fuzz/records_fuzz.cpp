// SPDX-License-Identifier: Apache-2.0
//
// No bytes crash or stop the reader of streams, pieces of any size give the same records, faults and places, every byte
// belongs to exactly one record, and reading can go on from any of them. Records without a fault are coded, and what is
// coded is written and read back. The first two bytes choose the format and the size of the pieces.
#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/check.h"
#include "cordon/bind/bind_stream.h"
#include "cordon/io/text/open_record_reader.h"
#include "cordon/io/text/record_reader.h"
#include "cordon/policy/read_policy.h"
#include "cordon/stream/tuple_coder.h"

namespace cordon::engine {
namespace {

constexpr const char* kPolicy = R"(
[data]
missing = ["", "?"]
[attributes.a]
role = "quasi"
type = "numeric"
range = [-9.5, 99]
[attributes.b]
role = "quasi"
type = "categorical"
values = ["x", "y", "\u00e4"]
[attributes.c]
role = "sensitive"
[attributes.p]
role = "person"
[[privacy]]
model = "ks-anonymity"
k = 2
[stream]
delay = 5
event_time = "t"
)";

struct Seen {
  std::uint64_t line = 0;
  std::string raw;
  std::string fault;
  std::vector<std::string> cells;
  InputPlace end;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> ReadAll(const std::string& bytes, const RecordOptions& options, std::size_t at_once, CodedBatch* batch) {
  static const Policy policy = ParsePolicyText(kPolicy, "fuzz").value();
  const auto input = LiveFromMemory(bytes, at_once);
  auto reader = OpenRecordReader(*input, options, {});
  if (!reader.ok()) return {Seen{0, "", reader.error().message(), {}, {}}};
  const std::vector<std::string> names = StreamColumns(policy);
  const StreamLayout layout = BindStream(policy, names).value();
  const RowFormat rows = RowFormat::Make(layout, {.format = FileFormat::kJsonLines}).value();
  const PersonKey key({1});
  TupleCoder coder(layout, rows, key, EventClock(1000));
  std::vector<Seen> all;
  InputRecord record;
  while (true) {
    const auto next = reader.value()->Read(record, true, {});
    if (!next.ok()) {  // a file of another format, which its first bytes show
      CORDON_CHECK(all.empty());
      return {Seen{0, "", next.error().message(), {}, {}}};
    }
    if (next.value() == RecordReader::Next::kEnd) break;
    Seen seen{record.line, std::string(record.raw), record.fault, {}, record.end};
    for (const std::string_view cell : record.cells) seen.cells.emplace_back(cell);
    if (batch != nullptr && (!record.fault.empty() || record.cells.size() == names.size())) coder.Add(record, *batch);
    all.push_back(std::move(seen));
  }
  return all;
}

}  // namespace
}  // namespace cordon::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  if (size < 2) return 0;
  RecordOptions options;
  options.format = (data[0] & 1) != 0 ? FileFormat::kJsonLines : FileFormat::kCsv;
  options.columns = {"a", "b", "c", "p", "t"};
  static const char* const kDelimiters[] = {",", ";", ", ", " "};
  options.text.delimiter = kDelimiters[(data[0] >> 1) & 3];
  options.text.trim = (data[0] & 8) != 0;
  if ((data[0] & 16) != 0) options.text.quote = '\0';
  options.text.header = false;
  options.text.columns = options.columns;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);

  CodedBatch batch;
  const std::vector<Seen> whole = ReadAll(bytes, options, bytes.size() + 1, &batch);
  CORDON_CHECK(whole == ReadAll(bytes, options, 1 + data[1] % 32, nullptr));
  for (const Seen& seen : whole) CORDON_CHECK_LE(seen.end.offset, bytes.size());
  if (whole.empty() || whole.back().line == 0) return 0;
  const Seen& middle = whole[whole.size() / 2];
  const auto input = LiveFromMemory(bytes, 7);
  const auto reader = OpenRecordReader(*input, options, {}).value();
  CORDON_CHECK(reader->SkipTo(middle.end, {}).ok());
  CORDON_CHECK(reader->place() == middle.end);

  CORDON_CHECK_LE(batch.entries.size(), whole.size());
  CORDON_CHECK_EQ(batch.quasi.size(), batch.num_tuples() * 2);
  CORDON_CHECK_EQ(batch.sensitive.size(), batch.num_tuples());
  for (const std::int64_t code : batch.quasi) CORDON_CHECK(-95 <= code && code <= 990);
  return 0;
}
