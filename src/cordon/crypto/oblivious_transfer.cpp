// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/oblivious_transfer.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include "cordon/base/check.h"
#include "cordon/base/digest.h"
#include "cordon/crypto/wire.h"

namespace cordon::engine {
namespace {

constexpr std::string_view kBaseDomain = "TDI1-OT-BASE";
constexpr std::string_view kRowDomain = "TDI1-OT-ROW";

using SecretHash = Secret<std::array<std::uint8_t, crypto_hash_sha256_BYTES>>;

unsigned BitOf(std::span<const std::uint8_t> bytes, std::size_t i) { return (bytes[i / 8] >> (i % 8)) & 1U; }

// libsodium's SHA-256 instead of base/digest: it keeps its state on the stack and wipes it.
class OtHash {
 public:
  OtHash(std::string_view domain, const OtSession& session) {
    crypto_hash_sha256_init(&state_);
    Add({reinterpret_cast<const std::uint8_t*>(domain.data()), domain.size()});
    Add(session.run);
    Number(session.setup);
  }
  void Add(std::span<const std::uint8_t> bytes) { crypto_hash_sha256_update(&state_, bytes.data(), bytes.size()); }
  template <typename Word>
  void Number(Word word) {
    Add(LittleEndian(word));
  }
  SecretHash Finish() {
    SecretHash hash;
    crypto_hash_sha256_final(&state_, hash->data());
    return hash;
  }

 private:
  crypto_hash_sha256_state state_;
};

// Wipes the shared point, which nobody needs any more.
SecretHash BaseSeed(const OtSession& session, std::uint32_t i, const Point& key, const Point& point, Point& shared) {
  OtHash hash(kBaseDomain, session);
  hash.Number(i);
  hash.Add(key);
  hash.Add(point);
  hash.Add(shared);
  WipeMemory(shared.data(), shared.size());
  return hash.Finish();
}

Block RowKey(const OtSession& session, std::uint64_t transfer, const Block& row) {
  OtHash hash(kRowDomain, session);
  hash.Number(transfer);
  hash.Add(row);
  const SecretHash full = hash.Finish();
  Block key;
  std::copy_n(full->begin(), key.size(), key.begin());
  return key;
}

// The bytes of a seed for one batch.
void FillFromSeed(const OtSeed& seed, std::uint32_t batch, std::span<std::uint8_t> to) {
  const auto nonce = LittleEndian(std::uint64_t{batch});
  static_assert(sizeof nonce == crypto_stream_chacha20_NONCEBYTES);
  crypto_stream_chacha20(to.data(), to.size(), nonce.data(), seed.data());
}

// Bit 8 r + c of the word goes to bit 8 c + r: three exchanges of ever larger squares.
std::uint64_t Transpose8x8(std::uint64_t x) {
  std::uint64_t t = (x ^ (x >> 7)) & 0x00AA00AA00AA00AAULL;
  x ^= t ^ (t << 7);
  t = (x ^ (x >> 14)) & 0x0000CCCC0000CCCCULL;
  x ^= t ^ (t << 14);
  t = (x ^ (x >> 28)) & 0x00000000F0F0F0F0ULL;
  return x ^ t ^ (t << 28);
}

// Row j is bit j of every column, appended to `rows`.
void AppendRows(std::span<const std::uint8_t> columns, std::size_t count, SecretVector<Block>& rows) {
  const std::size_t bytes = count / 8;
  const std::size_t first = rows.size();
  rows.resize(first + count);
  for (std::size_t at = 0; at < bytes; ++at) {
    for (std::size_t eight = 0; eight < kBaseTransfers / 8; ++eight) {
      std::uint64_t square = 0;
      for (std::size_t i = 0; i < 8; ++i) square |= std::uint64_t{columns[(8 * eight + i) * bytes + at]} << (8 * i);
      square = Transpose8x8(square);
      for (std::size_t i = 0; i < 8; ++i) rows[first + 8 * at + i][eight] = static_cast<std::uint8_t>(square >> (8 * i));
    }
  }
}

}  // namespace

OtColumns OtReceiver::Extend(std::size_t count, const ByteSource& bytes) {
  CORDON_CHECK(count > 0 && count <= kMaxTransfersAtOnce);
  const std::size_t size = (count + 7) / 8;
  OtColumns columns{.batch = batch_, .count = static_cast<std::uint32_t>(size * 8)};
  columns.bytes.resize(kBaseTransfers * size);
  SecretVector<std::uint8_t> choices(size);
  bytes(choices);
  SecretVector<std::uint8_t> ones(kBaseTransfers * size);
  SecretVector<std::uint8_t> twos(size);
  for (std::size_t i = 0; i < kBaseTransfers; ++i) {
    const std::span<std::uint8_t> one(ones.data() + i * size, size);
    FillFromSeed(seeds_[i][0], batch_, one);
    FillFromSeed(seeds_[i][1], batch_, twos);
    for (std::size_t at = 0; at < size; ++at) columns.bytes[i * size + at] = one[at] ^ twos[at] ^ choices[at];
  }
  const std::size_t first = keys_.size();
  AppendRows(ones, columns.count, keys_);
  for (std::size_t j = first; j < keys_.size(); ++j) {
    keys_[j] = RowKey(session_, j, keys_[j]);
    chosen_.push_back(static_cast<std::uint8_t>(BitOf(choices, j - first)));
  }
  ++batch_;
  return columns;
}

OtChoices OtReceiver::Choose(std::span<const std::uint8_t> bits) {
  CORDON_CHECK_LE(bits.size(), num_left());
  OtChoices choices{.first = next_};
  for (const std::uint8_t bit : bits) choices.flips.push_back(bit ^ chosen_[next_++]);
  return choices;
}

Result<SecretVector<Block>> OtReceiver::Receive(const OtChoices& choices, std::span<const std::uint8_t> bits,
                                                std::span<const BlockPair> pads) {
  if (pads.size() != bits.size()) return Error::Protocol("{} transfers are answered instead of {}", pads.size(), bits.size());
  CORDON_CHECK_LE(choices.first + bits.size(), next_);
  SecretVector<Block> blocks;
  blocks.reserve(bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const Block pad = pads[i][0] ^ Times(bits[i], pads[i][0] ^ pads[i][1]);
    Block& key = keys_[choices.first + i];
    blocks.push_back(pad ^ key);
    WipeMemory(key.data(), key.size());
  }
  return blocks;
}

Result<void> OtSender::Extend(const OtColumns& columns) {
  if (columns.batch != batch_) return Error::Protocol("columns of batch {} come instead of {}", columns.batch, batch_);
  if (columns.count == 0 || columns.count % 8 != 0 || columns.count > kMaxTransfersAtOnce ||
      columns.bytes.size() != kBaseTransfers * (columns.count / 8)) {
    return Error::Protocol("columns for {} transfers have {} bytes", columns.count, columns.bytes.size());
  }
  const std::size_t size = columns.count / 8;
  SecretVector<std::uint8_t> mixed(kBaseTransfers * size);
  for (std::size_t i = 0; i < kBaseTransfers; ++i) {
    const std::span<std::uint8_t> column(mixed.data() + i * size, size);
    FillFromSeed(seeds_[i], batch_, column);
    const auto mask = static_cast<std::uint8_t>(0U - BitOf(*secret_, i));
    for (std::size_t at = 0; at < size; ++at)
      column[at] = static_cast<std::uint8_t>(column[at] ^ (columns.bytes[i * size + at] & mask));
  }
  AppendRows(mixed, columns.count, rows_);
  ++batch_;
  return {};
}

Result<std::vector<BlockPair>> OtSender::Send(const OtChoices& choices, std::span<const BlockPair> pairs) {
  if (choices.first != next_) return Error::Protocol("transfer {} is asked for instead of {}", choices.first, next_);
  if (choices.flips.size() != pairs.size() || pairs.size() > num_left()) {
    return Error::Protocol("{} transfers are asked for instead of {}", choices.flips.size(), pairs.size());
  }
  std::vector<BlockPair> pads;
  pads.reserve(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Block& row = rows_[next_];
    Secret<BlockPair> keys;
    (*keys)[0] = RowKey(session_, next_, row);
    (*keys)[1] = RowKey(session_, next_, row ^ *secret_);
    // A flipped choice: the receiver's random bit was the other one, so the keys change places.
    const Block swap = Times(choices.flips[i] & 1U, (*keys)[0] ^ (*keys)[1]);
    pads.push_back({pairs[i][0] ^ (*keys)[0] ^ swap, pairs[i][1] ^ (*keys)[1] ^ swap});
    WipeMemory(row.data(), row.size());
    ++next_;
  }
  return pads;
}

OtReceiverSetup::OtReceiverSetup(const OtSession& session, const ByteSource& bytes)
    : session_(session), scalar_(DrawScalar(bytes)), key_(MultiplyGenerator(scalar_)) {}

Result<OtReceiver> OtReceiverSetup::Take(const OtPoints& points) && {
  const Scalar scalar = std::move(scalar_);
  OtReceiver receiver(session_);
  receiver.seeds_.reserve(points.size());
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const std::optional<Point> other = Subtract(points[i], key_);
    std::optional<Point> shared = Multiply(scalar, points[i]);
    std::optional<Point> shared_other = other ? Multiply(scalar, *other) : std::nullopt;
    if (!shared || !shared_other) return Error::Protocol("an answer to the base transfers is not a point of the group");
    std::array<OtSeed, 2>& seeds = receiver.seeds_.emplace_back();
    seeds[0] = *BaseSeed(session_, i, key_, points[i], *shared);
    seeds[1] = *BaseSeed(session_, i, key_, points[i], *shared_other);
  }
  return receiver;
}

Result<OtSenderSetup::Answered> OtSenderSetup::Answer(const OtSession& session, const Point& key, const ByteSource& bytes) {
  Answered answered{.points = {}, .sender = OtSender(session)};
  OtSender& sender = answered.sender;
  bytes(*sender.secret_);
  sender.seeds_.reserve(kBaseTransfers);
  for (std::uint32_t i = 0; i < kBaseTransfers; ++i) {
    const Scalar scalar = DrawScalar(bytes);
    const Point plain = MultiplyGenerator(scalar);
    const std::optional<Point> shifted = Add(plain, key);
    std::optional<Point> shared = Multiply(scalar, key);
    if (!shifted || !shared) return Error::Protocol("the key of the base transfers is not a point of the group");
    // Both points are made, and a mask takes one, so that the time does not tell the choice.
    const auto mask = static_cast<std::uint8_t>(0U - BitOf(*sender.secret_, i));
    Point& point = answered.points[i];
    for (std::size_t at = 0; at < point.size(); ++at) {
      point[at] = static_cast<std::uint8_t>(plain[at] ^ (mask & (plain[at] ^ (*shifted)[at])));
    }
    sender.seeds_.push_back(*BaseSeed(session, i, key, point, *shared));
  }
  return answered;
}

}  // namespace cordon::engine
