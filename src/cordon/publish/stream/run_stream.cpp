// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/stream/run_stream.h"

#include <chrono>
#include <filesystem>

#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/random_access_file.h"
#include "cordon/io/text/open_record_reader.h"
#include "cordon/plan/check_guarded.h"
#include "cordon/plan/suggest_parameters.h"
#include "cordon/plan/unused_settings.h"
#include "cordon/publish/stream/run_stream_internal.h"
#include "cordon/report/key_file.h"
#include "cordon/stream/audit_log.h"
#include "cordon/stream/metrics_server.h"

namespace cordon::engine {
namespace internal {
namespace {

constexpr std::uint64_t kRowsToWarn = 1000;  // fewer may all be unique by chance

// Tuples that only one other, by its time, made late; small disorder is what lateness is for.
std::string TellOfJump(const EventClock::Jump& jump) {
  constexpr EventTime kWorthTelling = 60'000;
  if (jump.late == 0 || jump.by < kWorthTelling) return "";
  return fmt::format(
      "line {} moved the clock by {}, and {} tuple{} came too late for that alone: if its time was wrong, set max_jump in "
      "[stream]",
      jump.line, DurationText(jump.by), jump.late, jump.late == 1 ? "" : "s");
}

}  // namespace

Result<void> StreamRun::OpenInput() {
  CORDON_TRY(record_options_, InputOptions(request_, policy_));
  CORDON_TRY(input_, world_.open(request_.input));
  CORDON_TRY(reader_, OpenRecordReader(*input_, record_options_, run_.stop).WithContext("reading {}", request_.input));
  CORDON_TRY(RowOptions rows, OutputOptions(request_, policy_, record_options_.format));
  return parts_.Bind(policy_, reader_->columns(), std::move(rows))
      .WithContext("binding {} to {}", request_.input, policy_.name);
}

Result<void> StreamRun::MakeRandom() {
  if (snapshot_) {
    CORDON_TRY(random_, Random::Restore(snapshot_->random));
  } else {
    random_ = request_.seed ? Random::FromSeed(*request_.seed) : Random::FromOperatingSystem();
  }
  return {};
}

// A checkpoint will rely on the file: its name has to survive as well.
Result<std::unique_ptr<WritableFile>> StreamRun::OpenDurably(const std::string& path, FileSystem::Access access,
                                                             std::uint64_t keep) {
  CORDON_TRY(auto file, files_.Append(path, access, keep));
  if (folder_) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    CORDON_RETURN_IF_ERROR(files_.SyncFolder(parent.empty() ? "." : parent));
  }
  return file;
}

// The files that a run writes row by row and that could hold something: not pipes.
std::vector<std::pair<std::string, FileSystem::Access>> StreamRun::Files() const {
  std::vector<std::pair<std::string, FileSystem::Access>> files;
  if (!IsPipe(request_.output)) files.emplace_back(request_.output, FileSystem::Access::kPublic);
  if (request_.sign) files.emplace_back(StreamCertificatePath(request_.output), FileSystem::Access::kPublic);
  if (request_.audit) files.emplace_back(*request_.audit, FileSystem::Access::kPrivate);
  if (const auto dead = DeadLettersPath(request_)) files.emplace_back(*dead, FileSystem::Access::kPrivate);
  return files;
}

// Without a checkpoint a run begins its files at their first byte.
Result<void> StreamRun::CheckNothingIsLost() const {
  if (snapshot_ || request_.force) return {};
  for (const auto& [path, access] : Files()) {
    if (files_.Size(path).value_or(0) == 0) continue;
    return Error::InvalidPolicy("{} is there already", path)
        .WithHint(
            "nothing was done; a second run over the same input would publish its tuples again, in other groups. Give another "
            "output for other input; --force replaces the file, if nobody has seen it");
  }
  return {};
}

// Before the first of them is cut.
Result<void> StreamRun::CheckNoneIsInUse() const {
  for (const auto& [path, access] : Files()) {
    const std::optional<std::uint64_t> size = files_.Size(path);
    if (size && !IsPipe(path)) CORDON_RETURN_IF_ERROR(files_.Append(path, access, *size));
  }
  return {};
}

Result<void> StreamRun::OpenOutputs() {
  const bool pipe = IsPipe(request_.output);
  const std::uint64_t out_length = snapshot_ ? snapshot_->out_length : 0;
  CORDON_RETURN_IF_ERROR(CheckLengths());
  if (snapshot_ && !pipe && out_length > 0 && files_.Size(request_.output).value_or(0) >= out_length) {
    CORDON_TRY(const std::uint64_t tail, TailDigest(files_, request_.output, out_length));
    if (tail != snapshot_->out_tail) {
      return Error::InvalidData("{} is not the output that the checkpoint belongs to", request_.output)
          .WithHint("it was changed or replaced; put it back as it was: a second start would publish its tuples again");
    }
  }
  CORDON_RETURN_IF_ERROR(CheckNoneIsInUse());
  if (folder_) CORDON_RETURN_IF_ERROR(folder_->ForgetLater());
  if (request_.output == "-") {
    CORDON_TRY(auto file, StandardOutput());
    logs_.out = AppendLog(std::move(file), out_length);
  } else {
    CORDON_TRY(auto file, OpenDurably(request_.output, FileSystem::Access::kPublic, out_length));
    logs_.out = AppendLog(std::move(file), out_length);
  }
  const bool has_header = pipe ? request_.resume_after.value_or(0) > 0 : out_length > 0;
  if (!has_header) logs_.out.buffer() += parts_.rows().header();

  if (request_.audit) {
    const std::uint64_t length = snapshot_ ? snapshot_->audit_length : 0;
    CORDON_TRY(auto file, OpenDurably(*request_.audit, FileSystem::Access::kPrivate, length));
    logs_.audit = AppendLog(std::move(file), length);
    if (length == 0) {
      Random nonce = random_->Substream("audit nonce");
      const std::string secret = fmt::format("{:016x}{:016x}", nonce.Next(), nonce.Next());
      logs_.chain.AppendHead(policy_.digest, secret, parts_.rows().columns(), parts_.rows().upper_ends(),
                             parts_.rows().header(), logs_.audit.buffer());
    }
  }
  CORDON_RETURN_IF_ERROR(OpenCertificate());
  const std::optional<std::string> dead_path = DeadLettersPath(request_);
  if (!dead_path) return {};
  const std::uint64_t length = snapshot_ ? snapshot_->dead_length : 0;
  if (length == 0 && !request_.dead_letters) CORDON_RETURN_IF_ERROR(files_.Remove(*dead_path));
  const auto open = [this, length, path = *dead_path] { return OpenDurably(path, FileSystem::Access::kPrivate, length); };
  if (request_.dead_letters || length > 0) {
    CORDON_TRY(auto file, open());
    logs_.dead = AppendLog(std::move(file), length);
  } else {
    logs_.dead = AppendLog(open);  // a file that appears with its first letter
  }
  return {};
}

Result<void> StreamRun::OpenCertificate() {
  if (!request_.sign) return {};
  CORDON_TRY(SigningKey key, ReadSigningKey(*request_.sign));
  CORDON_TRY(certificate_, StreamCertificate::Open(files_, request_.output, snapshot_ ? snapshot_->out_length : 0, policy_,
                                                   parts_.algorithm().name, std::move(key),
                                                   [this](const std::string& path, std::uint64_t keep) {
                                                     return OpenDurably(path, FileSystem::Access::kPublic, keep);
                                                   }));
  return {};
}

StreamReport StreamRun::ReportOf(const StreamMetrics& metrics) const {
  StreamReport report;
  report.algorithm = parts_.algorithm().name;
  report.privacy = policy_.models;
  report.unguarded = UnguardedIn(policy_);
  for (const DeclaredAxis& axis : parts_.layout().axes) report.quasi.push_back(axis.axis().name);
  report.metrics = metrics;
  if (metrics.dead_letters > 0) report.dead_letters = DeadLettersPath(request_).value_or("");
  report.resumed_from = snapshot_ ? snapshot_->metrics.records : 0;
  report.tuples_here = metrics.tuples - (snapshot_ ? snapshot_->metrics.tuples : 0);
  report.peak_rss_mb = PeakRssMb();
  return report;
}

std::optional<Warning> StreamRun::WarnOfUnique() {
  const UniqueShare& unique = parts_.flow().as_is();
  return WarnOfUniqueRows(policy_.ColumnsPublishedAsIs(), unique.share(), !unique.exact());
}

Result<StreamReport> StreamRun::Drive() {
  DriverOptions options;
  options.delay_ms = policy_.stream->delay_ms;
  options.live = input_->live();
  options.max_dead_letters = static_cast<std::uint64_t>(policy_.stream->max_dead_letters);
  options.checkpoint_every = request_.checkpoint_every;
  options.policy = policy_.digest;
  options.columns = Columns();
  options.options = Options();
  options.random = random_->Save();
  options.output = IsPipe(request_.output) ? "" : request_.output;
  options.start = reader_->place();
  StreamDriver driver(parts_.flow(), logs_, files_, folder_ ? &*folder_ : nullptr, ticks_ ? &*ticks_ : nullptr, options);
  MetricsBoard board;
  std::unique_ptr<MetricsServer> server;
  if (request_.metrics) {
    CORDON_TRY(server, MetricsServer::Start(*request_.metrics, board));
    Note(fmt::format("metrics: http://{}/metrics", server->address()));
  }
  bool warned = false;
  driver.on_status = [&](const StreamMetrics& metrics, bool final) {
    board.Post(metrics);
    if (!warned && !final && parts_.flow().as_is().rows() >= kRowsToWarn) {  // a live stream may have no end
      warned = true;
      if (const auto warning = WarnOfUnique()) Note("warning: " + warning->fix);
    }
    if (request_.on_status) request_.on_status(metrics, final);
  };
  if (request_.sign) {
    driver.on_durable = [&](bool ended) -> Result<void> {
      const std::uint64_t bytes = logs_.out.length();
      if (!certificate_ || (bytes == 0 && !ended)) return {};  // before the first row
      return certificate_->Add({bytes, driver.metrics().rows, logs_.chain.value(), ended});
    };
  }
  driver.on_dead_letter = [&](const DeadLetter& letter) {
    Note(fmt::format("dead letter: line {}: {}", letter.line, letter.reason));
  };
  if (snapshot_) {
    CORDON_RETURN_IF_ERROR(driver.Restore(*snapshot_).WithContext("reading the checkpoint in {}", *request_.checkpoint));
    CORDON_RETURN_IF_ERROR(reader_->SkipTo(snapshot_->input, run_.stop).WithContext("reading {}", request_.input));
  } else {
    // The first one comes before any output: what randomness made can be made again from the start.
    CORDON_RETURN_IF_ERROR(driver.Checkpoint());
  }
  CORDON_RETURN_IF_ERROR(OpenOutputs());
  const EventClock clock(policy_.stream->lateness_ms, snapshot_ ? snapshot_->event_clock : kNoTime,
                         policy_.stream->max_jump_ms);
  TupleCoder coder(parts_.layout(), parts_.rows(), parts_.persons(), clock);
  Result<StreamDriver::End> end = StreamDriver::End::kEnded;
  {
    RecordReadAhead pump(*reader_, coder);
    end = driver.Run(pump, run_.stop);
  }
  const std::string jump = TellOfJump(driver.worst_jump());
  if (!end.ok()) {
    if (!jump.empty()) Note("warning: " + jump);
    return std::move(end).error();
  }
  StreamReport report = ReportOf(driver.metrics());
  report.end = end.value();
  if (request_.audit) report.chain = logs_.chain.value();
  report.figures = parts_.engine().figures();
  report.warnings = parts_.engine().warnings();
  if (auto warning = WarnOfUnique()) {
    report.warnings.push_back({std::move(warning->code), std::move(warning->columns), std::move(warning->fix)});
  }
  if (auto warning = WarnOfPersons(policy_, parts_.flow().repeating_groups(), parts_.flow().groups())) {
    report.warnings.push_back(std::move(*warning));
  }
  if (!jump.empty()) report.warnings.push_back({"clock-jumped", {*policy_.stream->event_time}, jump});
  for (StreamWarning& warning : UnusedSettings(policy_, parts_.algorithm())) report.warnings.push_back(std::move(warning));
  if (registration_) {
    for (Warning& warning : registration_->SecondRelease()) {
      report.warnings.push_back({std::move(warning.code), std::move(warning.columns), std::move(warning.fix)});
    }
  }
  return report;
}

// A run that failed before it wrote anything leaves no checkpoint: by the time it would go on, another run may have written
// the output, and a checkpoint that knows no byte of it would let it be cut.
void StreamRun::ForgetUnused() {
  if (!folder_ || snapshot_ || ticks_ || IsPipe(request_.output) || logs_.out.length() > 0) return;
  (void)folder_->RemoveAll();  // the error that ended the run matters more
}

// Rows leave long before the end: the registry is told that there is a stream before the first of them does.
Result<void> StreamRun::BeginEntry() {
  if (!registration_) return {};
  if (!snapshot_) CORDON_RETURN_IF_ERROR(registration_->CheckOutputIsNew());
  entry_ = registration_->NewEntry("stream", parts_.algorithm().name);
  entry_.files = {registration_->FileOf("release", request_.output, "")};
  if (request_.checkpoint) entry_.files.push_back(registration_->FileOf("checkpoint", *request_.checkpoint, ""));
  return registration_->Announce(entry_);
}

Result<void> StreamRun::EnterInto(const StreamReport& report) {
  if (!registration_) return {};
  entry_ = registration_->NewEntry("stream", parts_.algorithm().name);
  const auto add = [&](const char* role, const std::string& path) -> Result<void> {
    CORDON_TRY(const RandomAccessFile file, RandomAccessFile::Open(path));
    CORDON_TRY(const std::string sha256, file.Digest());
    entry_.files.push_back(registration_->FileOf(role, path, sha256));
    return {};
  };
  CORDON_RETURN_IF_ERROR(add("release", request_.output));
  if (request_.audit) CORDON_RETURN_IF_ERROR(add("audit", *request_.audit));
  if (registration_->Has(entry_.release())) return {};
  entry_.rows = report.metrics.released;
  for (const ModelSpec& spec : policy_.models) {
    Json model = ToJson(spec);
    model["text"] = Describe(spec);
    model["holds"] = true;  // of every departure, or it would not have left
    entry_.models.push_back(std::move(model));
  }
  return registration_->Enter(entry_);
}

Result<StreamReport> StreamRun::Go() {
  CORDON_RETURN_IF_ERROR(CheckRequest(request_, policy_));
  if (request_.registry) {
    CORDON_TRY(registration_, Registration::Begin(*request_.registry, policy_, request_.output));
  }
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy_));  // or all of the stream would be suppressed
  if (world_.algorithm != nullptr) {
    parts_.Use(world_.algorithm);
  } else {
    CORDON_RETURN_IF_ERROR(parts_.Choose(policy_, request_.algorithm));
  }
  CORDON_RETURN_IF_ERROR(OpenInput());
  CORDON_RETURN_IF_ERROR(FindCheckpoint());
  if (snapshot_ && snapshot_->finished) {
    StreamReport report = ReportOf(snapshot_->metrics);
    report.had_ended = true;
    report.chain = snapshot_->chain;
    report.dead_letters_gone = !report.dead_letters.empty() && !files_.Size(report.dead_letters);
    CORDON_RETURN_IF_ERROR(CheckEnded());
    CORDON_RETURN_IF_ERROR(CheckResumed(report));
    CORDON_RETURN_IF_ERROR(EnterInto(report));
    return report;
  }
  CORDON_RETURN_IF_ERROR(CheckNothingIsLost());
  CORDON_RETURN_IF_ERROR(MakeRandom());
  CORDON_RETURN_IF_ERROR(parts_.Start(policy_, *random_, request_.resume_after.value_or(0)));
  if (folder_ && input_->live() && policy_.stream->delay_ms) {
    CORDON_TRY(ticks_, TickJournal::Open(files_, folder_->path()));
  }
  CORDON_RETURN_IF_ERROR(BeginEntry());
  Result<StreamReport> report = Drive();
  if (!report.ok()) {
    ForgetUnused();
    if (registration_ && !snapshot_ && logs_.out.length() == 0) registration_->Withdraw(entry_);
    return report;
  }
  CORDON_RETURN_IF_ERROR(CheckResumed(report.value()));
  const bool flushed =
      report.value().end == StreamDriver::End::kEnded || (report.value().end == StreamDriver::End::kInterrupted && !folder_);
  if (flushed) CORDON_RETURN_IF_ERROR(EnterInto(report.value()));
  return report;
}

}  // namespace internal

std::vector<std::string> StreamAlgorithmNames() {
  std::vector<std::string> names = {"auto"};
  for (const StreamAlgorithmEntry& entry : StreamAlgorithms()) names.emplace_back(entry.name);
  return names;
}

Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const Run& run) {
  StreamWorld world;
  world.files = &PosixFiles();
  return RunStream(request, policy, world, run);
}

Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const StreamWorld& world, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  internal::StreamRun stream(request, policy, world, run);
  CORDON_TRY(StreamReport report, stream.Go());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (request.report) CORDON_RETURN_IF_ERROR(WriteFile(*request.report, Dump(ToJson(report)), AtomicFile::Access::kPrivate));
  return report;
}

}  // namespace cordon::engine
