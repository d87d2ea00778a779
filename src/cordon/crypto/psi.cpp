// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/psi.h"

#include <sodium.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <unordered_map>

#include "cordon/base/digest.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kIdsAtOnce = 256;  // about 50 ms of work
constexpr std::string_view kIdDomain = "TDI1-ID";

Result<void> CheckIds(std::span<const std::string_view> ids) {
  std::unordered_map<std::string_view, std::size_t> row_of;
  row_of.reserve(ids.size());
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (ids[row].empty()) return Error::InvalidData("row {} has no id", row + 1);
    const auto [first, is_new] = row_of.try_emplace(ids[row], row);
    if (!is_new) {
      return Error::InvalidData("rows {} and {} have the same id", first->second + 1, row + 1)
          .WithHint("k counts rows here, so a person may have one row only");
    }
  }
  return {};
}

bool HasTwice(std::span<const Point> points) {
  std::vector<Point> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

// to[i] = make(i) for all i, on all threads. Stopped runs leave off.
template <typename MakePoint>
Result<void> FillPoints(std::vector<Point>& to, const Run& run, const MakePoint& make) {
  std::atomic<std::size_t> bad = to.size();
  std::atomic<std::size_t> done = 0;
  ParallelFor(run.threads, to.size(), kIdsAtOnce, [&](std::size_t, std::size_t begin, std::size_t end) {
    if (run.Stopped()) return;
    for (std::size_t i = begin; i < end; ++i) {
      const std::optional<Point> point = make(i);
      if (point) {
        to[i] = *point;
      } else {
        bad = i;
      }
    }
    run.Report("matching ids", done += end - begin, to.size());
  });
  if (run.Stopped()) return Error::Cancelled();
  if (bad < to.size()) return Error::Protocol("a masked id is not a point of the group");
  return {};
}

}  // namespace

Point PointOfId(const Pepper& pepper, std::string_view canonical_id) {
  InitializeSodium();
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  crypto_hash_sha512_update(&state, reinterpret_cast<const unsigned char*>(kIdDomain.data()), kIdDomain.size());
  crypto_hash_sha512_update(&state, pepper.data(), pepper.size());
  crypto_hash_sha512_update(&state, reinterpret_cast<const unsigned char*>(canonical_id.data()), canonical_id.size());
  Secret<std::array<std::uint8_t, crypto_hash_sha512_BYTES>> hash;
  crypto_hash_sha512_final(&state, hash->data());
  return HashToPoint(*hash);
}

Result<PsiParty> PsiParty::Make(std::span<const std::string_view> canonical_ids, const Pepper& pepper, const ByteSource& bytes,
                                Random order, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckIds(canonical_ids));
  PsiParty party;
  party.secret_ = DrawScalar(bytes);
  party.row_of_.resize(canonical_ids.size());
  std::iota(party.row_of_.begin(), party.row_of_.end(), std::size_t{0});
  order.Shuffle(std::span<std::size_t>(party.row_of_));
  party.masked_.resize(canonical_ids.size());
  CORDON_RETURN_IF_ERROR(FillPoints(party.masked_, run, [&](std::size_t i) {
    return Multiply(party.secret_, PointOfId(pepper, canonical_ids[party.row_of_[i]]));
  }));
  return party;
}

Result<std::vector<Point>> PsiParty::Raise(std::span<const Point> peer, const Run& run) const {
  if (HasTwice(peer)) return Error::Protocol("the peer's list has a person twice");
  std::vector<Point> raised(peer.size());
  CORDON_RETURN_IF_ERROR(FillPoints(raised, run, [&](std::size_t i) { return Multiply(secret_, peer[i]); }));
  return raised;
}

Result<std::vector<std::size_t>> PsiParty::Align(std::span<const Point> own, std::span<const Point> peer) && {
  const PsiParty party = std::move(*this);
  if (own.size() != party.masked_.size()) {
    return Error::Protocol("the peer has returned {} masked ids of {}", own.size(), party.masked_.size());
  }
  if (HasTwice(own)) return Error::Protocol("the peer has returned a masked id twice");
  std::vector<Point> theirs(peer.begin(), peer.end());
  std::sort(theirs.begin(), theirs.end());
  std::vector<std::pair<Point, std::size_t>> common;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (std::binary_search(theirs.begin(), theirs.end(), own[i])) common.emplace_back(own[i], party.row_of_[i]);
  }
  std::sort(common.begin(), common.end());
  std::vector<std::size_t> rows;
  rows.reserve(common.size());
  for (const auto& [point, row] : common) rows.push_back(row);
  return rows;
}

}  // namespace cordon::engine
