// SPDX-License-Identifier: Apache-2.0
//
// Whether a run may go on from a checkpoint: with its policy, input and options, and outputs that are as it left them. A second
// start would publish its tuples again, in other groups; whatever could come to that is refused.
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/publish/stream/run_stream_internal.h"

namespace cordon::engine::internal {
namespace {

constexpr std::size_t kKeepOfFiles = 2;
constexpr std::size_t kKeepOfPipes = 8;  // a reader may be some checkpoints behind

}  // namespace

// What a checkpoint must have been made with to be continued, next to policy and columns.
std::string StreamRun::Options() const {
  return fmt::format("algorithm {}, input {}, output {}, sequence {}, group column {}, bounds {}, audit {}, dead letters {}",
                     parts_.algorithm().name, record_options_.format == FileFormat::kCsv ? "csv" : "jsonl",
                     parts_.row_options().format == FileFormat::kCsv ? "csv" : "jsonl", request_.sequence,
                     parts_.row_options().group_column, parts_.row_options().bounds, request_.audit.has_value(),
                     request_.dead_letters.has_value() || !IsPipe(request_.output));
}

Result<void> StreamRun::CheckSnapshot() const {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    return Error::InvalidPolicy("the checkpoint in {} was made with {}", *request_.checkpoint, what).WithHint("{}", hint);
  };
  const std::string start_over =
      "go on as it was begun; a second start would publish its tuples again, in other groups: it is for input that was not "
      "published yet";
  if (snapshot_->policy != policy_.digest) return refuse("another policy", start_over);
  if (snapshot_->columns != Columns()) return refuse("other columns of the input", start_over);
  if (snapshot_->options != Options())
    return refuse(fmt::format("other options ({})", snapshot_->options), "give the same options");
  if (request_.seed && Random::FromSeed(*request_.seed).Save() != snapshot_->random) {
    return refuse("another seed", "leave --seed out: the checkpoint has the randomness it needs");
  }
  return {};
}

Result<void> StreamRun::FindCheckpoint() {
  if (!request_.checkpoint) return {};
  const bool pipe = IsPipe(request_.output);
  folder_.emplace(files_, *request_.checkpoint, pipe ? kKeepOfPipes : kKeepOfFiles);
  CORDON_RETURN_IF_ERROR(folder_->Open());
  if (files_.OpenToOthers(folder_->path())) {
    Note(fmt::format(
        "warning: others may look into the folder {}: what is in it is private to this user (mode 0600), its names and "
        "times are not; chmod 700 closes it",
        folder_->path()));
  }
  if (folder_->empty()) {
    if (request_.resume_after.value_or(0) > 0) {
      return Error::InvalidData("there is no checkpoint in {}: rows up to {} cannot be made again", *request_.checkpoint,
                                *request_.resume_after)
          .WithHint("a second start would publish their tuples again, in other groups; drop them from the input instead");
    }
    if (!pipe && files_.Size(request_.output).value_or(0) > 0) {
      return Error::InvalidData("{} is there already, but {} holds no checkpoint of it", request_.output, *request_.checkpoint)
          .WithHint(
              "a second start would publish its tuples again, in other groups; give another output for other input, or "
              "remove this one if nobody has seen it");
    }
    return {};
  }
  if (pipe && !request_.resume_after) {
    return Error::InvalidPolicy("{} contains a checkpoint; say with --resume-after how far the reader has got",
                                *request_.checkpoint)
        .WithHint("--resume-after N, N being the last sequence number it has; 0 for none");
  }
  CORDON_TRY(snapshot_, folder_->Latest(request_.resume_after));
  if (!snapshot_) {
    return Error::InvalidData("no checkpoint in {} goes back to row {}", *request_.checkpoint, *request_.resume_after)
        .WithHint("the rows behind it were handed on before the oldest checkpoint that is kept");
  }
  return CheckSnapshot();
}

// All of them before any is touched.
Result<void> StreamRun::CheckLengths() const {
  if (!snapshot_) return {};
  std::vector<std::pair<std::string, std::uint64_t>> written;
  if (!IsPipe(request_.output)) written.emplace_back(request_.output, snapshot_->out_length);
  if (request_.audit) written.emplace_back(*request_.audit, snapshot_->audit_length);
  if (const auto path = DeadLettersPath(request_)) written.emplace_back(*path, snapshot_->dead_length);
  for (const auto& [path, length] : written) {
    const std::optional<std::uint64_t> size = files_.Size(path);
    if (length > 0 && size.value_or(0) < length && !IsSpecialFile(path)) return NotAsItWas(path, size, length);
  }
  return {};
}

// Rows that a reader says to have and that were never made were left out of what he got.
Result<void> StreamRun::CheckResumed(const StreamReport& report) const {
  if (report.end != StreamDriver::End::kEnded || report.metrics.rows >= request_.resume_after.value_or(0)) return {};
  return Error::InvalidPolicy("--resume-after says {}, but the stream has {} rows", *request_.resume_after, report.metrics.rows)
      .WithHint("give the last sequence number that the reader has");
}

// That a stream has ended is an answer about the input and the output it had, not about others.
Result<void> StreamRun::CheckEnded() {
  if (!IsPipe(request_.output) && files_.Size(request_.output).value_or(0) < snapshot_->out_length) {
    return Error::InvalidData("the checkpoint in {} is of a stream that has ended, and {} is not its output",
                              *request_.checkpoint, request_.output)
        .WithHint("nothing was done; a new stream needs its own checkpoint folder");
  }
  if (input_->live()) return {};
  CORDON_RETURN_IF_ERROR(reader_->SkipTo(snapshot_->input, run_.stop).WithContext("reading {}", request_.input));
  InputRecord record;
  CORDON_TRY(const RecordReader::Next next, reader_->Read(record, true, run_.stop));
  if (next != RecordReader::Next::kRecord) return {};
  return Error::InvalidData("the checkpoint in {} is of a stream that has ended, and {} has grown since", *request_.checkpoint,
                            request_.input)
      .WithHint("nothing was done; put the new rows in a new file, with a new checkpoint folder and a new output");
}

}  // namespace cordon::engine::internal
