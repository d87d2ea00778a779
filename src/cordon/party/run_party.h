// SPDX-License-Identifier: Apache-2.0
//
// Two parties refine one table: each holds some of the columns, about the same people, and keeps its cells. They find the
// common people, agree on the class, and then, round by round, compare their best refinements in private; the winner tells
// its refinement, the other checks it and takes it over. Both end with the same table, the one that tdr makes of all columns.
//
// A run that lost its connection goes on from the frames of its journal (PartyPast): matching and told steps are made again as
// they were, comparisons are not; the one that was cut off is made again as the next attempt, with everything fresh.
//
// Guarantee   docs/party.md. k does not protect against the peer.
// Source      B. Fung, PhD thesis, SFU 2007, chapter 7; spec secure_integration 3.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cordon/algorithms/top_down/top_down.h"
#include "cordon/base/digest.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/crypto/psi.h"
#include "cordon/crypto/run_id.h"
#include "cordon/crypto/signature.h"
#include "cordon/party/channel.h"
#include "cordon/party/transport.h"

namespace cordon::engine {

struct PartyInput {
  PartyRole role = PartyRole::kA;
  // Of what both parties must have alike: schema, owners, trees, domains, models. Both must present the same.
  Sha256Digest config{};
  // Of the own table, so that it can be checked against a replay.
  Sha256Digest input_commitment{};
  // Of the connection: both ends see the same.
  Sha256Digest channel_binding{};
  // Both have shown where they stand on this connection (CatchUp).
  bool resumed = false;

  Pepper pepper{};
  std::vector<std::string_view> ids;      // by row of the own table, canonical
  std::vector<std::string_view> classes;  // by row of the own table
  std::size_t max_peer_ids = 0;
  enum class Compare { kPrivate, kPlain } compare = Compare::kPrivate;

  const SigningKey* key = nullptr;
  VerifyKey peer_key{};

  // The search over the common records, in their order: `rows` are rows of the own table.
  std::function<Result<std::unique_ptr<TopDown>>(std::span<const std::size_t> rows)> make_search;
  ByteSource bytes;  // of the operating system

  // What masks the ids, the same whenever the run goes on; from the operating system at its start.
  Random matching = Random::FromOperatingSystem();
  // The rows of the common records, if they were found before.
  std::optional<std::vector<std::size_t>> known_rows;
  // Called before the first id leaves, and when the common records are known. An error ends the run there.
  std::function<Result<void>()> before_ids;
  std::function<Result<void>(std::span<const std::size_t> rows)> keep_rows;
};

struct PartyResult {
  std::vector<std::size_t> rows;    // of the own table, by record
  std::unique_ptr<TopDown> search;  // at its end
  RunId run{};
  std::uint32_t rounds = 0;  // refinements of both
  std::string statement;     // what both have signed
  Signature signature{}, peer_signature{};
};

// An error tells the peer by its kind alone. After a lost connection or a stop by the user the peer is told nothing: the run
// can go on.
Result<PartyResult> RunParty(const PartyInput& input, PartyPast past, Transport& transport, const Run& run);

}  // namespace cordon::engine
