// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/tls_transport.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "cordon/base/check.h"
#include "cordon/crypto/frame.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kBytesAtOnce = 1 << 16;
constexpr std::string_view kExportLabel = "EXPERIMENTAL tdi1";

struct FreeOpenSsl {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeOpenSsl>;

// Closes what it holds.
class Socket {
 public:
  explicit Socket(int number) : number_(number) {}
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Error SocketError(std::string_view what) { return Error::Io("{}: {}", what, std::strerror(errno)); }

Result<Owned<addrinfo>> Resolve(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0) return Error::Io("{}: {}", host, gai_strerror(code));
  return Owned<addrinfo>(found);
}

// A wait with an end: bytes that trickle in do not put it off.
struct Deadline {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end;
  const char* late;  // what is said then, with the seconds
  int seconds;
  std::stop_token stop;

  static Deadline In(int seconds, const char* late, std::stop_token stop) {
    return {Clock::now() + std::chrono::seconds(seconds), late, seconds, std::move(stop)};
  }

  Result<void> Await(int socket, short events) const {
    constexpr std::int64_t kAtOnceMs = 200;
    while (true) {
      if (stop.stop_requested()) return Error::Cancelled();
      const std::int64_t left_ms = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left_ms <= 0) return Error::Io(fmt::runtime(late), seconds);
      pollfd waiting{socket, events, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(std::min(left_ms, kAtOnceMs)));
      if (ready > 0) return {};
      if (ready < 0 && errno != EINTR) return SocketError("waiting for the other party");
    }
  }
};
constexpr const char* kNobodyCame = "nobody has connected in {} seconds";
constexpr const char* kNoHandshake = "the other end has not shown who it is in {} seconds";
constexpr const char* kSilent = "the other party has been silent for {} seconds";
constexpr const char* kSlowFrame = "the other party has not sent a whole frame in {} seconds";
constexpr const char* kSlowReader = "the other party has not taken a frame in {} seconds";
constexpr const char* kNoAnswer = "no answer in {} seconds";

// Connects, or errno says why not.
bool ConnectBy(const Deadline& deadline, const Socket& made, const addrinfo& address) {
  if (made.number() < 0) return false;
  if (connect(made.number(), address.ai_addr, address.ai_addrlen) == 0) return true;
  if (errno != EINPROGRESS) return false;
  if (!deadline.Await(made.number(), POLLOUT).ok()) {
    errno = ETIMEDOUT;
    return false;
  }
  int code = 0;
  socklen_t size = sizeof code;
  if (getsockopt(made.number(), SOL_SOCKET, SO_ERROR, &code, &size) != 0) return false;
  errno = code;
  return code == 0;
}

// A peer whose machine or network is gone is noticed while we wait, without a byte of ours; and small frames leave at once.
void KeepAlive(int socket) {
  const int yes = 1, idle_seconds = 10, interval_seconds = 10, probes = 6;
  (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds, sizeof interval_seconds);
  (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

// Self-signed: only its key is checked.
Owned<X509> CertificateOf(EVP_PKEY* key) {
  Owned<X509> certificate(X509_new());
  CORDON_CHECK(certificate != nullptr);
  bool made = X509_set_version(certificate.get(), 2) == 1 &&
              ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1) == 1 &&
              X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0) != nullptr &&
              X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 60L * 60 * 24) != nullptr;
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  made = made &&
         X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("cordon"), -1, -1, 0) == 1;
  made = made && X509_set_issuer_name(certificate.get(), name) == 1 && X509_set_pubkey(certificate.get(), key) == 1 &&
         X509_sign(certificate.get(), key, nullptr) > 0;
  CORDON_CHECK(made);
  return certificate;
}

// Instead of the verification of a chain: the key is the agreed one, or the connection ends.
int HasAgreedKey(X509_STORE_CTX* store, void* agreed) {
  const X509* const certificate = X509_STORE_CTX_get0_cert(store);
  EVP_PKEY* const key = certificate == nullptr ? nullptr : X509_get0_pubkey(certificate);
  VerifyKey found{};
  std::size_t size = found.size();
  const bool same = key != nullptr && EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 &&
                    EVP_PKEY_get_raw_public_key(key, found.data(), &size) == 1 && size == found.size() &&
                    SameBytes(found, *static_cast<const VerifyKey*>(agreed));
  X509_STORE_CTX_set_error(store, same ? X509_V_OK : X509_V_ERR_CERT_REJECTED);
  return same ? 1 : 0;
}

enum class TlsEnd { kClient, kServer };

Owned<SSL_CTX> MakeContext(TlsEnd end, const TlsOptions& options, VerifyKey& peer) {
  Owned<SSL_CTX> context(SSL_CTX_new(end == TlsEnd::kServer ? TLS_server_method() : TLS_client_method()));
  CORDON_CHECK(context != nullptr);
  SSL_CTX* const raw = context.get();
  const Owned<EVP_PKEY> key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, options.key->seed()->data(), options.key->seed()->size()));
  CORDON_CHECK(key != nullptr);
  const Owned<X509> certificate = CertificateOf(key.get());
  const bool made = SSL_CTX_set_min_proto_version(raw, TLS1_3_VERSION) == 1 &&
                    SSL_CTX_set_max_proto_version(raw, TLS1_3_VERSION) == 1 && SSL_CTX_set_num_tickets(raw, 0) == 1 &&
                    SSL_CTX_set_max_early_data(raw, 0) == 1 && SSL_CTX_set1_sigalgs_list(raw, "ed25519") == 1 &&
                    SSL_CTX_use_certificate(raw, certificate.get()) == 1 && SSL_CTX_use_PrivateKey(raw, key.get()) == 1;
  CORDON_CHECK(made);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_cert_verify_callback(raw, HasAgreedKey, &peer);
  return context;
}

}  // namespace

std::string AddressText(const std::string& host, std::uint16_t port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

// TLS works on buffers in memory; bytes go to and from the socket here, so that a wait has an end and a peer that is gone
// raises no signal.
struct TlsTransport::State {
  Socket socket;
  int timeout_seconds;
  Deadline deadline;  // of what is done now
  VerifyKey peer;
  Owned<SSL_CTX> context;
  Owned<SSL> ssl;

  State(Socket own, TlsEnd end, const TlsOptions& options)
      : socket(std::move(own)),
        timeout_seconds(options.timeout_seconds),
        deadline(Deadline::In(options.timeout_seconds, kNoHandshake, options.stop)),
        peer(options.peer),
        context(MakeContext(end, options, peer)),
        ssl(SSL_new(context.get())) {
    CORDON_CHECK(ssl != nullptr);
    KeepAlive(socket.number());
    SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    end == TlsEnd::kServer ? SSL_set_accept_state(ssl.get()) : SSL_set_connect_state(ssl.get());
  }

  void Begin(const char* late) { deadline = Deadline::In(timeout_seconds, late, deadline.stop); }

  Result<void> Flush() {
    std::array<char, 1 << 14> buffer;
    while (true) {
      const int size = BIO_read(SSL_get_wbio(ssl.get()), buffer.data(), static_cast<int>(buffer.size()));
      if (size <= 0) return {};
      for (int done = 0; done < size;) {
        CORDON_RETURN_IF_ERROR(deadline.Await(socket.number(), POLLOUT));
        const ssize_t sent =
            send(socket.number(), buffer.data() + done, static_cast<std::size_t>(size - done), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EINTR && errno != EAGAIN) return SocketError("sending to the other party");
        if (sent > 0) done += static_cast<int>(sent);
      }
    }
  }

  Result<void> Fill() {
    std::array<char, 1 << 14> buffer;
    CORDON_RETURN_IF_ERROR(deadline.Await(socket.number(), POLLIN));
    const ssize_t size = recv(socket.number(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return {};
    if (size < 0) return SocketError("receiving from the other party");
    if (size == 0) return Error::Io("the other party has closed the connection");
    CORDON_CHECK_EQ(BIO_write(SSL_get_rbio(ssl.get()), buffer.data(), static_cast<int>(size)), static_cast<int>(size));
    return {};
  }

  // Repeats an operation of TLS until it is done, moving bytes in between: what it returned.
  template <typename Operation>
  Result<int> Drive(const Operation& operation) {
    while (true) {
      ERR_clear_error();
      const int result = operation();
      const int code = result > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl.get(), result);
      const Result<void> flushed = Flush();  // an alert, too, should reach the peer
      if (code == SSL_ERROR_NONE) {
        CORDON_RETURN_IF_ERROR(flushed);
        return result;
      }
      if (code == SSL_ERROR_ZERO_RETURN) return Error::Io("the other party has closed the connection");
      if (code != SSL_ERROR_WANT_READ) {
        const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
        return Error::Protocol("the connection is not one with the agreed peer: {}", reason == nullptr ? "TLS failed" : reason);
      }
      CORDON_RETURN_IF_ERROR(flushed);
      CORDON_RETURN_IF_ERROR(Fill());
    }
  }

  Result<void> Handshake() {
    CORDON_RETURN_IF_ERROR(Drive([&] { return SSL_do_handshake(ssl.get()); }));
    CORDON_CHECK_EQ(SSL_version(ssl.get()), TLS1_3_VERSION);
    CORDON_CHECK(SSL_get0_peer_certificate(ssl.get()) != nullptr);
    return {};
  }

  // Grows with what has arrived, not with what was announced.
  Result<void> ReadTo(std::string& bytes, std::size_t size) {
    while (bytes.size() < size) {
      const std::size_t start = bytes.size();
      const std::size_t wanted = std::min(kBytesAtOnce, size - start);
      bytes.resize(start + wanted);
      CORDON_TRY(const int read, Drive([&] { return SSL_read(ssl.get(), bytes.data() + start, static_cast<int>(wanted)); }));
      bytes.resize(start + static_cast<std::size_t>(read));
    }
    return {};
  }
};

TlsTransport::TlsTransport(std::unique_ptr<State> state) : state_(std::move(state)) {}

TlsTransport::~TlsTransport() {
  SSL_shutdown(state_->ssl.get());
  state_->Begin(kSlowReader);
  (void)state_->Flush();
}

Result<std::unique_ptr<TlsTransport>> TlsTransport::Connect(const std::string& host, std::uint16_t port,
                                                            const TlsOptions& options) {
  constexpr auto kBetweenTries = std::chrono::milliseconds(200);
  CORDON_TRY(const Owned<addrinfo> addresses, Resolve(host, port, 0));
  const Deadline deadline = Deadline::In(options.timeout_seconds, kNoAnswer, options.stop);
  while (true) {
    for (const addrinfo* each = addresses.get(); each != nullptr; each = each->ai_next) {
      Socket made(socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, each->ai_protocol));
      if (!ConnectBy(deadline, made, *each)) continue;
      auto state = std::make_unique<State>(std::move(made), TlsEnd::kClient, options);
      CORDON_RETURN_IF_ERROR(state->Handshake());
      return std::unique_ptr<TlsTransport>(new TlsTransport(std::move(state)));
    }
    const int failed = errno;
    if (options.stop.stop_requested()) return Error::Cancelled();
    if (Deadline::Clock::now() + kBetweenTries > deadline.end) {
      errno = failed;
      return SocketError(fmt::format("connecting to {}", AddressText(host, port)))
          .WithHint("this party has tried for {} seconds: does the other one listen there, and do both firewalls let it?",
                    options.timeout_seconds);
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

Result<void> TlsTransport::Send(std::string_view frame) {
  state_->Begin(kSlowReader);
  while (!frame.empty()) {
    const std::string_view part = frame.substr(0, kBytesAtOnce);
    CORDON_TRY(const int written,
               state_->Drive([&] { return SSL_write(state_->ssl.get(), part.data(), static_cast<int>(part.size())); }));
    frame.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> TlsTransport::Receive() {
  std::string frame;
  state_->Begin(kSilent);  // it may have to compute
  CORDON_RETURN_IF_ERROR(state_->ReadTo(frame, 1));
  state_->Begin(kSlowFrame);
  CORDON_RETURN_IF_ERROR(state_->ReadTo(frame, kFrameHeaderBytes));
  CORDON_TRY(const FrameHeader header, DecodeFrameHeader(frame));
  CORDON_RETURN_IF_ERROR(state_->ReadTo(frame, kFrameHeaderBytes + header.length));
  return frame;
}

std::array<std::uint8_t, 32> TlsTransport::Export(std::string_view purpose) const {
  std::array<std::uint8_t, 32> bytes;
  CORDON_CHECK_EQ(
      SSL_export_keying_material(state_->ssl.get(), bytes.data(), bytes.size(), kExportLabel.data(), kExportLabel.size(),
                                 reinterpret_cast<const unsigned char*>(purpose.data()), purpose.size(), 1),
      1);
  return bytes;
}

Result<TlsListener> TlsListener::Open(const std::string& host, std::uint16_t port) {
  CORDON_TRY(const Owned<addrinfo> addresses, Resolve(host, port, AI_PASSIVE));
  Socket made(socket(addresses->ai_family, addresses->ai_socktype | SOCK_CLOEXEC, addresses->ai_protocol));
  const int yes = 1;
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  auto* const address = reinterpret_cast<sockaddr*>(&bound);
  std::array<char, 16> text{};
  if (made.number() < 0 || setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(made.number(), addresses->ai_addr, addresses->ai_addrlen) != 0 || listen(made.number(), 1) != 0 ||
      getsockname(made.number(), address, &size) != 0 ||
      getnameinfo(address, size, nullptr, 0, text.data(), text.size(), NI_NUMERICSERV) != 0) {
    return SocketError(fmt::format("listening on {}", AddressText(host, port)));
  }
  return TlsListener(made.Release(), static_cast<std::uint16_t>(std::stoi(text.data())));
}

TlsListener::TlsListener(TlsListener&& other) noexcept : socket_(std::exchange(other.socket_, -1)), port_(other.port_) {}

TlsListener::~TlsListener() {
  if (socket_ >= 0) close(socket_);
}

Result<std::unique_ptr<TlsTransport>> TlsListener::Accept(const TlsOptions& options) {
  CORDON_RETURN_IF_ERROR(Deadline::In(options.timeout_seconds, kNobodyCame, options.stop).Await(socket_, POLLIN));
  Socket made(accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
  if (made.number() < 0) return SocketError("accepting a connection");
  auto state = std::make_unique<TlsTransport::State>(std::move(made), TlsEnd::kServer, options);
  CORDON_RETURN_IF_ERROR(state->Handshake());
  return std::unique_ptr<TlsTransport>(new TlsTransport(std::move(state)));
}

}  // namespace cordon::engine
