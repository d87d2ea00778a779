// SPDX-License-Identifier: Apache-2.0
//
// What the readers of records share: bytes that come in pieces, places in them, and faults that are passed over whole.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/io/text/block_reader_internal.h"
#include "cordon/io/text/byte_scan_internal.h"
#include "cordon/io/text/record_reader.h"

namespace cordon::engine::internal {

inline constexpr std::size_t kReadBytes = std::size_t{256} << 10;

inline std::string TooLong() { return fmt::format("is longer than {} KiB", kMaxRecordBytes >> 10); }

// The buffer, the places and the header; a format says where a record ends and what its cells are.
class BufferedReader : public RecordReader {
 public:
  BufferedReader(LiveInput& input, const RecordOptions& options)
      : input_(input), text_(options.text), decoder_(options.text.encoding) {}

  const std::vector<std::string>& columns() const override { return columns_; }
  InputPlace place() const override { return place_; }

  Result<Next> Read(InputRecord& record, bool wait, const std::stop_token& stop) override;

  Result<void> SkipTo(const InputPlace& place, const std::stop_token& stop) override;

  Result<void> Begin(const std::stop_token& stop);

 protected:
  // What Split found at the start of `text`.
  struct Cut {
    enum class Kind { kRecord, kFault, kMore } kind = Kind::kMore;
    std::size_t size = 0;  // of the record, without its line end
    std::string fault;
  };
  // `text` holds all there is of the record, or kMaxRecordBytes of it, if `complete`.
  virtual Cut Split(std::string_view text, bool complete) = 0;
  // Whether a record that is passed over ends with this piece of it: a line, or a part of one without its end.
  virtual void StartWalk() {}
  virtual bool Walk(std::string_view piece) { return piece.ends_with('\n'); }
  // Fills cells and fault of a sound record.
  virtual void Parse(InputRecord& record) = 0;
  virtual bool IsBlank(std::string_view raw) const = 0;
  virtual Result<void> ReadHeader(const std::stop_token& stop) = 0;

  // The next record as the format cuts it.
  Result<Next> Take(InputRecord& record, bool wait, const std::stop_token& stop);

  // One physical line, whatever it holds.
  Result<bool> TakeLine(InputRecord& record, const std::stop_token& stop);

  std::string_view Held() const { return {buffer_.data() + begin_, size_ - begin_}; }

  LiveInput& input_;
  TextFormat text_;
  std::vector<std::string> columns_;

 private:
  Next Give(InputRecord& record, std::size_t size);

  // A fault takes its whole record with it, however long: what stands inside of a quote is never read as a record, or a
  // cell could make people up. At most kMaxRecordBytes of it are kept. The digest must not depend on how the bytes
  // came: they are passed over line by line, and long lines in steps of one size.
  Result<Next> GiveFault(InputRecord& record, std::string fault, const std::stop_token& stop);

  void Advance(std::size_t bytes);

  bool HoldsStart() const;

  // False at the end and if a stop was asked for.
  Result<bool> Fill(const std::stop_token& stop);

  std::vector<char> buffer_ = std::vector<char>(kReadBytes + kBlockPadding);
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  Decoder decoder_;
  std::string decoded_;
  bool ended_ = false;
  bool at_start_ = false;
  bool in_header_ = false;
  InputPlace place_;
  std::string kept_;
};

std::unique_ptr<BufferedReader> MakeCsvRecordReader(LiveInput& input, const RecordOptions& options);
std::unique_ptr<BufferedReader> MakeJsonRecordReader(LiveInput& input, const RecordOptions& options);

}  // namespace cordon::engine::internal
