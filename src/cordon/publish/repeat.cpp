// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/repeat.h"

#include "cordon/base/canonical_json.h"
#include "cordon/io/files/atomic_file.h"

namespace cordon::engine {
namespace {

Result<Json> RecordOf(const AnonymizeRequest& request) {
  CORDON_TRY(const std::string text, ReadFile(*request.repeat, kMebibyte));
  Json record = ParseJsonOnce(text);
  if (!record.is_object() || !record.contains("random") || !record["random"].is_string()) {
    return Error::InvalidData("{} is not a run record", *request.repeat)
        .WithHint("give the OUT.private.json of an earlier run");
  }
  return record;
}

}  // namespace

Result<Random> RandomOf(const AnonymizeRequest& request, const std::string& input_sha256) {
  if (request.seed) return Random::FromSeed(*request.seed);
  if (!request.repeat) return Random::FromOperatingSystem();
  CORDON_TRY(const Json record, RecordOf(request));
  const std::string recorded =
      record.value("input_sha256", Json()).is_string() ? record["input_sha256"].get<std::string>() : "";
  if (!recorded.empty() && !input_sha256.empty() && recorded != input_sha256) {
    return Error::InvalidData("{} is the record of a run over another input than {}", *request.repeat, request.input.name)
        .WithHint("give the input of that run, byte for byte, or leave out --repeat");
  }
  return Random::Restore(record["random"].get<std::string>()).WithContext("reading {}", *request.repeat);
}

Result<std::optional<std::uint64_t>> MemoryOf(const AnonymizeRequest& request) {
  if (!request.repeat) return request.memory;
  CORDON_TRY(const Json record, RecordOf(request));
  const Json shards = record.value("shards", Json());
  std::optional<std::uint64_t> recorded;
  if (shards.is_object() && shards.value("memory", Json()).is_number_unsigned())
    recorded = shards["memory"].get<std::uint64_t>();
  if (request.memory && request.memory != recorded) {
    return Error::InvalidPolicy("{} is the record of a run with {}", *request.repeat,
                                recorded ? fmt::format("--memory {}MiB", *recorded / kMebibyte) : "no --memory")
        .WithHint("leave --memory out: a repeated run is cut like the first");
  }
  return recorded;
}

Result<void> CheckRepeats(const AnonymizeRequest& request, const Json& shards) {
  if (!request.repeat) return {};
  CORDON_TRY(const Json record, RecordOf(request));
  if (record.value("shards", Json()) == shards) return {};
  return Error::InvalidData("the table would not be cut as the run of {} cut it", *request.repeat)
      .WithHint("repeat it by the policy and the version of cordon that it was made with");
}

}  // namespace cordon::engine
