// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/run_stream.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "cordon/io/atomic_file.h"
#include "cordon/io/duckdb.h"
#include "cordon/publish/bind_stream.h"
#include "cordon/publish/feasible.h"
#include "cordon/publish/outputs.h"
#include "cordon/publish/unused_keys.h"
#include "cordon/stream/audit_log.h"
#include "cordon/stream/metrics_server.h"

namespace cordon {
namespace {

constexpr std::size_t kKeepOfFiles = 2;
constexpr std::size_t kKeepOfPipes = 8;  // a reader may be some checkpoints behind

bool IsPipe(const std::string& output) { return output == "-" || IsSpecialFile(output); }

Result<void> CheckRequest(const StreamRequest& request, const Policy& policy) {
  if (!policy.stream) {
    return Error::InvalidPolicy("{}: a stream needs the table [stream]", policy.name)
        .WithHint("at least: [stream] with delay = 10000, the tuples that may arrive before one must have left");
  }
  const bool pipe = IsPipe(request.output);
  if (request.checkpoint && pipe && !request.sequence) {
    return Error::InvalidPolicy("--checkpoint with --output {} needs --sequence", request.output)
        .WithHint("--sequence numbers the rows, so that after a crash --resume-after N can leave out those the reader has");
  }
  if (request.resume_after && !request.checkpoint) {
    return Error::InvalidPolicy("--resume-after needs --checkpoint")
        .WithHint("without a checkpoint the same rows cannot be made again: tuples would be published twice, in other groups");
  }
  if (request.resume_after && !pipe) {
    return Error::InvalidPolicy("--resume-after is for pipes: {} is a file, and tells by itself how far it is", request.output);
  }
  if (request.checkpoint_every == 0) return Error::InvalidPolicy("--checkpoint-every must be at least 1");
  for (const auto& [flag, path] : {std::pair{"--audit", request.audit}, std::pair{"--dead-letters", request.dead_letters},
                                   std::pair{"--report", request.report}, std::pair{"--checkpoint", request.checkpoint}}) {
    if (path && (path->empty() || *path == "-")) return Error::InvalidPolicy("{} needs a name", flag);
  }
  if (policy.algorithm.suppressed == Suppression::kStar) {
    return Error::InvalidPolicy("{}:{}: suppressed = \"star\" is for tables", policy.name, policy.algorithm.line)
        .WithHint("streams have \"drop\", \"blank\" and \"pool\"");
  }
  if (policy.algorithm.suppressed == Suppression::kPool && policy.stream->order == StreamPolicy::Order::kArrival) {
    return Error::InvalidPolicy("{}:{}: order = \"arrival\" does not go with suppressed = \"pool\"", policy.name,
                                policy.stream->line)
        .WithHint("a pooled tuple waits for long, and every later row would wait with it");
  }
  return {};
}

std::string DefaultDeadLetters(const StreamRequest& request) { return request.output + ".dead-letters.csv"; }

// Nothing where they are only told of.
std::optional<std::string> DeadLettersPath(const StreamRequest& request) {
  if (!request.dead_letters && IsPipe(request.output)) return std::nullopt;
  return request.dead_letters.value_or(DefaultDeadLetters(request));
}

Result<void> CheckPaths(const StreamRequest& request, const Policy& policy) {
  std::vector<std::pair<std::string, std::string>> paths = {
      {"the input", request.input}, {"the policy", policy.name}, {"--output", request.output}};
  if (request.audit) paths.emplace_back("--audit", *request.audit);
  if (request.report) paths.emplace_back("--report", *request.report);
  if (request.dead_letters) {
    paths.emplace_back("--dead-letters", *request.dead_letters);
  } else if (!IsPipe(request.output)) {
    paths.emplace_back("the dead letters", DefaultDeadLetters(request));
  }
  return CheckDistinct(paths);
}

// Rows of a stream are read and written one by one, as lines.
Error NoLines(const char* doing, const std::string& path, const char* what) {
  return Error::InvalidPolicy("{} {}: a stream is CSV or JSON Lines, not {}", doing, path, what)
      .WithHint("cordon anonymize takes Parquet and SQL; cordon stream takes lines, also from a pipe");
}

Result<RecordOptions> InputOptions(const StreamRequest& request, const Policy& policy) {
  if (IsSql(request.input)) return NoLines("reading", "sql:...", "a query");
  RecordOptions options;
  options.text = policy.data.text;
  PathFormat by_path;
  if (auto found = FormatOfPath(request.input); found.ok()) {
    by_path = found.value();
  } else if (!request.input_format) {
    return std::move(found).error().WithContext("reading {}", request.input);
  }
  options.format = request.input_format.value_or(by_path.format);
  if (options.format == FileFormat::kParquet) return NoLines("reading", request.input, "Parquet");
  if (by_path.tabs && options.text.delimiter == ",") options.text.delimiter = "\t";
  if (options.format == FileFormat::kJsonLines) options.columns = StreamColumns(policy);
  return options;
}

Result<RowOptions> OutputOptions(const StreamRequest& request, const Policy& policy, FileFormat input) {
  RowOptions options;
  options.text = policy.data.text;
  options.sequence = request.sequence;
  options.group_column = request.group_column;
  CORDON_TRY(const PathFormat by_path, FormatOfPath(request.output).WithContext("writing {}", request.output));
  if (by_path.compression != Compression::kNone) {
    return Error::InvalidPolicy("writing {}: a stream is written plain, so that it can be read while it grows", request.output);
  }
  if (by_path.tabs && options.text.delimiter == ",") options.text.delimiter = "\t";
  options.format = request.output_format.value_or(IsPipe(request.output) ? input : by_path.format);
  if (options.format == FileFormat::kParquet) return NoLines("writing", request.output, "Parquet");
  return options;
}

// One run's parts, in the order in which they are made.
class StreamRun {
 public:
  StreamRun(const StreamRequest& request, const Policy& policy, const StreamWorld& world, const Run& run)
      : request_(request), policy_(policy), world_(world), run_(run), files_(*world.files) {}

  Result<StreamReport> Go();

 private:
  Result<void> OpenInput();
  Result<void> ChooseAlgorithm();
  Result<void> MakeRandom();
  Result<void> FindCheckpoint();
  Result<void> CheckSnapshot() const;
  Result<void> MakeEngine();
  Result<void> CheckLengths() const;
  Result<void> OpenOutputs();
  Result<std::unique_ptr<WritableFile>> OpenDurably(const std::string& path, FileLayer::Access access, std::uint64_t keep);
  Result<StreamReport> Drive();
  Result<void> CheckResumed(const StreamReport& report) const;
  Result<void> CheckEnded();
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
  FileLayer& files_;

  std::unique_ptr<LiveInput> input_;
  RecordOptions record_options_;
  std::unique_ptr<RecordReader> reader_;
  StreamLayout layout_;
  std::optional<RowFormat> rows_;
  RowOptions row_options_;
  const StreamAlgorithmEntry* algorithm_ = nullptr;
  std::optional<Random> random_;
  std::optional<CheckpointFolder> folder_;
  std::optional<TickJournal> ticks_;
  std::optional<StreamSnapshot> snapshot_;
  std::unique_ptr<StreamEngine> engine_;
  std::optional<StreamVerifier> verifier_;
  std::optional<PersonKey> persons_;
  std::optional<RowSink> sink_;
  DriverFiles logs_;
};

Result<void> StreamRun::OpenInput() {
  CORDON_TRY(record_options_, InputOptions(request_, policy_));
  CORDON_TRY(input_, world_.open(request_.input));
  CORDON_TRY(reader_, RecordReader::Open(*input_, record_options_, run_.stop).WithContext("reading {}", request_.input));
  CORDON_TRY(layout_, BindStream(policy_, reader_->columns()).WithContext("binding {} to {}", request_.input, policy_.name));
  CORDON_TRY(row_options_, OutputOptions(request_, policy_, record_options_.format));
  row_options_.group_column = row_options_.group_column || algorithm_->group_column;
  CORDON_TRY(rows_, RowFormat::Make(layout_, row_options_));
  return {};
}

Result<void> StreamRun::ChooseAlgorithm() {
  algorithm_ = world_.algorithm;
  if (algorithm_ != nullptr) return {};
  const std::string& name = request_.algorithm.empty() ? policy_.algorithm.name : request_.algorithm;
  CORDON_TRY(algorithm_, ChooseStreamAlgorithm(name, policy_));
  return {};
}

// What a checkpoint must have been made with to be continued, beside policy and columns.
std::string StreamRun::Options() const {
  return fmt::format("algorithm {}, input {}, output {}, sequence {}, group column {}, audit {}, dead letters {}",
                     algorithm_->name, record_options_.format == FileFormat::kCsv ? "csv" : "jsonl",
                     row_options_.format == FileFormat::kCsv ? "csv" : "jsonl", request_.sequence, row_options_.group_column,
                     request_.audit.has_value(), request_.dead_letters.has_value() || !IsPipe(request_.output));
}

Result<void> StreamRun::CheckSnapshot() const {
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    return Error::InvalidPolicy("the checkpoint in {} was made with {}", *request_.checkpoint, what).WithHint("{}", hint);
  };
  const std::string anew =
      "go on as it was begun; a second start would publish its tuples again, in other groups: it is for input that was not "
      "published yet";
  if (snapshot_->policy != policy_.digest) return refuse("another policy", anew);
  if (snapshot_->columns != Columns()) return refuse("other columns of the input", anew);
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
    return Error::InvalidPolicy("{} holds a checkpoint: what has the reader of the output got?", *request_.checkpoint)
        .WithHint("--resume-after N, N being the last sequence number it has; 0 for none");
  }
  CORDON_TRY(snapshot_, folder_->Latest(request_.resume_after));
  if (!snapshot_) {
    return Error::InvalidData("no checkpoint in {} goes back to row {}", *request_.checkpoint, *request_.resume_after)
        .WithHint("the rows behind it were handed on before the oldest checkpoint that is kept");
  }
  return CheckSnapshot();
}

Result<void> StreamRun::MakeRandom() {
  if (snapshot_) {
    CORDON_TRY(random_, Random::Restore(snapshot_->random));
  } else {
    random_ = request_.seed ? Random::FromSeed(*request_.seed) : Random::FromOperatingSystem();
  }
  return {};
}

Result<void> StreamRun::MakeEngine() {
  const StreamSchema schema = layout_.Schema();
  CORDON_TRY(engine_, algorithm_->make(schema, policy_, random_->Substream(algorithm_->name)));
  CORDON_TRY(verifier_, StreamVerifier::Make(schema, policy_.models, algorithm_->verifier(policy_)));
  Random key = random_->Substream("persons");
  const std::uint64_t words[] = {key.Next(), key.Next()};
  PersonKey::Bytes bytes;
  static_assert(sizeof bytes == sizeof words);
  std::memcpy(bytes.data(), words, sizeof words);
  persons_.emplace(bytes);
  RowSinkOptions options;
  options.order =
      policy_.stream->order == StreamPolicy::Order::kArrival ? RowSinkOptions::Order::kArrival : RowSinkOptions::Order::kReady;
  options.blank_suppressed = policy_.algorithm.suppressed == Suppression::kBlank;
  options.resume_after = request_.resume_after.value_or(0);
  sink_.emplace(*rows_, options, random_->Substream("groups"));
  return {};
}

// A checkpoint will rely on the file: its name has to survive as well.
Result<std::unique_ptr<WritableFile>> StreamRun::OpenDurably(const std::string& path, FileLayer::Access access,
                                                             std::uint64_t keep) {
  CORDON_TRY(auto file, files_.Append(path, access, keep));
  if (folder_) {
    const std::string parent = std::filesystem::path(path).parent_path().string();
    CORDON_RETURN_IF_ERROR(files_.SyncFolder(parent.empty() ? "." : parent));
  }
  return file;
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
  if (folder_) CORDON_RETURN_IF_ERROR(folder_->ForgetLater());
  if (request_.output == "-") {
    logs_.out = AppendLog(StandardOutput(), out_length);
  } else {
    CORDON_TRY(auto file, OpenDurably(request_.output, FileLayer::Access::kPublic, out_length));
    logs_.out = AppendLog(std::move(file), out_length);
  }
  const bool has_header = pipe ? request_.resume_after.value_or(0) > 0 : out_length > 0;
  if (!has_header) logs_.out.buffer() += rows_->header();

  if (request_.audit) {
    const std::uint64_t length = snapshot_ ? snapshot_->audit_length : 0;
    CORDON_TRY(auto file, OpenDurably(*request_.audit, FileLayer::Access::kPrivate, length));
    logs_.audit = AppendLog(std::move(file), length);
    if (length == 0) AppendAuditHead(policy_.digest, rows_->columns(), logs_.audit.buffer());
  }
  const std::optional<std::string> dead_path = DeadLettersPath(request_);
  if (!dead_path) return {};
  const std::uint64_t length = snapshot_ ? snapshot_->dead_length : 0;
  if (length == 0 && !request_.dead_letters) CORDON_RETURN_IF_ERROR(files_.Remove(*dead_path));
  const auto open = [this, length, path = *dead_path] { return OpenDurably(path, FileLayer::Access::kPrivate, length); };
  if (request_.dead_letters || length > 0) {
    CORDON_TRY(auto file, open());
    logs_.dead = AppendLog(std::move(file), length);
  } else {
    logs_.dead = AppendLog(open);  // a file that appears with its first letter
  }
  return {};
}

StreamReport StreamRun::ReportOf(const StreamMetrics& metrics) const {
  StreamReport report;
  report.algorithm = algorithm_->name;
  report.privacy = policy_.models;
  for (const DeclaredAxis& axis : layout_.axes) report.quasi.push_back(axis.axis().name);
  report.metrics = metrics;
  if (metrics.dead_letters > 0) report.dead_letters = DeadLettersPath(request_).value_or("");
  report.resumed_from = snapshot_ ? snapshot_->metrics.records : 0;
  report.tuples_here = metrics.tuples - (snapshot_ ? snapshot_->metrics.tuples : 0);
  report.peak_rss_mb = PeakRssMb();
  return report;
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
  StreamDriver driver(layout_, *engine_, *verifier_, *sink_, logs_, files_, folder_ ? &*folder_ : nullptr,
                      ticks_ ? &*ticks_ : nullptr, options);
  MetricsBoard board;
  std::unique_ptr<MetricsServer> server;
  if (request_.metrics) {
    CORDON_TRY(server, MetricsServer::Start(*request_.metrics, board));
    Note(fmt::format("metrics: http://{}/metrics", server->address()));
  }
  driver.on_status = [&](const StreamMetrics& metrics, bool final) {
    board.Post(metrics);
    if (request_.on_status) request_.on_status(metrics, final);
  };
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
  const EventClock clock(policy_.stream->lateness_ms, snapshot_ ? snapshot_->event_clock : kNoTime);
  TupleCoder coder(layout_, *rows_, *persons_, clock);
  Pump pump(*reader_, coder);
  CORDON_TRY(const StreamDriver::End end, driver.Run(pump, run_.stop));
  StreamReport report = ReportOf(driver.metrics());
  report.end = end;
  report.warnings = engine_->warnings();
  for (StreamWarning& warning : UnusedKeys(policy_, *algorithm_)) report.warnings.push_back(std::move(warning));
  return report;
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
        .WithHint("nothing was done; a new stream needs a checkpoint folder of its own");
  }
  if (input_->live()) return {};
  CORDON_RETURN_IF_ERROR(reader_->SkipTo(snapshot_->input, run_.stop).WithContext("reading {}", request_.input));
  InputRecord record;
  CORDON_TRY(const RecordReader::Next next, reader_->Read(record, true, run_.stop));
  if (next != RecordReader::Next::kRecord) return {};
  return Error::InvalidData("the checkpoint in {} is of a stream that has ended, and {} has grown since", *request_.checkpoint,
                            request_.input)
      .WithHint(
          "nothing was done; put the new rows in a file of their own, with a checkpoint folder and an output of their own");
}

Result<StreamReport> StreamRun::Go() {
  CORDON_RETURN_IF_ERROR(CheckRequest(request_, policy_));
  CORDON_RETURN_IF_ERROR(CheckPaths(request_, policy_));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy_));  // or all of the stream would be suppressed
  CORDON_RETURN_IF_ERROR(ChooseAlgorithm());
  CORDON_RETURN_IF_ERROR(OpenInput());
  CORDON_RETURN_IF_ERROR(FindCheckpoint());
  if (snapshot_ && snapshot_->finished) {
    StreamReport report = ReportOf(snapshot_->metrics);
    report.had_ended = true;
    report.dead_letters_gone = !report.dead_letters.empty() && !files_.Size(report.dead_letters);
    CORDON_RETURN_IF_ERROR(CheckEnded());
    CORDON_RETURN_IF_ERROR(CheckResumed(report));
    return report;
  }
  CORDON_RETURN_IF_ERROR(MakeRandom());
  CORDON_RETURN_IF_ERROR(MakeEngine());
  if (folder_ && input_->live() && policy_.stream->delay_ms) {
    CORDON_TRY(ticks_, TickJournal::Open(files_, folder_->path()));
  }
  CORDON_TRY(StreamReport report, Drive());
  CORDON_RETURN_IF_ERROR(CheckResumed(report));
  return report;
}

double Rounded(double value, double unit) { return std::round(value / unit) * unit; }

Json Quantiles(const Histogram& delays) {
  return {{"p50", delays.Quantile(0.5)}, {"p90", delays.Quantile(0.9)}, {"p99", delays.Quantile(0.99)}, {"max", delays.max()}};
}

const char* EndName(const StreamReport& report) {
  switch (report.end) {
    case StreamDriver::End::kEnded: return "end of input";
    case StreamDriver::End::kInterrupted: return "interrupted";
    case StreamDriver::End::kClosed: return "output closed";
  }
  return "";
}

}  // namespace

Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const Run& run) {
  StreamWorld world;
  world.files = &PosixFiles();
  return RunStream(request, policy, world, run);
}

Result<StreamReport> RunStream(const StreamRequest& request, const Policy& policy, const StreamWorld& world, const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  StreamRun stream(request, policy, world, run);
  CORDON_TRY(StreamReport report, stream.Go());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (request.report) CORDON_RETURN_IF_ERROR(WriteFile(*request.report, Dump(ToJson(report))));
  return report;
}

Json ToJson(const StreamReport& report) {
  const StreamMetrics& m = report.metrics;
  Json json = {{"format", 1},
               {"algorithm", report.algorithm},
               {"ended_by", EndName(report)},
               {"records", m.records},
               {"tuples", m.tuples},
               {"dead_letters", m.dead_letters},
               {"dropped", m.dropped},
               {"released", m.released},
               {"reused", m.reused},
               {"pooled", m.pooled},
               {"suppressed", m.suppressed},
               {"rows", m.rows},
               {"groups", m.groups},
               {"group_size", {{"min", m.least_group}, {"max", m.most_group}}},
               {"privacy", Json::array()}};
  for (const ModelSpec& spec : report.privacy) {
    Json model = ToJson(spec);
    model["text"] = Describe(spec);
    model["holds"] = true;  // of every group, or the run would have stopped
    json["privacy"].push_back(std::move(model));
  }
  Json per_attribute = Json::object();
  for (std::size_t i = 0; i < report.quasi.size() && i < m.axis_losses.size(); ++i) {
    per_attribute[report.quasi[i]] =
        m.left() == 0 ? 0 : (m.axis_losses[i] + static_cast<double>(m.suppressed)) / static_cast<double>(m.left());
  }
  json["utility"] = {
      {"information_loss", m.information_loss()}, {"released_loss", m.released_loss()}, {"per_attribute", per_attribute}};
  json["delay_tuples"] = Quantiles(m.delay_tuples);
  if (m.delay_ms.count() > 0) json["delay_ms"] = Quantiles(m.delay_ms);
  for (const StreamWarning& warning : report.warnings) {
    json["warnings"].push_back({{"code", warning.code}, {"columns", warning.columns}, {"fix", warning.fix}});
  }
  json["checkpoints"] = m.checkpoints;
  if (report.resumed_from > 0) json["resumed_from"] = report.resumed_from;
  json["seconds"] = Rounded(report.seconds, 1e-4);
  json["tuples_per_second"] = report.seconds > 0 ? std::round(static_cast<double>(report.tuples_here) / report.seconds) : 0;
  json["peak_rss_mb"] = Rounded(report.peak_rss_mb, 0.1);
  return json;
}

std::string Summary(const StreamReport& report) {
  const StreamMetrics& m = report.metrics;
  std::string text;
  if (report.had_ended) text += "the stream had ended already: nothing was done\n";
  text += fmt::format("{} tuples, {} released in {} groups, {} suppressed, by {}\n", m.tuples, m.released, m.groups,
                      m.suppressed, report.algorithm);
  if (m.reused > 0) text += fmt::format("{} of them joined a group that was published before\n", m.reused);
  if (m.dropped > 0) text += fmt::format("{} row{} with missing cells dropped\n", m.dropped, m.dropped == 1 ? "" : "s");
  if (m.dead_letters > 0) {
    text += fmt::format("{} dead letter{}{}{}\n", m.dead_letters, m.dead_letters == 1 ? "" : "s",
                        report.dead_letters.empty() ? ", not kept: give --dead-letters FILE" : " in " + report.dead_letters,
                        report.dead_letters_gone ? ", which is there no more" : "");
  }
  for (const ModelSpec& spec : report.privacy) text += fmt::format("{}: holds in every group\n", Describe(spec));
  text += fmt::format("information loss {:.4f}, of released rows {:.4f}\n", m.information_loss(), m.released_loss());
  text += fmt::format("delay in tuples: median {}, 99 % {}, most {}\n", m.delay_tuples.Quantile(0.5),
                      m.delay_tuples.Quantile(0.99), m.delay_tuples.max());
  for (const StreamWarning& warning : report.warnings) text += fmt::format("warning: {}\n", warning.fix);
  if (report.end == StreamDriver::End::kInterrupted) text += "interrupted\n";
  return text;
}

}  // namespace cordon
