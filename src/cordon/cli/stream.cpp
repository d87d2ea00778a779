// SPDX-License-Identifier: Apache-2.0
//
// cordon stream [INPUT|-] --policy P.toml --output OUT|-
#include <unistd.h>

#include <chrono>

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/seed.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/stream/run_stream.h"

namespace cordon::engine {
namespace {

struct StreamArgs {
  StreamRequest request;
  std::string policy;
  std::string format;
  std::string output_format;
  std::optional<std::string> seed;
  bool insecure_seed = false;
  bool json = false;
};

// One line at the bottom of a terminal, redrawn in place; nothing elsewhere.
class StatusLine {
 public:
  ~StatusLine() { Clear(); }

  void Show(const StreamMetrics& m) {
    if (!terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    const double speed = seconds > 0 ? static_cast<double>(m.tuples - tuples_) / seconds : 0;
    last_ = now;
    tuples_ = m.tuples;
    drawn_ = true;
    (void)WriteAll(
        STDERR_FILENO,
        fmt::format("\r\x1b[K{} in, {} out, {:.0f}/s, {} held in {} groups, delay p99 {}, loss {:.4f}, {} suppressed, "
                    "{} dead",
                    m.tuples, m.released, speed, m.gauges.held, m.gauges.clusters, m.delay_tuples.Quantile(0.99),
                    m.information_loss(), m.suppressed, m.dead_letters));
  }
  void Clear() {
    if (drawn_) (void)WriteAll(STDERR_FILENO, "\r\x1b[K");
    drawn_ = false;
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::uint64_t tuples_ = 0;
};

Result<Answer> RunStreamCommand(const StreamArgs& args, Console& console, const Run& run) {
  StreamRequest request = args.request;
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.output_format, ParseFormat(args.output_format));
  if (args.seed) {
    CORDON_TRY(request.seed, ParseSeed(*args.seed));
    if (!args.insecure_seed) {
      return Error::InvalidPolicy(
                 "--seed is refused for streams: whoever knows it can tell which group a tuple might have joined")
          .WithHint("leave it out, or add --insecure-seed for a test");
    }
  }
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  StatusLine status;
  request.on_status = [&](const StreamMetrics& metrics, bool final) { final ? status.Clear() : status.Show(metrics); };
  request.on_note = [&](const std::string& text) {
    status.Clear();
    console.Note("{}", text);
  };
  CORDON_TRY(const StreamReport report, RunStream(request, policy, run));
  const std::string text = args.json ? Dump(ToJson(report)) : Summary(report);
  if (request.output == "-") {
    console.Err(text);
  } else {
    console.Out(text);
  }
  if (report.end == StreamDriver::End::kInterrupted) return Error::Cancelled();
  return Answer::kYes;
}

}  // namespace

Command AddStream(CLI::App& app) {
  auto args = std::make_shared<StreamArgs>();
  StreamRequest& request = args->request;
  CLI::App* parser = app.add_subcommand("stream", "Anonymize a stream, row by row, within a bounded delay");
  parser->add_option("INPUT", request.input, "Rows to anonymize, CSV or JSON Lines; - is standard input (default)");
  parser->add_option("--policy", args->policy, "What the columns are and what must hold (TOML), with [stream]")->required();
  parser->add_option("--output", request.output, "Where the rows go; - is standard output")->required();
  parser->add_option("--format", args->format, "Format of the input where its name does not tell: csv, jsonl");
  parser->add_option("--output-format", args->output_format,
                     "Format of the output where its name does not tell; default: the input's");
  parser->add_option("--algorithm", request.algorithm, "Instead of the policy's");
  parser->add_option("--checkpoint", request.checkpoint, "Folder of checkpoints; a later run goes on from the last");
  parser->add_option("--checkpoint-every", request.checkpoint_every, "Records between two checkpoints; default 100000")
      ->check(CLI::PositiveNumber);
  parser->add_option("--resume-after", request.resume_after, "The last sequence number that the reader of a pipe has");
  parser->add_flag("--sequence", request.sequence, "Number the rows: a first column 'sequence'");
  parser->add_flag("--group-column", request.group_column, "Add a column with an opaque group name");
  parser->add_option("--audit", request.audit, "Write what left when, for verify --stream; private");
  parser->add_option("--dead-letters", request.dead_letters,
                     "Rows that cannot be read or lie outside their domains; private; default OUT.dead-letters.csv");
  parser->add_option("--metrics", request.metrics, "Serve /metrics for Prometheus on HOST:PORT, or PORT of this machine");
  parser->add_option("--sign", request.sign,
                     "Sign what is written by this private key (cordon keygen), at every checkpoint: OUT.certificate.jsonl");
  parser->add_option("--report", request.report, "Write the report as JSON");
  parser->add_option("--registry", request.registry,
                     "Look up what was published of these people, and enter the stream at its end");
  parser->add_flag("--force", request.force, "Replace files that are there");
  parser->add_option("--seed", args->seed, "A number that repeats a run: for tests only");
  parser->add_flag("--insecure-seed", args->insecure_seed, "Allow --seed, though randomness protects here");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  return {parser, [args](Console& console, const Run& run) { return RunStreamCommand(*args, console, run); }};
}

}  // namespace cordon::engine
