// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/engine/stream_fingerprint.h"

namespace cordon::engine {

void FingerprintAxes(const StreamSchema& schema, ByteWriter& writer) {
  for (const StreamAxis& axis : schema.quasi) {
    writer.Text(axis.name);
    writer.Whole(axis.lo);
    writer.Whole(axis.hi);
    writer.Text(axis.hierarchy != nullptr ? axis.hierarchy->Digest() : "");
    writer.Real(axis.weight);
  }
}

void FingerprintNeeds(const StreamSchema& schema, const GroupRequirements& needs, ByteWriter& writer) {
  writer.Count(schema.sensitive.size());
  writer.Whole(needs.k);
  for (const GroupRequirements::Diversity& need : needs.diversity) {
    writer.Count(need.sensitive);
    writer.Whole(need.l);
  }
}

Result<void> CheckSnapshotHead(ByteReader& reader, std::uint64_t version, std::string_view fingerprint, std::string_view what) {
  if (const std::uint64_t found = reader.Count(); reader.ok() && found != version) {
    return Error::InvalidData("{} has version {}, this program reads {}", what, found, version);
  }
  if (reader.Text() != fingerprint && reader.ok()) return Error::InvalidData("{} was made under another policy", what);
  return {};
}

}  // namespace cordon::engine
