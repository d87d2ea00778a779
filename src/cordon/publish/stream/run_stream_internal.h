// SPDX-License-Identifier: Apache-2.0
//
// The run of a stream, shared by its two halves: run_stream.cpp drives it, resume_stream.cpp says whether it may go on from a
// checkpoint.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cordon/publish/stream/run_stream.h"
#include "cordon/publish/stream/stream_certificate.h"
#include "cordon/publish/stream/stream_parts.h"
#include "cordon/registry/registration.h"
#include "cordon/stream/checkpoint.h"
#include "cordon/stream/driver.h"

namespace cordon::engine::internal {

// One run's parts, in the order in which they are made.
class StreamRun {
 public:
  StreamRun(const StreamRequest& request, const Policy& policy, const StreamWorld& world, const Run& run)
      : request_(request), policy_(policy), world_(world), run_(run), files_(*world.files) {}

  Result<StreamReport> Go();

 private:
  Result<void> OpenInput();
  Result<void> MakeRandom();
  Result<void> FindCheckpoint();
  Result<void> CheckSnapshot() const;
  Result<void> CheckLengths() const;
  std::vector<std::pair<std::string, FileSystem::Access>> Files() const;
  Result<void> CheckNothingIsLost() const;
  Result<void> CheckNoneIsInUse() const;
  Result<void> OpenOutputs();
  Result<void> OpenCertificate();
  Result<std::unique_ptr<WritableFile>> OpenDurably(const std::string& path, FileSystem::Access access, std::uint64_t keep);
  Result<StreamReport> Drive();
  std::optional<Warning> WarnOfUnique();  // rows that are unique by the columns published as they are
  Result<void> CheckResumed(const StreamReport& report) const;
  Result<void> CheckEnded();
  void ForgetUnused();
  Result<void> BeginEntry();
  Result<void> EnterInto(const StreamReport& report);
  std::string Options() const;
  std::string Columns() const { return fmt::format("{}", fmt::join(reader_->columns(), "\x1f")); }
  StreamReport ReportOf(const StreamMetrics& metrics) const;
  void Note(const std::string& text) const {
    if (request_.on_note) request_.on_note(text);
  }

  const StreamRequest& request_;
  const Policy& policy_;
  const StreamWorld& world_;
  const Run& run_;
  FileSystem& files_;

  std::unique_ptr<LiveInput> input_;
  RecordOptions record_options_;
  std::unique_ptr<RecordReader> reader_;
  StreamParts parts_;
  std::optional<Random> random_;
  std::optional<CheckpointFolder> folder_;
  std::optional<TickJournal> ticks_;
  std::optional<StreamSnapshot> snapshot_;
  DriverFiles logs_;
  std::optional<StreamCertificate> certificate_;
  std::optional<Registration> registration_;
  RegisteredRelease entry_;  // of the registry, without digests until the end
};

}  // namespace cordon::engine::internal
