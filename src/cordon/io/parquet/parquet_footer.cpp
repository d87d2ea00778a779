// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/parquet/parquet_footer.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "cordon/io/files/stored_file.h"

namespace cordon::engine {
namespace {

using Type = ThriftValue::Type;

constexpr std::uint64_t kLongestFooter = 16 << 20;  // a tree of it takes some fifty times as much
constexpr std::size_t kTail = 8;                    // length of the footer and magic

// Numbers of fields, by the structure they are in.
namespace file {
constexpr std::int16_t kSchema = 2, kNumRows = 3, kRowGroups = 4, kColumnOrders = 7, kEncryption = 8, kSigningKey = 9;
}
namespace row_group {
constexpr std::int16_t kColumns = 1, kNumRows = 3, kFileOffset = 5, kOrdinal = 7;
}
namespace chunk {
constexpr std::int16_t kFilePath = 1, kFileOffset = 2, kMetaData = 3, kCrypto = 8, kEncryptedMetaData = 9;
constexpr std::int16_t kPageIndexes[] = {4, 5, 6, 7};
}  // namespace chunk
namespace column {
constexpr std::int16_t kCompressedSize = 7, kDataPage = 9, kIndexPage = 10, kDictionaryPage = 11, kBloomFilter = 14,
                       kBloomFilterLength = 15;
}

Error Damaged(std::string_view what) { return Error::InvalidData("its footer cannot be used: {}", what); }

bool Within(std::uint64_t at, const ByteRange& bytes) { return bytes.begin <= at && at <= bytes.end; }

// Where the pages of a column are.
std::optional<ByteRange> PagesOf(const ThriftValue& meta, std::uint64_t data_end) {
  const auto size = meta.Number(column::kCompressedSize, Type::kI64);
  auto begin = meta.Number(column::kDataPage, Type::kI64);
  if (!size || !begin) return std::nullopt;
  for (const std::int16_t field : {column::kIndexPage, column::kDictionaryPage}) {
    const auto at = meta.Number(field, Type::kI64);
    if (at && *at > 0) begin = std::min(*begin, *at);  // 0: some writers' way to say that there is none
  }
  if (*begin < static_cast<std::int64_t>(kParquetMagic.size()) || *size < 0) return std::nullopt;
  const auto from = static_cast<std::uint64_t>(*begin);
  const auto length = static_cast<std::uint64_t>(*size);
  if (from > data_end || length > data_end - from) return std::nullopt;
  return ByteRange{from, from + length};
}

Result<ByteRange> BytesOf(const ThriftValue& group, std::uint64_t data_end) {
  const ThriftValue* columns = group.Find(row_group::kColumns, Type::kList);
  if (columns == nullptr || columns->items.empty()) return Damaged("a row group has no columns");
  std::optional<ByteRange> all;
  for (const ThriftValue& each : columns->items) {
    if (each.Has(chunk::kFilePath)) return Damaged("a column is in another file");
    if (each.Has(chunk::kCrypto) || each.Has(chunk::kEncryptedMetaData)) return Damaged("a column is encrypted");
    const ThriftValue* meta = each.Find(chunk::kMetaData, Type::kStruct);
    const auto pages = meta != nullptr ? PagesOf(*meta, data_end) : std::nullopt;
    if (!pages) return Damaged("a column is not inside the file");
    all = all ? ByteRange{std::min(all->begin, pages->begin), std::max(all->end, pages->end)} : *pages;
  }
  return *all;
}

// Numbers of places in a row group move with it.
void Move(ThriftValue& structure, std::int16_t field, const ByteRange& from, std::uint64_t at) {
  ThriftValue* place = structure.Find(field, Type::kI64);
  if (place == nullptr || place->number <= 0 || !Within(static_cast<std::uint64_t>(place->number), from)) return;
  place->number = static_cast<std::int64_t>(static_cast<std::uint64_t>(place->number) - from.begin + at);
}

std::optional<ByteRange> BloomFilterOf(const ThriftValue& meta, std::uint64_t data_end) {
  const auto at = meta.Number(column::kBloomFilter, Type::kI64);
  const auto length = meta.Number(column::kBloomFilterLength, Type::kI32);
  if (!at || !length || *at < static_cast<std::int64_t>(kParquetMagic.size()) || *length <= 0) return std::nullopt;
  const auto from = static_cast<std::uint64_t>(*at);
  const auto size = static_cast<std::uint64_t>(*length);
  if (from > data_end || size > data_end - from) return std::nullopt;
  return ByteRange{from, from + size};
}

ThriftValue& MetaDataOf(ThriftValue& group, std::size_t place) {
  return *group.Find(row_group::kColumns, Type::kList)->items[place].Find(chunk::kMetaData, Type::kStruct);
}

}  // namespace

Result<ParquetFooter> ParquetFooter::Parse(std::string_view bytes, std::uint64_t data_end) {
  ParquetFooter made;
  made.data_end_ = data_end;
  CORDON_TRY(made.tree_, ParseThrift(bytes).WithContext("its footer cannot be used"));
  const ThriftValue& tree = made.tree_;
  if (tree.Has(file::kEncryption) || tree.Has(file::kSigningKey)) return Damaged("it is encrypted");
  const ThriftValue* schema = tree.Find(file::kSchema, Type::kList);
  const ThriftValue* groups = tree.Find(file::kRowGroups, Type::kList);
  const auto rows = tree.Number(file::kNumRows, Type::kI64);
  if (schema == nullptr || groups == nullptr || !rows) return Damaged("it lacks what a file needs");
  std::uint64_t end = kParquetMagic.size();
  for (const ThriftValue& each : groups->items) {
    const auto group_rows = each.Number(row_group::kNumRows, Type::kI64);
    if (!group_rows || *group_rows < 0) return Damaged("a row group does not say how many rows it has");
    CORDON_TRY(const ByteRange place, BytesOf(each, data_end));
    if (place.begin < end) return Damaged("row groups overlap, or are not in order");
    end = place.end;
    made.groups_.push_back({place, static_cast<std::uint64_t>(*group_rows)});
    made.num_rows_ += static_cast<std::uint64_t>(*group_rows);  // modulo 2^64: compared as such
  }
  if (made.num_rows_ != static_cast<std::uint64_t>(*rows)) return Damaged("its row groups do not have as many rows as it says");
  return made;
}

Result<ParquetFooter> ParquetFooter::Read(const std::string& path) {
  CORDON_TRY(const StoredFile file, StoredFile::Open(path));
  const auto is_magic = [](std::string_view bytes) { return bytes == kParquetMagic; };
  std::string tail(kTail, '\0');
  std::string head(kParquetMagic.size(), '\0');
  if (file.size() < head.size() + tail.size()) return Error::InvalidData("{} is no Parquet file", path);
  CORDON_RETURN_IF_ERROR(file.ReadExactly(head, 0));
  CORDON_RETURN_IF_ERROR(file.ReadExactly(tail, file.size() - kTail));
  if (!is_magic(head) || !is_magic(std::string_view(tail).substr(4))) return Error::InvalidData("{} is no Parquet file", path);
  std::uint64_t length = 0;
  for (int i = 3; i >= 0; --i) length = length << 8 | static_cast<std::uint8_t>(tail[static_cast<std::size_t>(i)]);
  const std::uint64_t before = file.size() - kTail;
  if (length > before - head.size()) return Damaged("it is longer than the file").WithContext("{}", path);
  if (length > kLongestFooter) return Damaged("it is too long").WithContext("{}", path);
  std::string bytes(length, '\0');
  CORDON_RETURN_IF_ERROR(file.ReadExactly(bytes, before - length));
  return Parse(bytes, before - length).WithContext("{}", path);
}

bool ParquetFooter::HasSchemaOf(const ParquetFooter& other) const {
  const auto same = [&](std::int16_t field) {
    const ThriftValue* mine = tree_.Find(field, Type::kList);
    const ThriftValue* theirs = other.tree_.Find(field, Type::kList);
    return mine == nullptr || theirs == nullptr ? mine == theirs : *mine == *theirs;
  };
  return same(file::kSchema) && same(file::kColumnOrders);  // the order of values is what their statistics mean
}

ParquetFooterBuilder::ParquetFooterBuilder(const ParquetFooter& like) {
  for (const ThriftValue& field : like.tree_.items) {
    if (field.id != file::kRowGroups) tree_.items.push_back(field);
  }
  ThriftValue groups;
  groups.type = Type::kList;
  groups.element = Type::kStruct;
  groups.id = file::kRowGroups;
  const auto after = std::find_if(tree_.items.begin(), tree_.items.end(),
                                  [](const ThriftValue& field) { return field.id > file::kRowGroups; });
  tree_.items.insert(after, std::move(groups));
}

void ParquetFooterBuilder::Add(const ParquetFooter& from, std::size_t group, std::uint64_t at, std::size_t input) {
  ThriftValue made = from.tree_.Find(file::kRowGroups, Type::kList)->items[group];
  const ByteRange bytes = from.groups_[group].bytes;
  Move(made, row_group::kFileOffset, bytes, at);
  if (ThriftValue* ordinal = made.Find(row_group::kOrdinal, Type::kI16)) {
    ordinal->number = static_cast<std::int64_t>(row_groups_.size());
    if (ordinal->number > std::numeric_limits<std::int16_t>::max()) made.Erase(row_group::kOrdinal);
  }
  ThriftValue& columns = *made.Find(row_group::kColumns, Type::kList);
  for (std::size_t i = 0; i < columns.items.size(); ++i) {
    ThriftValue& each = columns.items[i];
    Move(each, chunk::kFileOffset, bytes, at);
    for (const std::int16_t field : chunk::kPageIndexes) each.Erase(field);
    ThriftValue& meta = MetaDataOf(made, i);
    const auto filter = BloomFilterOf(meta, from.data_end_);
    for (const std::int16_t field : {column::kDataPage, column::kIndexPage, column::kDictionaryPage})
      Move(meta, field, bytes, at);
    if (filter && filter->begin >= bytes.begin && filter->end <= bytes.end) {
      Move(meta, column::kBloomFilter, bytes, at);
    } else if (filter) {
      loose_.push_back({input, *filter, row_groups_.size(), i});
    } else {
      meta.Erase(column::kBloomFilter);
      meta.Erase(column::kBloomFilterLength);
    }
  }
  row_groups_.push_back(std::move(made));
  num_rows_ += from.groups_[group].rows;
}

void ParquetFooterBuilder::Place(const Loose& loose, std::uint64_t at) {
  ThriftValue& meta = MetaDataOf(row_groups_[loose.row_group], loose.column);
  meta.Find(column::kBloomFilter, Type::kI64)->number = static_cast<std::int64_t>(at);
}

std::string ParquetFooterBuilder::Finish() && {
  tree_.Find(file::kNumRows, Type::kI64)->number = static_cast<std::int64_t>(num_rows_);
  tree_.Find(file::kRowGroups, Type::kList)->items = std::move(row_groups_);
  std::string bytes = SerializeThrift(tree_);
  for (std::size_t length = bytes.size(), i = 0; i < 4; ++i, length >>= 8) bytes.push_back(static_cast<char>(length & 255));
  return bytes + std::string(kParquetMagic);
}

}  // namespace cordon::engine
