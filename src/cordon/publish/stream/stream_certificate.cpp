// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/stream/stream_certificate.h"

#include <algorithm>
#include <filesystem>

#include "cordon/base/canonical_json.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/report/report.h"
#include "cordon/report/version.h"

namespace cordon::engine {
namespace {

constexpr const char* kCheckpointKind = "stream-checkpoint";
constexpr std::uint64_t kMaxCertificate = 1024 * kMebibyte;

// Nothing if the line is not a checkpoint.
std::optional<SignedStream::Point> ReadPoint(const Json& line) {
  if (!line.is_object() || line.value("kind", Json()) != kCheckpointKind || !line.contains("output")) return std::nullopt;
  const Json& output = line["output"];
  const Json ended = line.value("ended", Json());
  const Json chain = line.value("chain", Json());
  if (!output.is_object() || !ended.is_boolean() || !chain.is_string()) return std::nullopt;
  const Json bytes = output.value("bytes", Json());
  const Json rows = output.value("rows", Json());
  const Json sha256 = output.value("sha256", Json());
  if (!bytes.is_number_unsigned() || !rows.is_number_unsigned() || !sha256.is_string()) return std::nullopt;
  SignedStream::Point point;
  point.bytes = bytes.get<std::uint64_t>();
  point.rows = rows.get<std::uint64_t>();
  point.chain = chain.get<std::string>();
  point.ended = ended.get<bool>();
  point.sha256 = sha256.get<std::string>();
  return point;
}

// The lines of a certificate one after another, without their ends. One that was cut off is left out.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

Json ClaimsOf(const Policy& policy, const std::string& algorithm) {
  Json privacy = Json::array();
  for (const ModelSpec& spec : policy.models) {
    Json claim = ToJson(spec);
    claim["text"] = Describe(spec);
    privacy.push_back(std::move(claim));
  }
  return {{"format", 2},
          {"kind", kCheckpointKind},
          {"tool", std::string("cordon ") + kVersion},
          {"policy_sha256", policy.digest},
          {"algorithm", algorithm},
          {"privacy", privacy}};
}

}  // namespace

std::string StreamCertificatePath(const std::string& output) { return output + ".certificate.jsonl"; }

Result<StreamCertificate> StreamCertificate::Open(FileSystem& files, std::string output, std::uint64_t length,
                                                  const Policy& policy, const std::string& algorithm, SigningKey key,
                                                  const Opener& open) {
  const std::string path = StreamCertificatePath(output);
  StreamCertificate made(files, std::move(output), ClaimsOf(policy, algorithm), std::move(key));
  std::uint64_t keep = 0;
  std::optional<SignedStream::Point> last;
  if (length > 0 && files.Size(path)) {
    CORDON_TRY(const std::string text, files.Read(path));
    for (const std::string_view line : LinesOf(text)) {
      const auto point = ReadPoint(ParseJsonOnce(line));
      if (!point || point->bytes > length) break;
      last = point;
      keep += line.size() + 1;
      ++made.lines_;
    }
  }
  if (last) {
    CORDON_RETURN_IF_ERROR(made.HashUpTo(last->bytes));
    if (ToHex(made.sha256_.Clone().Finish()) != last->sha256) {
      return Error::InvalidData("{} is not the output that {} has signed", made.output_, path)
          .WithHint("one of the two was changed; put both back as they were");
    }
  }
  CORDON_TRY(made.file_, open(path, keep));
  return made;
}

Result<void> StreamCertificate::HashUpTo(std::uint64_t bytes) {
  while (hashed_ < bytes) {
    const std::uint64_t end = std::min(bytes, hashed_ + kMebibyte);
    CORDON_TRY(const std::string piece, files_->ReadBefore(output_, end, end - hashed_));
    if (piece.size() != end - hashed_) return Error::Io("reading {}: it is shorter than it was written", output_);
    sha256_.Update(piece);
    hashed_ = end;
  }
  return {};
}

Result<void> StreamCertificate::Add(const StreamPoint& point) {
  CORDON_RETURN_IF_ERROR(HashUpTo(point.bytes));
  Json line = claims_;
  line["number"] = lines_ + 1;
  line["output"] = {{"name", std::filesystem::path(output_).filename().string()},
                    {"bytes", point.bytes},
                    {"rows", point.rows},
                    {"sha256", ToHex(sha256_.Clone().Finish())}};
  line["chain"] = point.chain;
  line["ended"] = point.ended;
  CORDON_RETURN_IF_ERROR(Sign(line, kCheckpointType, key_));
  CORDON_RETURN_IF_ERROR(file_->Write(line.dump() + "\n"));
  ++lines_;
  return file_->Sync();
}

Result<SignedStream> ReadStreamCertificate(const std::string& output, const std::vector<VerifyKey>& keys,
                                           const std::string& policy_digest, bool unfinished) {
  const std::string path = StreamCertificatePath(output);
  SignedStream read;
  if (std::error_code failed; !std::filesystem::exists(std::filesystem::symlink_status(path, failed))) {
    read.wrong = fmt::format("there is no {}", path);
    return read;
  }
  CORDON_RETURN_IF_ERROR(RequireRegularFile(path));
  CORDON_TRY(const std::string text, ReadFile(path, kMaxCertificate));
  const auto refuse = [&](const std::string& what) {
    read.wrong = fmt::format("line {} of {}: {}", read.points.size() + 1, path, what);
    return read;
  };
  for (const std::string_view line : LinesOf(text)) {
    const Json json = ParseJsonOnce(line);
    const auto point = ReadPoint(json);
    if (!point) return refuse("it is not a checkpoint of a stream");
    const SignatureMatch match = CheckCertificate(json, kCheckpointType, keys, policy_digest);
    if (!match.holds) return refuse(match.what);
    const bool follows = json.value("number", Json()) == read.points.size() + 1 &&
                         (read.points.empty() || (read.points.back().bytes <= point->bytes && !read.points.back().ended));
    if (!follows) return refuse("it does not follow the line before it");
    read.points.push_back(*point);
    read.signer = match.what;
  }
  const bool cut_off = !text.empty() && text.back() != '\n';
  if (cut_off && (!unfinished || (!read.points.empty() && read.points.back().ended))) return refuse("it is cut off");
  if (read.points.empty()) read.wrong = fmt::format("{} has no checkpoint yet", path);
  return read;
}

}  // namespace cordon::engine
