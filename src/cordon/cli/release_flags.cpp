// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/release_flags.h"

#include "cordon/cli/format_flag.h"
#include "cordon/cli/tell.h"
#include "cordon/publish/write_outputs.h"

namespace cordon::engine {

void ReleaseFlags::AddTo(CLI::App& parser, const std::string& inputs) {
  parser.add_option("INPUT", request.input.name, inputs)->required();
  policy.AddTo(parser, "What the columns are and what must hold (TOML)");
  parser.add_option("-o,--output", request.output, "Where the release goes; - is standard output")->type_name("FILE");
  parser.add_option("--format", format, "Input format, if the file name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser.add_option("--output-format", output_format, "Format of the release, if its name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx");
  parser.add_option("--registry", request.registry, "Look up what was published of these people, and enter the release")
      ->type_name("FILE");
  parser.add_option("--person-key", request.person_key, "Key of the digests by which the registry knows people")
      ->type_name("FILE");
  parser.add_option("--report", request.report, "Write the report as JSON; private")->type_name("FILE");
  parser.add_option("--row-map", request.row_map, "Write released row -> input row; private")->type_name("FILE");
  parser.add_option("--save-recoding", request.save_recoding, "Keep the published boxes for a later batch")->type_name("FILE");
  parser.add_option("--sign", request.sign, "Sign the manifest with this private key (cordon keygen)")->type_name("FILE");
  parser.add_flag("--force", request.force, "Replace files that are there");
  parser.add_flag("--dry-run", dry_run, "Do everything but write");
  parser.add_flag("--json", json, "Print the report as JSON");
}

Result<Answer> RunRelease(const ReleaseFlags& flags, const PublishFunction& publish, Console& console, const Run& run) {
  AnonymizeRequest request = flags.request;
  request.previous.tables.assign(flags.previous.begin(), flags.previous.end());
  CORDON_TRY(request.input_format, ParseFormat(flags.format));
  CORDON_TRY(request.output_format, ParseFormat(flags.output_format));
  if (flags.dry_run) {
    request.output.clear();
  } else if (request.output.empty()) {
    return Error::InvalidPolicy("where should the release go?")
        .WithHint("give --output FILE, --output - for standard output, or --dry-run");
  }
  if (!request.report && !request.html && !flags.json) request.measure.risk.reset();  // nobody would see it
  CORDON_TRY(const Policy policy, flags.policy.Read());
  TellOfSheets(request.input.name, request.input_format, console, run);
  if (request.output == "-") console.RowsFollow();
  CORDON_TRY(const Report report, publish(request, policy, run));
  for (const Warning& warning : report.warnings) console.Warn("warning: {}: {}", warning.code, warning.fix);
  TellOfRun(request.output, flags.json ? Dump(ToJson(report)) : Summary(report), flags.json, console);
  TellOfFiles(FilesWritten(request), console);
  return Answer::kYes;
}

}  // namespace cordon::engine
