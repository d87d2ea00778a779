// SPDX-License-Identifier: Apache-2.0
//
// OUT.certificate.jsonl: what a stream has published so far, signed at every checkpoint and at its end (docs/certificate.md).
// It may be published. Each line binds the bytes of the output up to a point, by their SHA-256, to the policy and its models,
// and to the chain of the audit log at that point. The chain tells nothing of the log: its first line has a secret number.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/io/files/file_system.h"
#include "cordon/policy/policy.h"
#include "cordon/report/manifest_signature.h"

namespace cordon::engine {

std::string StreamCertificatePath(const std::string& output);

// A moment between two departures.
struct StreamPoint {
  std::uint64_t bytes = 0;  // of the output
  std::uint64_t rows = 0;
  std::string chain;  // of the audit log
  bool ended = false;
};

// Writes the certificate of a run.
class StreamCertificate {
 public:
  using Opener = std::function<Result<std::unique_ptr<WritableFile>>(const std::string& path, std::uint64_t keep)>;

  // Goes on after the lines that speak of at most `length` bytes of the output. An error if the output is not what the last of
  // them has signed.
  static Result<StreamCertificate> Open(FileSystem& files, std::string output, std::uint64_t length, const Policy& policy,
                                        const std::string& algorithm, SigningKey key, const Opener& open);
  // REQUIRES: all of the output up to the point is durable. The line is durable on return.
  Result<void> Add(const StreamPoint& point);

 private:
  StreamCertificate(FileSystem& files, std::string output, Json claims, SigningKey key)
      : files_(&files), output_(std::move(output)), claims_(std::move(claims)), key_(std::move(key)) {}
  Result<void> HashUpTo(std::uint64_t bytes);

  FileSystem* files_;
  std::string output_;
  Json claims_;  // what every line says
  SigningKey key_;
  std::unique_ptr<WritableFile> file_;
  std::uint64_t lines_ = 0;
  std::uint64_t hashed_ = 0;
  Sha256 sha256_;  // of the first hashed_ bytes
};

// What a certificate says, for one who verifies.
struct SignedStream {
  struct Point : StreamPoint {
    std::string sha256;
  };
  std::vector<Point> points;
  std::string wrong;  // the first thing that is wrong with it; empty: every line is signed by a trusted key for this policy
  std::string signer;
};
// An error if it cannot be read at all; one that is missing is wrong. `unfinished`: the stream may be running, and its last
// line may be half written, which is then left out.
Result<SignedStream> ReadStreamCertificate(const std::string& output, const std::vector<VerifyKey>& keys,
                                           const std::string& policy_digest, bool unfinished);

}  // namespace cordon::engine
