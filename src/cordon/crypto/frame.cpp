// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/frame.h"

#include "cordon/base/check.h"
#include "cordon/crypto/secret.h"
#include "cordon/crypto/wire.h"

namespace cordon::engine {
namespace {

constexpr std::string_view kMagic = "TDI1";
constexpr std::size_t kHashedHeader = 40;  // all but the chain, which is hashed first

std::string_view AsText(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string EncodeFrame(const Frame& frame, std::uint64_t number, const RunId& run, const Sha256Digest& chain) {
  const std::optional<PayloadSize> size = PayloadSizeOf(frame.type);
  CORDON_CHECK(size && size->least <= frame.payload.size() && frame.payload.size() <= size->most);
  WireWriter writer;
  writer.Text(kMagic);
  writer.Number(kFrameVersion);
  writer.Number(static_cast<std::uint16_t>(frame.type));
  writer.Number(static_cast<std::uint32_t>(frame.payload.size()));
  writer.Number(frame.round);
  writer.Number(number);
  writer.Bytes(run);
  writer.Bytes(chain);
  writer.Text(frame.payload);
  return std::move(writer).Take();
}

Result<FrameHeader> DecodeWhole(std::string_view bytes) {
  CORDON_TRY(const FrameHeader header, DecodeFrameHeader(bytes));
  if (bytes.size() != kFrameHeaderBytes + header.length) {
    return Error::Protocol("a frame has {} bytes instead of {}", bytes.size(), kFrameHeaderBytes + header.length);
  }
  return header;
}

}  // namespace

Result<FrameHeader> DecodeFrameHeader(std::string_view bytes) {
  if (bytes.size() < kFrameHeaderBytes) return Error::Protocol("a frame ends after {} bytes", bytes.size());
  WireReader reader(bytes);
  if (reader.Take(kMagic.size()) != kMagic) return Error::Protocol("what was received is not a frame");
  const auto version = reader.Number<std::uint16_t>();
  if (version != kFrameVersion) return Error::Protocol("a frame has version {}; this program knows {}", version, kFrameVersion);
  const auto type = reader.Number<std::uint16_t>();
  FrameHeader header;
  header.type = static_cast<FrameType>(type);
  header.length = reader.Number<std::uint32_t>();
  const std::optional<PayloadSize> size = PayloadSizeOf(header.type);
  if (!size) return Error::Protocol("a frame has the unknown type {}", type);
  if (header.length < size->least || header.length > size->most) {
    return Error::Protocol("a frame of type {} has {} bytes; it may have {} to {}", type, header.length, size->least,
                           size->most);
  }
  header.round = reader.Number<std::uint32_t>();
  header.number = reader.Number<std::uint64_t>();
  reader.Bytes(header.run);
  reader.Bytes(header.chain);
  return header;
}

Sha256Digest FrameHash(std::string_view bytes) {
  CORDON_CHECK_LE(kFrameHeaderBytes, bytes.size());
  Sha256 hash;
  hash.Update(bytes.substr(kHashedHeader, kFrameHeaderBytes - kHashedHeader));
  hash.Update(bytes.substr(0, kHashedHeader));
  hash.Update(bytes.substr(kFrameHeaderBytes));
  return hash.Finish();
}

FrameSequence::FrameSequence(PartyRole sender) {
  WireWriter start;
  start.Text(kMagic);
  start.Bytes(run_);
  start.Number(static_cast<std::uint8_t>(sender));
  chain_ = Sha256Of(std::move(start).Take());
}

std::string FrameSequence::Seal(const Frame& frame) {
  std::string bytes = EncodeFrame(frame, num_frames_, run_, chain_);
  chain_ = FrameHash(bytes);
  ++num_frames_;
  return bytes;
}

Result<Frame> FrameSequence::Open(std::string_view bytes) {
  CORDON_TRY(const FrameHeader header, DecodeWhole(bytes));
  if (!SameBytes(header.run, run_)) return Error::Protocol("a frame belongs to another run");
  if (header.number != num_frames_) return Error::Protocol("frame {} comes instead of {}", header.number, num_frames_);
  if (!SameBytes(header.chain, chain_)) return Error::Protocol("frame {} does not follow the frame before it", header.number);
  chain_ = FrameHash(bytes);
  ++num_frames_;
  return Frame{header.type, header.round, std::string(bytes.substr(kFrameHeaderBytes))};
}

std::string SealOutside(const Frame& frame) { return EncodeFrame(frame, kOutsideChain, {}, {}); }

Result<Frame> OpenOutside(std::string_view bytes) {
  CORDON_TRY(const FrameHeader header, DecodeWhole(bytes));
  if (header.number != kOutsideChain || header.run != RunId{} || header.chain != Sha256Digest{}) {
    return Error::Protocol("frame {} comes before it is known which one is next", header.number);
  }
  return Frame{header.type, header.round, std::string(bytes.substr(kFrameHeaderBytes))};
}

RunId MakeRunId(const Sha256Digest& nonce_a, const Sha256Digest& nonce_b) {
  Sha256 hash;
  hash.Update("TDI1-RUN");
  hash.Update(AsText(nonce_a));
  hash.Update(AsText(nonce_b));
  const Sha256Digest full = hash.Finish();
  RunId run;
  std::copy_n(full.begin(), run.size(), run.begin());
  return run;
}

std::string FinishStatement(const RunId& run, const Sha256Digest& chain_a, const Sha256Digest& chain_b,
                            const Sha256Digest& state) {
  WireWriter writer;
  writer.Text("TDI1-FINISH");
  writer.Bytes(run);
  writer.Bytes(chain_a);
  writer.Bytes(chain_b);
  writer.Bytes(state);
  return std::move(writer).Take();
}

}  // namespace cordon::engine
