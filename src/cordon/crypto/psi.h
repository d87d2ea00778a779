// SPDX-License-Identifier: Apache-2.0
//
// Which people do both parties have? Private set intersection by Diffie-Hellman: an id becomes a point of the group, each
// party raises points to its own secret, and points raised by both are equal if the ids are.
//
// Guarantee   a party that follows the protocol learns the common ids and the size of the other list, nothing about other
//             ids (decisional Diffie-Hellman; SHA-512 to the group is a random oracle).
// Source      Meadows 1986; Huberman, Franklin, Hogg 1999; spec secure_integration 3.4.
// Limits      a party may enter ids that it has invented: cap the size of the peer's list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/crypto/ristretto.h"

namespace cordon::engine {

// Part of the contract between the parties: keeps third parties from trying ids.
using Pepper = std::array<std::uint8_t, 32>;

Point PointOfId(const Pepper& pepper, std::string_view canonical_id);

class PsiParty {
 public:
  // `order` shuffles the list; it comes from the operating system. An error names the rows of an id that is there twice, or
  // the row of an empty one.
  static Result<PsiParty> Make(std::span<const std::string_view> canonical_ids, const Pepper& pepper, const ByteSource& bytes,
                               Random order, const Run& run);

  // The own ids under the own secret, in an order that tells nothing.
  const std::vector<Point>& masked() const { return masked_; }

  // The peer's list under both secrets, in the order in which it came. An error if a point is not one, or is there twice.
  Result<std::vector<Point>> Raise(std::span<const Point> peer, const Run& run) const;

  // The common records: at place i, the row of record i among the ids given to Make. Both parties number a common person
  // alike, and the numbers tell nothing about the ids. `own` is masked() as the peer has raised it, in the same order;
  // `peer` is what Raise gave. The party is used up: its secret and its lists are gone.
  Result<std::vector<std::size_t>> Align(std::span<const Point> own, std::span<const Point> peer) &&;

 private:
  PsiParty() = default;

  Scalar secret_;
  std::vector<Point> masked_;
  std::vector<std::size_t> row_of_;  // by place in masked_
};

}  // namespace cordon::engine
