// SPDX-License-Identifier: Apache-2.0
//
// Frames over TLS 1.3. Each party is known by its Ed25519 key, the one that signs its runs: a certificate is made of it for the
// connection, and the peer's is taken if it carries the agreed key, whatever else it says. No certificate authority, no
// tickets, no early data, and cipher suites that authenticate.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "cordon/base/result.h"
#include "cordon/crypto/signature.h"
#include "cordon/party/transport.h"

namespace cordon::engine {

struct TlsOptions {
  const SigningKey* key = nullptr;  // outlives the connection
  VerifyKey peer{};                 // the only one that is let in
  // For each of these, however many bytes come meanwhile: to connect, to shake hands, to begin a frame, to end it.
  int timeout_seconds = 900;
  std::stop_token stop = {};  // ends a wait
};

// HOST:PORT, an address of IPv6 in brackets.
std::string AddressText(const std::string& host, std::uint16_t port);

class TlsTransport final : public Transport {
 public:
  // Tries again until somebody listens there, or the time is over.
  static Result<std::unique_ptr<TlsTransport>> Connect(const std::string& host, std::uint16_t port, const TlsOptions& options);
  ~TlsTransport() override;

  Result<void> Send(std::string_view frame) override;
  Result<std::string> Receive() override;

  // 32 bytes that both ends of this connection know, and nobody else; others for another purpose.
  std::array<std::uint8_t, 32> Export(std::string_view purpose) const;

 private:
  friend class TlsListener;
  struct State;
  explicit TlsTransport(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// Waits for the peer to connect.
class TlsListener {
 public:
  // An address of this machine, and a port; 0: any that is free.
  static Result<TlsListener> Open(const std::string& host, std::uint16_t port);
  TlsListener(TlsListener&& other) noexcept;
  TlsListener& operator=(TlsListener&&) = delete;
  ~TlsListener();

  std::uint16_t port() const { return port_; }
  // One connection. An error if the one who connects is not the peer.
  Result<std::unique_ptr<TlsTransport>> Accept(const TlsOptions& options);

 private:
  TlsListener(int socket, std::uint16_t port) : socket_(socket), port_(port) {}

  int socket_;
  std::uint16_t port_;
};

}  // namespace cordon::engine
