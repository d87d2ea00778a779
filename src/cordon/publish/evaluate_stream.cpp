// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/evaluate_stream.h"

#include <algorithm>

#include "cordon/bind/join_bounds.h"
#include "cordon/bind/read_release.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/open_source.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/publish/release_files.h"
#include "cordon/stream/audit_log.h"

namespace cordon::engine {
namespace {

struct WholeLog {
  std::vector<AuditedDeparture> departures;
  AuditedEnd end;
};

Result<WholeLog> ReadWholeLog(const std::string& text, const Policy& policy) {
  WholeLog log;
  AuditReader reader;
  reader.on_head = [&](std::string_view digest) -> Result<void> {
    if (digest == policy.digest) return {};
    return Error::InvalidPolicy("the audit log belongs to another policy than {}", policy.name)
        .WithHint("give the policy that the stream ran with");
  };
  reader.on_departure = [&](const AuditedDeparture& departure) -> Result<void> {
    log.departures.push_back(departure);
    return {};
  };
  CORDON_TRY(const std::optional<AuditedEnd> end, ReadAudit(text, reader).WithContext("reading the audit log"));
  if (!end) {
    return Error::InvalidData("the audit log has no end: the stream still runs, or was interrupted")
        .WithHint("let cordon stream finish, then evaluate its output");
  }
  log.end = *end;
  return log;
}

Column RowsOf(const Column& column, std::span<const std::size_t> rows, const Run& run) {
  if (column.codes.empty()) return column;
  return {column.name, column.dictionary,
          Codes::Generate(rows.size(), run.threads, [&](std::size_t row) { return column.codes[rows[row]]; })};
}

// Tuples from `first` on, as a table of their own with the domains of the whole.
Microdata TuplesOf(const Microdata& original, std::size_t first, std::size_t size, const Run& run) {
  std::vector<std::size_t> rows(size);
  for (std::size_t row = 0; row < size; ++row) rows[row] = first + row;
  Microdata part;
  part.num_rows = part.num_persons = size;
  for (const MicrodataColumn& column : original.columns) {
    MicrodataColumn own{column.attribute, {}, RowsOf(column.text, rows, run)};
    if (!column.codes.empty()) {
      own.codes = Codes::Generate(size, run.threads, [&](std::size_t row) { return column.codes[rows[row]]; });
    }
    part.columns.push_back(std::move(own));
  }
  return part;
}

Release PublishedOf(const Release& whole, std::span<const std::size_t> rows, std::size_t tuples, const Run& run) {
  Release part;
  part.num_rows = rows.size();
  for (const ReleaseColumn& column : whole.columns) part.columns.push_back({column.attribute, RowsOf(column.text, rows, run)});
  part.input_size = tuples;
  part.suppressed = tuples - rows.size();
  part.starred = 0;
  return part;
}

// The output without what a stream adds to it.
Result<Table> ReadOutput(const EvaluateStreamRequest& request, const std::string& log, const Policy& policy, const Run& run) {
  TextFormat text = policy.data.text;
  text.encoding = Encoding::kUtf8;
  text.skip = 0;
  if (!text.columns.empty()) {
    CORDON_TRY(text.columns, AuditedColumns(log).WithContext("reading {}", request.audit));
  }
  CORDON_TRY(const UpperEnds ends, AuditedUpperEnds(log).WithContext("reading {}", request.audit));
  CORDON_TRY(Table table, ReadTableFile(request.output, text, request.format, run));
  CORDON_TRY(table, JoinBounds(std::move(table), ends).WithContext("reading {}", request.output));
  std::erase_if(table.columns,
                [&](const Column& column) { return column.name == "sequence" && policy.Find("sequence") == nullptr; });
  return table;
}

Result<std::int64_t> WindowSize(const EvaluateStreamRequest& request, const Policy& policy) {
  const std::optional<std::int64_t> size = request.window ? request.window : policy.stream->delay_tuples;
  if (!size) {
    return Error::InvalidPolicy("how many tuples has a window? {} has no delay in tuples", policy.name)
        .WithHint("give --windows N");
  }
  if (*size < 1) return Error::InvalidPolicy("--windows is {}, it must be at least 1", *size);
  return *size;
}

}  // namespace

Result<StreamEvaluation> EvaluateStream(const EvaluateStreamRequest& request, const Policy& policy, const Run& run) {
  if (!policy.stream) return Error::InvalidPolicy("{} has no table [stream]", policy.name);
  CORDON_RETURN_IF_ERROR(request.queries.Validate());
  StreamEvaluation made;
  CORDON_TRY(made.window, WindowSize(request, policy));
  CORDON_TRY(const Microdata original, ReadOriginal(request.original, policy, run));
  CORDON_TRY(const std::string text, ReadFile(request.audit, UINT64_MAX));
  CORDON_TRY(const WholeLog log, ReadWholeLog(text, policy));
  CORDON_TRY(const Table output, ReadOutput(request, text, policy, run));
  CORDON_TRY(const Release release, ReadRelease(policy, output, &original, run).WithContext("reading {}", request.output));
  const std::vector<AuditedRow> rows = AuditedRows(log.departures, policy.algorithm.suppressed == Suppression::kBlank,
                                                   policy.stream->order == StreamPolicy::Order::kArrival);
  if (rows.size() != release.num_rows) {
    return Error::InvalidData("{} has {} rows, {} accounts for {}", request.output, release.num_rows, request.audit,
                              rows.size())
        .WithHint("cordon verify --stream tells what is wrong");
  }
  const auto tuples = static_cast<std::int64_t>(original.num_rows);
  if (log.end.positions != tuples) {
    return Error::InvalidData("{} has {} rows, the stream took {}: which row is which tuple cannot be told",
                              request.original.name, tuples, log.end.positions)
        .WithHint("give the input of the stream, without the rows of its dead letters");
  }
  const std::int64_t size = std::min(made.window, std::max<std::int64_t>(tuples, 1));
  std::vector<std::vector<std::size_t>> rows_of(static_cast<std::size_t>(tuples / size));
  made.left_out = static_cast<std::uint64_t>(tuples % size);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].position < 1 || rows[row].position > tuples) {
      return Error::InvalidData("the audit log names tuple {}, which never arrived", rows[row].position);
    }
    if (log.departures[rows[row].departure].kind == Departure::Kind::kSuppressed) continue;  // shown blank: tells nothing
    const auto window = static_cast<std::size_t>((rows[row].position - 1) / size);
    if (window < rows_of.size()) rows_of[window].push_back(row);
  }
  double sum = 0;
  std::uint64_t answered = 0;
  for (std::size_t number = 0; number < rows_of.size(); ++number) {
    const std::size_t first = number * static_cast<std::size_t>(size);
    const Microdata part = TuplesOf(original, first, static_cast<std::size_t>(size), run);
    const Release published = PublishedOf(release, rows_of[number], part.num_rows, run);
    StreamEvaluation::Window window;
    window.first = static_cast<Position>(first) + 1;
    window.last = static_cast<Position>(first) + size;
    window.rows = published.num_rows;
    CORDON_TRY(const InformationLoss loss, MeasureInformationLoss(published, run));
    window.loss = loss.information_loss;
    CORDON_TRY(window.error, MeasureQueryError(part, published, request.queries, run));
    if (!window.error.quantiles.empty()) {
      sum += window.error.median;
      ++answered;
    }
    made.windows.push_back(std::move(window));
  }
  if (answered > 0) made.median = sum / static_cast<double>(answered);
  return made;
}

Json ToJson(const StreamEvaluation& made) {
  Json json = {{"window", made.window},
               {"tuples_left_out", made.left_out},
               {"query_error_median", made.median ? Json(*made.median) : Json()},
               {"windows", Json::array()}};
  for (const StreamEvaluation::Window& window : made.windows) {
    const bool answered = !window.error.quantiles.empty();
    json["windows"].push_back({{"first", window.first},
                               {"last", window.last},
                               {"rows", window.rows},
                               {"information_loss", window.loss},
                               {"queries", window.error.queries},
                               {"queries_empty", window.error.empty},
                               {"query_error_median", answered ? Json(window.error.median) : Json()},
                               {"query_error_mean", answered ? Json(window.error.mean) : Json()}});
  }
  return json;
}

std::string Describe(const StreamEvaluation& made) {
  std::string text = fmt::format("{:>10}{:>10}{:>10}{:>10}{:>14}\n", "first", "last", "rows", "loss", "query error");
  for (const StreamEvaluation::Window& window : made.windows) {
    text += fmt::format("{:>10}{:>10}{:>10}{:>10.4f}{:>14}\n", window.first, window.last, window.rows, window.loss,
                        window.error.quantiles.empty() ? "-" : fmt::format("{:.4f}", window.error.median));
  }
  if (made.left_out > 0) text += fmt::format("{} tuples after the last whole window are left out\n", made.left_out);
  text += made.median ? fmt::format("query error  {:.4f}   (the median of each window, on average)\n", *made.median)
                      : "query error  none: no query has an answer\n";
  return text;
}

}  // namespace cordon::engine
