// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/open_record_reader.h"

#include "cordon/io/text/buffered_reader_internal.h"

namespace cordon::engine {

Result<std::unique_ptr<RecordReader>> OpenRecordReader(LiveInput& input, const RecordOptions& options,
                                                       const std::stop_token& stop) {
  CORDON_RETURN_IF_ERROR(options.text.Validate());
  std::unique_ptr<internal::BufferedReader> reader = options.format == FileFormat::kCsv
                                                         ? internal::MakeCsvRecordReader(input, options)
                                                         : internal::MakeJsonRecordReader(input, options);
  CORDON_RETURN_IF_ERROR(reader->Begin(stop));
  return std::unique_ptr<RecordReader>(std::move(reader));
}

}  // namespace cordon::engine
