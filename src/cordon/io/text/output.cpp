// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <zlib.h>

#include <algorithm>

#include "cordon/io/files/byte_input_internal.h"
#include "cordon/io/text/output_internal.h"

namespace cordon::engine {

Result<Output> Output::Open(const std::string& path) {
  if (path == "-") return Output(std::nullopt);
  CORDON_TRY(AtomicFile file, AtomicFile::Create(path));
  return Output(std::optional<AtomicFile>(std::move(file)));
}

Result<void> Output::Write(std::string_view bytes) {
  sha256_.Update(bytes);
  bytes_ += bytes.size();
  return file_ ? file_->Write(bytes) : WriteAll(STDOUT_FILENO, bytes).WithContext("writing standard output");
}

std::pair<Written, std::optional<AtomicFile>> Output::Finish() {
  return {Written{ToHex(sha256_.Finish()), bytes_}, std::move(file_)};
}

Result<Written> DescribeFile(const std::string& path, const std::stop_token& stop) {
  Sha256 sha256;
  Written written;
  CORDON_RETURN_IF_ERROR(ReadParts(path, stop, [&](std::string_view part) {
    sha256.Update(part);
    written.bytes += part.size();
    return Result<void>();
  }));
  written.sha256 = ToHex(sha256.Finish());
  return written;
}

Result<std::string> GzipMember(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Error::Io("cannot compress: out of memory");
  }
  std::string member(deflateBound(&stream, bytes.size()), '\0');
  std::size_t out = 0;
  int state = Z_OK;
  while (state == Z_OK || state == Z_BUF_ERROR) {  // zlib counts in 32 bits: very large parts take several turns
    const std::size_t in = std::min(bytes.size(), std::size_t{1} << 30);
    const std::size_t room = std::min(member.size() - out, std::size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(member.data() + out);
    stream.avail_out = static_cast<uInt>(room);
    state = deflate(&stream, in == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(in - stream.avail_in);
    out += room - stream.avail_out;
    if (out == member.size() && state != Z_STREAM_END) member.resize(member.size() + (std::size_t{1} << 16));
  }
  deflateEnd(&stream);
  if (state != Z_STREAM_END) return Error::Io("cannot compress");
  member.resize(out);
  return member;
}

}  // namespace cordon::engine
