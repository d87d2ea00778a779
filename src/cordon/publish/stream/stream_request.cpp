// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/stream/stream_request.h"

#include <fmt/ranges.h>

#include <filesystem>

#include "cordon/bind/bind_stream.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/plan/check_guarded.h"
#include "cordon/plan/check_supported.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/stream/stream_certificate.h"
#include "cordon/report/key_file.h"

namespace cordon::engine::internal {
namespace {

std::string DefaultDeadLetters(const StreamRequest& request) { return request.output + ".dead-letters.csv"; }

Result<void> CheckFlags(const StreamRequest& request) {
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
    return Error::InvalidPolicy("--resume-after is for pipes: {} is a file, and shows how far it is", request.output);
  }
  if (request.sign && pipe) {
    return Error::InvalidPolicy("--sign needs an output that is a file: what is signed stands in {}",
                                StreamCertificatePath("OUT"));
  }
  if (request.sign && !request.audit) {
    return Error::InvalidPolicy("--sign needs --audit").WithHint("the signature is over the chain of the audit log, too");
  }
  if (request.sign) CORDON_RETURN_IF_ERROR(ReadSigningKey(*request.sign));
  if (request.checkpoint_every == 0) return Error::InvalidPolicy("--checkpoint-every must be at least 1");
  for (const auto& [flag, path] : {std::pair{"--audit", request.audit}, std::pair{"--dead-letters", request.dead_letters},
                                   std::pair{"--report", request.report}, std::pair{"--checkpoint", request.checkpoint}}) {
    if (path && (path->empty() || *path == "-")) return Error::InvalidPolicy("{} needs a name", flag);
  }
  return {};
}

Result<void> CheckPaths(const StreamRequest& request, const Policy& policy) {
  std::vector<std::pair<std::string, std::string>> paths = FilesOfPolicy(policy);
  paths.insert(paths.begin(), {"the input", request.input});
  paths.emplace_back("--output", request.output);
  if (request.audit) paths.emplace_back("--audit", *request.audit);
  if (request.report) paths.emplace_back("--report", *request.report);
  if (request.checkpoint) paths.emplace_back("--checkpoint", *request.checkpoint);
  if (request.sign) {
    paths.emplace_back("--sign", *request.sign);
    paths.emplace_back("the certificate", StreamCertificatePath(request.output));
  }
  if (request.registry) paths.emplace_back("--registry", *request.registry);
  if (request.dead_letters) {
    paths.emplace_back("--dead-letters", *request.dead_letters);
  } else if (!IsPipe(request.output)) {
    paths.emplace_back("the dead letters", DefaultDeadLetters(request));
  }
  return CheckDistinct(paths);
}

bool HasLines(FileFormat format) { return format == FileFormat::kCsv || format == FileFormat::kJsonLines; }

// Rows of a stream are read and written one by one, as lines.
Error NoLines(const char* doing, const std::string& path, const char* what) {
  return Error::InvalidPolicy("{} {}: a stream is CSV or JSON Lines, not {}", doing, path, what)
      .WithHint("cordon anonymize takes Parquet and SQL; cordon stream takes lines, also from a pipe");
}

}  // namespace

bool IsPipe(const std::string& output) { return output == "-" || IsSpecialFile(output); }

std::optional<std::string> DeadLettersPath(const StreamRequest& request) {
  if (!request.dead_letters && IsPipe(request.output)) return std::nullopt;
  return request.dead_letters.value_or(DefaultDeadLetters(request));
}

Result<void> CheckStreamPolicy(const Policy& policy) {
  if (!policy.stream) {
    const std::vector<std::string> missing = MissingDeclarations(policy);
    return Error::InvalidPolicy("{}: a stream needs the table [stream]{}{}", policy.name, missing.empty() ? "" : "; ",
                                fmt::join(missing, "; "))
        .WithHint("at least: [stream] with delay = 10000, the tuples that may arrive before one must have left");
  }
  CORDON_RETURN_IF_ERROR(CheckStandsAlone(policy));
  CORDON_RETURN_IF_ERROR(CheckGuarded(policy));
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

Result<void> CheckRequest(const StreamRequest& request, const Policy& policy) {
  CORDON_RETURN_IF_ERROR(CheckStreamPolicy(policy));
  CORDON_RETURN_IF_ERROR(CheckFlags(request));
  CORDON_RETURN_IF_ERROR(CheckPaths(request, policy));
  if (request.report && !request.force) CORDON_RETURN_IF_ERROR(CheckReplaces(*request.report, kJsonReportMark));
  Outputs tried;
  return request.report ? tried.Reserve(*request.report, AtomicFile::Access::kPrivate) : Result<void>();
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
  if (!HasLines(options.format)) return NoLines("reading", request.input, FormatName(options.format));
  if (by_path.tabs && options.text.delimiter == ",") options.text.delimiter = "\t";
  if (options.format == FileFormat::kJsonLines) options.columns = StreamColumns(policy);
  options.drop_unknown = policy.stream && policy.stream->drop_unknown;
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
  if (!HasLines(options.format)) return NoLines("writing", request.output, FormatName(options.format));
  options.bounds = request.bounds.value_or(options.format == FileFormat::kJsonLines);
  return options;
}

}  // namespace cordon::engine::internal

namespace cordon::engine {

WrittenFiles FilesWritten(const StreamRequest& request) {
  WrittenFiles files;
  if (request.output != "-") files.open.push_back(request.output);
  if (request.sign) files.open.push_back(StreamCertificatePath(request.output));
  if (request.report) files.secret.push_back(*request.report);
  if (request.audit) files.secret.push_back(*request.audit);
  const std::optional<std::string> dead = internal::DeadLettersPath(request);
  std::error_code code;
  if (dead && std::filesystem::exists(*dead, code)) files.secret.push_back(*dead);
  if (request.checkpoint) files.secret.push_back(*request.checkpoint);
  return files;
}

}  // namespace cordon::engine
