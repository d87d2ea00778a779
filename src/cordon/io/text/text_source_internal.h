// SPDX-License-Identifier: Apache-2.0
//
// Sources of text, CSV or JSON Lines, with the sizes of their parts in the caller's hand: tests and fuzzing put block borders
// everywhere.
#pragma once

#include <memory>
#include <string>

#include "cordon/io/text/block_reader_internal.h"
#include "cordon/io/text/source.h"

namespace cordon::engine {

// `name` goes into messages ("reading NAME: ..."); empty for bytes in memory.
Result<std::unique_ptr<Source>> OpenCsv(std::unique_ptr<ByteInput> input, const SourceOptions& options,
                                        const BlockOptions& blocks, const std::string& name);
Result<std::unique_ptr<Source>> OpenJsonLines(std::unique_ptr<ByteInput> input, const SourceOptions& options,
                                              const BlockOptions& blocks, const std::string& name);
// Either, by `format`; an error for Parquet.
Result<std::unique_ptr<Source>> OpenText(std::unique_ptr<ByteInput> input, FileFormat format, const SourceOptions& options,
                                         const BlockOptions& blocks, const std::string& name);
Result<std::unique_ptr<Source>> SourceFromBytes(std::string bytes, FileFormat format, const SourceOptions& options,
                                                const BlockOptions& blocks);

}  // namespace cordon::engine
