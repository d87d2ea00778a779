// SPDX-License-Identifier: Apache-2.0
//
// Rows are rendered (and compressed) in parts of a fixed size side by side, and written in order by a thread that
// works while the next parts are rendered.
#include "cordon/io/sink.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "cordon/base/parallel_for.h"
#include "cordon/io/foreign/foreign.h"
#include "cordon/io/parquet/parquet_sink_internal.h"
#include "cordon/io/text/output_internal.h"
#include "cordon/io/text/render_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kPartRows = std::size_t{1} << 14;
constexpr std::size_t kPartsAtOnce = 16;

struct Target {
  FileFormat format;
  Compression compression;
  TextFormat text;
};

Result<Target> TargetOf(const std::string& path, const SinkOptions& options) {
  PathFormat by_path;
  if (auto found = FormatOfPath(path); found.ok()) {
    by_path = found.value();
  } else if (!options.format) {
    return std::move(found).error();
  }
  TextFormat text = options.text;
  if (by_path.tabs && text.delimiter == ",") text.delimiter = "\t";
  CORDON_RETURN_IF_ERROR(text.Validate());
  return Target{options.format.value_or(by_path.format), by_path.compression, std::move(text)};
}

using Parts = std::vector<Result<std::string>>;

Parts RenderParts(const Rendered& rendered, std::size_t first_row, Compression compression, const Run& run) {
  const std::size_t rows = std::min(rendered.num_rows - first_row, kPartRows * kPartsAtOnce);
  Parts parts(NumChunks(rows, kPartRows), Result<std::string>(std::string()));
  ParallelFor(run.threads, rows, kPartRows, [&](std::size_t number, std::size_t begin, std::size_t end) {
    std::string part;
    rendered.AppendRows(first_row + begin, first_row + end, part);
    if (compression == Compression::kGzip) {
      parts[number] = GzipMember(part);
    } else {
      parts[number] = std::move(part);
    }
  });
  return parts;
}

Result<void> WriteParts(const Parts& parts, Output& output) {
  for (const Result<std::string>& part : parts) {
    if (!part.ok()) return part.error();
    CORDON_RETURN_IF_ERROR(output.Write(part.value()));
  }
  return {};
}

Result<void> WriteRows(const Rendered& rendered, Compression compression, Output& output, const Run& run) {
  Parts ready;
  for (std::size_t row = 0; row < rendered.num_rows || !ready.empty();) {
    if (run.Stopped()) return Error::Cancelled();
    Result<void> written;
    Parts next;
    std::exception_ptr failure;  // out of memory while hashing or writing goes on in this thread
    {
      const std::jthread writer([&] {
        try {
          written = WriteParts(ready, output);
        } catch (...) {
          failure = std::current_exception();
        }
      });
      if (row < rendered.num_rows) next = RenderParts(rendered, row, compression, run);
    }
    if (failure) std::rethrow_exception(failure);
    if (!written.ok()) return written;
    row = std::min(rendered.num_rows, row + kPartRows * kPartsAtOnce);
    run.Report("write", row, rendered.num_rows);
    ready = std::move(next);
  }
  return {};
}

Result<Rendered> RenderText(const Release& release, const Target& target, const SinkOptions& options) {
  return target.format == FileFormat::kCsv ? RenderCsv(release, target.text, options.bounds)
                                           : RenderJsonLines(release, options.bounds, options.types);
}

Result<void> WriteHeader(const Rendered& rendered, const Target& target, Output& output) {
  if (target.compression != Compression::kGzip) return output.Write(rendered.header);
  CORDON_TRY(const std::string header, GzipMember(rendered.header));
  return output.Write(header);
}

std::pair<Written, std::optional<AtomicFile>> FinishText(const Rendered& rendered, const Target& target, Output& output) {
  auto finished = output.Finish();
  finished.first.format = target.format;
  finished.first.text = target.text;
  finished.first.columns = rendered.names;
  return finished;
}

}  // namespace

Result<StagedRelease> StageRelease(const VerifiedRelease& release, const std::string& path, const SinkOptions& options,
                                   const Run& run) {
  CORDON_TRY(const Target target, TargetOf(path, options).WithContext("writing {}", path));
  if (target.format == FileFormat::kParquet) {
    CORDON_TRY(auto parquet,
               StageParquet(release.release(), path, options.bounds, options.types, run).WithContext("writing {}", path));
    return StagedRelease(std::move(parquet.first), std::move(parquet.second));
  }
  if (IsForeign(target.format)) {
    CORDON_RETURN_IF_ERROR(CanWrite(target.format).WithContext("writing {}", path));
    CORDON_TRY(auto book, StageExcel(release.release(), path, options.bounds, run).WithContext("writing {}", path));
    return StagedRelease(std::move(book.first), std::move(book.second));
  }
  CORDON_TRY(const Rendered rendered, RenderText(release.release(), target, options));
  CORDON_TRY(Output output, Output::Open(path));
  CORDON_RETURN_IF_ERROR(WriteHeader(rendered, target, output));
  CORDON_RETURN_IF_ERROR(WriteRows(rendered, target.compression, output, run));
  auto [written, file] = FinishText(rendered, target, output);
  return StagedRelease(std::move(written), std::move(file));
}

Result<StagedRelease> StageRelease(ShuffledRelease& release, const std::string& path, const SinkOptions& options,
                                   const Run& run) {
  CORDON_TRY(const Target target, TargetOf(path, options).WithContext("writing {}", path));
  if (target.format == FileFormat::kParquet) {
    CORDON_TRY(auto parquet, StageParquet(release, path, options.bounds, options.types, run).WithContext("writing {}", path));
    return StagedRelease(std::move(parquet.first), std::move(parquet.second));
  }
  if (IsForeign(target.format)) {
    return Error::InvalidPolicy("writing {}: a workbook holds no table that is larger than memory", path)
        .WithHint("write .csv or .parquet");
  }
  CORDON_TRY(Rendered rendered, RenderText(release.Legend(), target, options));
  CORDON_TRY(Output output, Output::Open(path));
  CORDON_RETURN_IF_ERROR(WriteHeader(rendered, target, output));
  std::uint64_t done = 0;
  CORDON_RETURN_IF_ERROR(release.Each(run, [&](const Release& rows) {
    rendered.Show(rows);
    run.Report("write", done += rows.num_rows, release.num_rows());
    return WriteRows(rendered, target.compression, output, run.Silent());
  }));
  auto [written, file] = FinishText(rendered, target, output);
  return StagedRelease(std::move(written), std::move(file));
}

Result<void> StagedRelease::Commit() { return file_ ? file_->Commit() : Result<void>(); }

Result<Written> WriteRelease(const VerifiedRelease& release, const std::string& path, const SinkOptions& options,
                             const Run& run) {
  CORDON_TRY(StagedRelease staged, StageRelease(release, path, options, run));
  CORDON_RETURN_IF_ERROR(staged.Commit());
  return staged.written();
}

}  // namespace cordon::engine
