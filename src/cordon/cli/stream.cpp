// SPDX-License-Identifier: Apache-2.0
//
// cordon stream [INPUT|-] --policy P.toml --output OUT|-
#include <chrono>

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/cli/seed.h"
#include "cordon/cli/tell.h"
#include "cordon/publish/stream/run_stream.h"

namespace cordon::engine {
namespace {

struct StreamArgs {
  StreamRequest request;
  PolicyFlags policy;
  std::string format;
  std::string output_format;
  std::optional<std::string> seed;
  bool insecure_seed = false;
  bool bounds = false;
  bool no_bounds = false;
  bool json = false;
};

// How far the stream is, on one line.
class StatusLine {
 public:
  explicit StatusLine(Console& console) : console_(&console) {}

  void Show(const StreamMetrics& m) {
    if (!console_->has_status()) return;
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    const double speed = seconds > 0 ? static_cast<double>(m.tuples - tuples_) / seconds : 0;
    last_ = now;
    tuples_ = m.tuples;
    console_->Status(
        fmt::format("{} in, {} out, {:.0f}/s, {} held in {} groups, delay p99 {}, loss {:.4f}, {} suppressed, {} dead",
                    m.tuples, m.released, speed, m.gauges.held, m.gauges.clusters, m.delay_tuples.Quantile(0.99),
                    m.information_loss(), m.suppressed, m.dead_letters));
  }

 private:
  Console* console_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::uint64_t tuples_ = 0;
};

Result<Answer> RunStreamCommand(const StreamArgs& args, Console& console, const Run& run) {
  StreamRequest request = args.request;
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.output_format, ParseFormat(args.output_format));
  if (args.bounds || args.no_bounds) request.bounds = args.bounds;
  if (args.seed) {
    CORDON_TRY(request.seed, ParseSeed(*args.seed));
    if (!args.insecure_seed) {
      return Error::InvalidPolicy(
                 "--seed is refused for streams: anyone who knows it can tell which group a tuple might have joined")
          .WithHint("leave it out, or add --insecure-seed for a test");
    }
  }
  CORDON_TRY(const Policy policy, args.policy.Read());
  if (request.output == "-") console.RowsFollow();
  StatusLine status(console);
  request.on_status = [&](const StreamMetrics& metrics, bool final) {
    if (!final) status.Show(metrics);
  };
  request.on_note = [&](const std::string& text) { console.Warn("{}", text); };
  CORDON_TRY(const StreamReport report, RunStream(request, policy, run));
  TellOfRun(request.output, args.json ? Dump(ToJson(report)) : Summary(report), args.json, console);
  TellOfFiles(FilesWritten(request), console);
  if (report.end == StreamDriver::End::kInterrupted) return Error::Cancelled();
  return Answer::kYes;
}

}  // namespace

Command AddStream(CLI::App& app) {
  auto args = std::make_shared<StreamArgs>();
  StreamRequest& request = args->request;
  CLI::App* parser = app.add_subcommand("stream", "Anonymize a stream, row by row, within a bounded delay");
  parser->add_option("INPUT", request.input, "Rows to anonymize, CSV or JSON Lines; - is standard input (default)");
  args->policy.AddTo(*parser, "What the columns are and what must hold (TOML), with [stream]");
  parser->add_option("-o,--output", request.output, "Where the rows go; - is standard output")->type_name("FILE")->required();
  parser->add_option("--format", args->format, "Input format, if the file name does not show it")->type_name("csv|jsonl");
  parser
      ->add_option("--output-format", args->output_format,
                   "Format of the output, if its name does not show it (default: the input's)")
      ->type_name("csv|jsonl");
  parser->add_option("--algorithm", request.algorithm, "Instead of the policy's")
      ->type_name(fmt::format("{}", fmt::join(StreamAlgorithmNames(), "|")));
  parser->add_option("--checkpoint", request.checkpoint, "Folder of checkpoints; a later run goes on from the last")
      ->type_name("DIR");
  parser->add_option("--checkpoint-every", request.checkpoint_every, "Records between two checkpoints; default 100000")
      ->check(CLI::PositiveNumber);
  parser->add_option("--resume-after", request.resume_after, "The last sequence number that the reader of a pipe has")
      ->type_name("N");
  parser->add_flag("--sequence", request.sequence, "Number the rows: a first column 'sequence'");
  parser->add_flag("--group-column", request.group_column, "Add a column with an opaque group name");
  parser->add_flag("--bounds", args->bounds, "Numbers and dates as two columns, age_lo and age_hi; default for jsonl");
  parser->add_flag("--no-bounds", args->no_bounds, "Numbers and dates as one column of texts, [lo,hi]; default for csv")
      ->excludes("--bounds");
  parser->add_option("--audit", request.audit, "Write what left when, for verify --stream; private")->type_name("FILE");
  parser
      ->add_option("--dead-letters", request.dead_letters,
                   "Rows that cannot be read or lie outside their domains; private; default OUT.dead-letters.csv")
      ->type_name("FILE");
  parser->add_option("--metrics", request.metrics, "Serve /metrics for Prometheus on HOST:PORT, or PORT of this machine")
      ->type_name("HOST:PORT");
  parser
      ->add_option("--sign", request.sign,
                   "Sign what is written with this private key (cordon keygen), at every checkpoint: OUT.certificate.jsonl")
      ->type_name("FILE");
  parser->add_option("--report", request.report, "Write the report as JSON")->type_name("FILE");
  parser
      ->add_option("--registry", request.registry,
                   "Look up what was published of these people, and enter the stream at its end")
      ->type_name("FILE");
  parser->add_flag("--force", request.force, "Replace files that are there");
  parser->add_option("--seed", args->seed, "A number that repeats a run: for tests only")->type_name("N");
  parser->add_flag("--insecure-seed", args->insecure_seed, "Allow --seed, though randomness protects here");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--format", "--algorithm"}},
           {"Output",
            {"--output", "--output-format", "--bounds", "--no-bounds", "--sequence", "--group-column", "--audit", "--sign",
             "--dead-letters", "--force"}},
           {"Earlier releases", {"--registry"}},
           {"Crashes", {"--checkpoint", "--checkpoint-every", "--resume-after"}},
           {"Watching", {"--metrics", "--report", "--json"}},
           {"Tests", {"--seed", "--insecure-seed"}}},
          {"cordon stream visits.csv -p visits.toml -o out.csv --audit log.jsonl",
           "tail -f visits.jsonl | cordon stream - --format jsonl -p visits.toml -o -",
           "cordon stream visits.csv -p visits.toml -o out.csv --checkpoint state --metrics 9199"});
  return {parser, [args](Console& console, const Run& run) { return RunStreamCommand(*args, console, run); }};
}

}  // namespace cordon::engine
