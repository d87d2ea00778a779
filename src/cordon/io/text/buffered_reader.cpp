// SPDX-License-Identifier: Apache-2.0
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "cordon/io/text/buffered_reader_internal.h"
#include "cordon/io/text/file_signature.h"
#include "cordon/io/text/text_check.h"

namespace cordon::engine::internal {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Result<RecordReader::Next> BufferedReader::Read(InputRecord& record, bool wait, const std::stop_token& stop) {
  while (true) {
    CORDON_TRY(const Next next, Take(record, wait, stop));
    if (next != Next::kRecord) return next;
    const bool skip = record.fault.empty() && IsBlank(record.raw);
    if (skip) continue;
    if (record.fault.empty()) {
      if (const auto bad = FindBadByte(record.raw)) record.fault = bad->what();
    }
    if (record.fault.empty()) Parse(record);
    return Next::kRecord;
  }
}

Result<void> BufferedReader::SkipTo(const InputPlace& place, const std::stop_token& stop) {
  InputRecord record;
  while (place_.offset < place.offset) {
    CORDON_TRY(const Next next, Take(record, true, stop));
    if (stop.stop_requested()) return Error::Cancelled();
    if (next != Next::kRecord) break;
  }
  if (place_ == place) return {};
  return Error::InvalidData("the input is not the one that the checkpoint was made of: its first {} bytes differ", place.offset)
      .WithHint("give the same input from its start: a second start would publish its tuples again");
}

Result<void> BufferedReader::Begin(const std::stop_token& stop) {
  InputRecord record;
  at_start_ = true;
  for (std::uint64_t skipped = 0; skipped < text_.skip; ++skipped) {
    CORDON_TRY(const bool found, TakeLine(record, stop));
    if (!found) break;
    at_start_ = false;
  }
  in_header_ = true;
  CORDON_RETURN_IF_ERROR(ReadHeader(stop));
  in_header_ = false;
  return {};
}

// What the file is shows in its first bytes, or in its first line if that is shorter: not in how much has come at once.
bool BufferedReader::HoldsStart() const { return ended_ || Held().size() >= kSignatureBytes || HoldsByte(Held(), '\n'); }

Result<RecordReader::Next> BufferedReader::Take(InputRecord& record, bool wait, const std::stop_token& stop) {
  record.cells = {};
  record.fault.clear();
  while (true) {
    if (at_start_ && HoldsStart()) {
      at_start_ = false;
      if (const auto other = NotText(Held().substr(0, std::min(Held().find('\n'), kSignatureBytes)))) {
        return Error::InvalidData("{}, not CSV or JSON Lines", other->what).WithHint("{}", other->hint);
      }
      if (Held().starts_with(kByteOrderMark)) Advance(kByteOrderMark.size());
    }
    if (!at_start_ && size_ > begin_) {
      const std::string_view held = Held();
      const bool complete = ended_ || held.size() > kMaxRecordBytes;
      Cut cut = Split(held.substr(0, kMaxRecordBytes + 1), complete);
      if (cut.kind == Cut::Kind::kRecord) return Give(record, cut.size);
      // A fault may show before the line that it takes with it is all there.
      if (complete || (cut.kind == Cut::Kind::kFault && HoldsByte(held, '\n'))) {
        return GiveFault(record, cut.fault.empty() ? TooLong() : std::move(cut.fault), stop);
      }
    }
    if (ended_) return Next::kEnd;
    if (!wait) return Next::kWait;
    CORDON_TRY(const bool more, Fill(stop));
    if (!more && !ended_) return Next::kEnd;  // a stop
  }
}

Result<bool> BufferedReader::TakeLine(InputRecord& record, const std::stop_token& stop) {
  while (true) {
    const std::size_t end = Held().find('\n');
    if (end != std::string_view::npos || ended_) {
      if (Held().empty()) return false;
      (void)Give(record, std::min(end, Held().size()));
      return true;
    }
    if (Held().size() > kMaxRecordBytes) return Error::InvalidData("line {} {}", place_.line + 1, TooLong());
    CORDON_TRY(const bool more, Fill(stop));
    if (!more && !ended_) return Error::Cancelled();
  }
}

RecordReader::Next BufferedReader::Give(InputRecord& record, std::size_t size) {
  const std::string_view held = Held();
  record.line = place_.line + 1;
  record.raw = held.substr(0, size);
  if (record.raw.ends_with('\r') && size < held.size()) record.raw.remove_suffix(1);
  Advance(std::min(size + 1, held.size()));
  record.end = place_;
  return Next::kRecord;
}

Result<RecordReader::Next> BufferedReader::GiveFault(InputRecord& record, std::string fault, const std::stop_token& stop) {
  record.fault = std::move(fault);
  record.line = place_.line + 1;
  kept_.clear();
  StartWalk();
  for (bool over = false; !over;) {
    const std::string_view held = Held().substr(0, kMaxRecordBytes);
    const std::size_t line = held.find('\n');
    if (line == std::string_view::npos && held.size() < kMaxRecordBytes && !ended_) {
      CORDON_TRY(const bool more, Fill(stop));
      if (!more && !ended_) return Next::kEnd;
      continue;
    }
    const std::string_view piece = line == std::string_view::npos ? held : held.substr(0, line + 1);
    over = Walk(piece) || piece.empty() || in_header_;  // nothing comes after a faulty header
    kept_.append(piece.substr(0, kMaxRecordBytes - std::min(kept_.size(), kMaxRecordBytes)));
    Advance(piece.size());
  }
  if (kept_.ends_with('\n')) kept_.pop_back();
  if (kept_.ends_with('\r')) kept_.pop_back();
  record.raw = kept_;
  record.end = place_;
  return Next::kRecord;
}

void BufferedReader::Advance(std::size_t bytes) {
  CORDON_CHECK_LE(bytes, size_ - begin_);
  const std::string_view taken = Held().substr(0, bytes);
  place_.digest = XXH3_64bits_withSeed(taken.data(), taken.size(), place_.digest);
  place_.offset += bytes;
  place_.line += CountByte(taken, '\n');
  begin_ += bytes;
}

Result<bool> BufferedReader::Fill(const std::stop_token& stop) {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, size_ - begin_);
    size_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < size_ + kReadBytes + kBlockPadding) buffer_.resize(size_ + kReadBytes + kBlockPadding);
  // Places count the bytes of the text as UTF-8: a stream is always read from its start.
  const bool plain = text_.encoding == Encoding::kUtf8;
  const std::size_t most = plain ? kReadBytes : kReadBytes / 3;  // a byte may become three
  CORDON_TRY(std::size_t got, input_.Read(buffer_.data() + size_, most, stop));
  if (got == 0 && !stop.stop_requested()) {
    CORDON_RETURN_IF_ERROR(decoder_.Finish());
    ended_ = true;
  }
  const bool more = got > 0;
  if (!plain && got > 0) {
    decoded_.clear();
    CORDON_RETURN_IF_ERROR(decoder_.Append({buffer_.data() + size_, got}, decoded_));
    std::memcpy(buffer_.data() + size_, decoded_.data(), decoded_.size());
    got = decoded_.size();
  }
  size_ += got;
  std::memset(buffer_.data() + size_, 0, kBlockPadding);
  return more;
}

}  // namespace cordon::engine::internal
