// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/checkpoint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

constexpr std::string_view kMagic = "cordon stream checkpoint\n";
constexpr std::uint64_t kVersion = 2;
constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::size_t kDigits = 12;
constexpr std::string_view kTicks = "ticks";
constexpr std::size_t kTickBytes = 24;

std::string_view AsText(const Sha256Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

Error Damaged() { return Error::InvalidData("the checkpoint is damaged"); }

std::string TickText(const TickJournal::Tick& tick) {
  ByteWriter out;
  out.Word(tick.records);
  out.Word(static_cast<std::uint64_t>(tick.now));
  const std::string body = out.bytes();
  out.Word(XXH3_64bits(body.data(), body.size()));
  return std::move(out).Take();
}

}  // namespace

std::string StreamSnapshot::Encode() const {
  ByteWriter out;
  for (const std::string* text : {&policy, &columns, &options, &random}) out.Text(*text);
  out.Count(input.offset);
  out.Count(input.line);
  out.Word(input.digest);
  out.Whole(event_clock);
  out.Whole(engine_clock);
  out.Whole(position);
  out.Count(out_length);
  out.Count(audit_length);
  out.Count(dead_length);
  out.Text(chain);
  out.Word(out_tail);
  for (const std::string* text : {&engine, &verifier, &sink, &payloads}) out.Text(*text);
  metrics.Save(out);
  out.Flag(finished);

  ByteWriter file;
  file.Word(kVersion);
  file.Text(out.bytes());
  std::string bytes = std::string(kMagic) + std::move(file).Take();
  bytes += AsText(Sha256Of(bytes));
  return bytes;
}

Result<StreamSnapshot> StreamSnapshot::Decode(std::string_view bytes) {
  constexpr std::size_t kSum = std::tuple_size<Sha256Digest>();
  if (!bytes.starts_with(kMagic)) return Error::InvalidData("this is not a checkpoint of a stream");
  if (bytes.size() < kMagic.size() + kSum) return Damaged();
  const std::string_view body = bytes.substr(0, bytes.size() - kSum);
  if (AsText(Sha256Of(body)) != bytes.substr(body.size())) return Damaged();
  ByteReader file(body.substr(kMagic.size()));
  const std::uint64_t version = file.Word();
  if (file.ok() && version != kVersion) {
    return Error::InvalidData("the checkpoint has version {}, this program reads {}", version, kVersion)
        .WithHint("go on with the program that made it: a second start would publish its tuples again");
  }
  ByteReader in(file.Text());
  StreamSnapshot read;
  for (std::string* text : {&read.policy, &read.columns, &read.options, &read.random}) *text = std::string(in.Text());
  read.input.offset = in.Count();
  read.input.line = in.Count();
  read.input.digest = in.Word();
  read.event_clock = in.Whole();
  read.engine_clock = in.Whole();
  read.position = in.Whole();
  read.out_length = in.Count();
  read.audit_length = in.Count();
  read.dead_length = in.Count();
  read.chain = std::string(in.Text());
  read.out_tail = in.Word();
  for (std::string* text : {&read.engine, &read.verifier, &read.sink, &read.payloads}) *text = std::string(in.Text());
  read.metrics.Restore(in);
  read.finished = in.Flag();
  if (!file.Finish("checkpoint").ok() || !in.Finish("checkpoint").ok()) return Damaged();
  return read;
}

Result<std::uint64_t> TailDigest(FileSystem& files, const std::string& path, std::uint64_t length) {
  CORDON_TRY(const std::string tail, files.ReadBefore(path, length, 4096));
  return XXH3_64bits(tail.data(), tail.size());
}

std::string CheckpointFolder::NameOf(std::uint64_t number) const { return fmt::format("{}{:012}", kPrefix, number); }

Result<void> CheckpointFolder::Open() {
  CORDON_RETURN_IF_ERROR(files_.MakeFolder(path_));
  CORDON_TRY(lock_, files_.Lock(path_));
  CORDON_TRY(const std::vector<std::string> names, files_.List(path_));
  numbers_.clear();
  for (const std::string& name : names) {
    if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + kDigits) continue;
    std::uint64_t number = 0;
    const char* end = name.data() + name.size();
    const auto [stop, code] = std::from_chars(name.data() + kPrefix.size(), end, number);
    if (code != std::errc() || stop != end) continue;
    CORDON_RETURN_IF_ERROR(files_.MakePrivate(path_ + "/" + name));  // copied back, perhaps
    numbers_.push_back(number);
  }
  std::sort(numbers_.begin(), numbers_.end());
  return {};
}

Result<std::optional<StreamSnapshot>> CheckpointFolder::Latest(std::optional<std::uint64_t> most_rows) {
  for (auto number = numbers_.rbegin(); number != numbers_.rend(); ++number) {
    const std::string path = path_ + "/" + NameOf(*number);
    CORDON_TRY(const std::string bytes, files_.Read(path));
    Result<StreamSnapshot> snapshot = StreamSnapshot::Decode(bytes);
    if (!snapshot.ok()) {
      Error error = std::move(snapshot).error().WithContext("reading {}", path);
      return numbers_.size() > 1
                 ? std::move(error).WithHint("remove it to go on from the checkpoint before it: the rows will be the same")
                 : std::move(error).WithHint(
                       "without it the stream cannot be continued: a second start would publish tuples again");
    }
    if (!most_rows || snapshot.value().metrics.rows <= *most_rows) {
      taken_ = *number;
      return std::optional<StreamSnapshot>(std::move(snapshot).value());
    }
  }
  return std::optional<StreamSnapshot>();
}

Result<void> CheckpointFolder::ForgetLater() {
  while (taken_ && numbers_.back() != *taken_) {
    CORDON_RETURN_IF_ERROR(files_.Remove(path_ + "/" + NameOf(numbers_.back())));
    numbers_.pop_back();
  }
  return {};
}

Result<void> CheckpointFolder::RemoveAll() {
  for (; !numbers_.empty(); numbers_.pop_back()) {
    CORDON_RETURN_IF_ERROR(files_.Remove(path_ + "/" + NameOf(numbers_.back())));
  }
  return {};
}

Result<void> CheckpointFolder::Write(const StreamSnapshot& snapshot) {
  const std::uint64_t number = numbers_.empty() ? 1 : numbers_.back() + 1;
  CORDON_RETURN_IF_ERROR(WriteWhole(files_, path_, NameOf(number), snapshot.Encode()).WithContext("writing a checkpoint"));
  numbers_.push_back(number);
  while (numbers_.size() > keep_) {
    CORDON_RETURN_IF_ERROR(files_.Remove(path_ + "/" + NameOf(numbers_.front())));
    numbers_.pop_front();
  }
  return {};
}

Result<TickJournal> TickJournal::Open(FileSystem& files, const std::string& folder) {
  const std::string path = folder + "/" + std::string(kTicks);
  TickJournal journal;
  std::string bytes;
  if (files.Size(path)) {
    CORDON_TRY(bytes, files.Read(path));
  }
  std::size_t good = 0;
  for (; good + kTickBytes <= bytes.size(); good += kTickBytes) {
    ByteReader in(std::string_view(bytes).substr(good, kTickBytes));
    const Tick tick{in.Word(), static_cast<EventTime>(in.Word())};
    if (TickText(tick) != std::string_view(bytes).substr(good, kTickBytes)) break;
    journal.ticks_.push_back(tick);
  }
  CORDON_TRY(journal.file_, files.Append(path, FileSystem::Access::kPrivate, good));
  CORDON_RETURN_IF_ERROR(files.SyncFolder(folder));
  return journal;
}

Result<void> TickJournal::Add(const Tick& tick) {
  CORDON_RETURN_IF_ERROR(file_->Write(TickText(tick)));
  CORDON_RETURN_IF_ERROR(file_->Sync());
  ticks_.push_back(tick);
  return {};
}

}  // namespace cordon::engine
