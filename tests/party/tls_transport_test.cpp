// SPDX-License-Identifier: Apache-2.0
//
// Two ends of one machine: the agreed peer gets in, nobody else does, and a party runs over it as over a pipe.
#include "cordon/party/tls_transport.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "cordon/crypto/payload.h"
#include "tests/party/two_sides.h"

namespace cordon::engine::testing {
namespace {

using Connected = Result<std::unique_ptr<TlsTransport>>;
struct Ends {
  Connected client, server;
};

TlsOptions OptionsOf(PartyRole own, int timeout_seconds = 20) {
  const PartyRole other = own == PartyRole::kA ? PartyRole::kB : PartyRole::kA;
  return {.key = &KeyOfRole(own), .peer = KeyOfRole(other).verify_key(), .timeout_seconds = timeout_seconds};
}

Ends ConnectEnds(const TlsOptions& client, const TlsOptions& server) {
  TlsListener listener = TlsListener::Open("127.0.0.1", 0).value();
  std::optional<Connected> accepted;
  std::thread other([&] { accepted.emplace(listener.Accept(server)); });
  Connected connected = TlsTransport::Connect("127.0.0.1", listener.port(), client);
  other.join();
  return {std::move(connected), *std::move(accepted)};
}

std::string FrameOfClassLabels(std::size_t rows) {
  const std::vector<std::uint32_t> labels(rows, 1);
  return FrameSequence(PartyRole::kA).Seal(MakeFrame(ClassLabelsPayload{PackedNumbers::Pack(labels, 2)}));
}

TEST(TlsTransport, FramesArriveWholeAndBothEndsKnowTheSameSecret) {
  Ends ends = ConnectEnds(OptionsOf(PartyRole::kA), OptionsOf(PartyRole::kB));
  ASSERT_TRUE(ends.client.ok()) << ends.client.error().message();
  ASSERT_TRUE(ends.server.ok()) << ends.server.error().message();
  TlsTransport& client = *ends.client.value();
  TlsTransport& server = *ends.server.value();
  EXPECT_EQ(client.Export("run key"), server.Export("run key"));
  EXPECT_NE(client.Export("run key"), client.Export("channel binding"));
  for (const std::size_t rows : {std::size_t{1}, std::size_t{1'000}, std::size_t{20'000'000}}) {  // 2.5 MB
    const std::string frame = FrameOfClassLabels(rows);
    std::thread sender([&] { EXPECT_TRUE(client.Send(frame).ok()); });
    const Result<std::string> received = server.Receive();
    sender.join();
    ASSERT_TRUE(received.ok());
    EXPECT_TRUE(received.value() == frame);
  }
  Ends again = ConnectEnds(OptionsOf(PartyRole::kA), OptionsOf(PartyRole::kB));
  EXPECT_NE(client.Export("run key"), again.client.value()->Export("run key"));
}

TEST(TlsTransport, AnotherKeyIsNotLetIn) {
  TlsOptions wrong = OptionsOf(PartyRole::kA);
  wrong.peer[0] ^= 1;  // the client expects somebody else
  Ends ends = ConnectEnds(wrong, OptionsOf(PartyRole::kB));
  EXPECT_EQ(ends.client.error().kind(), ErrorKind::kProtocol);
  EXPECT_FALSE(ends.server.ok());

  TlsOptions strict = OptionsOf(PartyRole::kB);
  strict.peer[0] ^= 1;  // the server expects somebody else
  ends = ConnectEnds(OptionsOf(PartyRole::kA), strict);
  EXPECT_EQ(ends.server.error().kind(), ErrorKind::kProtocol);
  EXPECT_TRUE(!ends.client.ok() ||
              !ends.client.value()->Receive().ok());  // in TLS 1.3 a client learns it from the first answer
}

// A client of our own making, with what it lacks.
Connected AcceptFrom(const std::function<void(SSL_CTX*)>& configure) {
  TlsListener listener = TlsListener::Open("127.0.0.1", 0).value();
  std::thread client([&] {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(listener.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int number = socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(connect(number, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
    configure(context);
    SSL* const ssl = SSL_new(context);
    SSL_set_fd(ssl, number);
    char byte = 0;
    if (SSL_connect(ssl) == 1) SSL_read(ssl, &byte, 1);  // until the server has judged
    SSL_free(ssl);
    SSL_CTX_free(context);
    close(number);
  });
  Connected accepted = listener.Accept(OptionsOf(PartyRole::kB, 5));
  client.join();
  return accepted;
}

TEST(TlsTransport, AClientWithoutACertificateOrWithAnOlderVersionIsRefused) {
  EXPECT_EQ(AcceptFrom([](SSL_CTX*) {}).error().kind(), ErrorKind::kProtocol);
  EXPECT_EQ(AcceptFrom([](SSL_CTX* context) { SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION); }).error().kind(),
            ErrorKind::kProtocol);
}

TEST(TlsTransport, AnOversizedFrameIsRefusedByItsHeader) {
  Ends ends = ConnectEnds(OptionsOf(PartyRole::kA), OptionsOf(PartyRole::kB));
  std::string header = FrameOfClassLabels(1).substr(0, kFrameHeaderBytes);
  header.replace(8, 4, "\xff\xff\xff\xff");
  ASSERT_TRUE(ends.client.value()->Send(header).ok());
  EXPECT_EQ(ends.server.value()->Receive().error().kind(), ErrorKind::kProtocol);
}

TEST(TlsTransport, ASilentOrLostPeerEndsTheWait) {
  Ends ends = ConnectEnds(OptionsOf(PartyRole::kA), OptionsOf(PartyRole::kB, 1));
  EXPECT_EQ(ends.server.value()->Receive().error().message(), "the other party has been silent for 1 seconds");
  const std::string frame = FrameOfClassLabels(1'000);
  ASSERT_TRUE(ends.client.value()->Send(frame.substr(0, 100)).ok());
  ends.client = Error::Io("gone");
  EXPECT_EQ(ends.server.value()->Receive().error().kind(), ErrorKind::kIo);
  for (int i = 0; i < 50; ++i) (void)ends.server.value()->Send(frame);  // raises no signal
  EXPECT_EQ(TlsTransport::Connect("127.0.0.1", 1, OptionsOf(PartyRole::kA)).error().kind(), ErrorKind::kIo);
}

// A client that sends a byte every now and then: by TCP alone, or inside the connection.
TEST(TlsTransport, BytesThatTrickleInDoNotPutTheEndOff) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  constexpr auto kBetweenBytes = std::chrono::milliseconds(100);
  {
    TlsListener listener = TlsListener::Open("127.0.0.1", 0).value();
    std::atomic<bool> done = false;
    std::thread client([&] {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(listener.port());
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      const int number = socket(AF_INET, SOCK_STREAM, 0);
      ASSERT_EQ(connect(number, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
      std::string start("\x16\x03\x01\x02\x00\x01", 6);  // of a client's greeting, 512 bytes long
      for (int i = 0; i < 80 && !done; ++i) {
        if (send(number, start.data(), start.size(), MSG_NOSIGNAL) < 0) break;
        start = std::string(1, '\0');
        std::this_thread::sleep_for(kBetweenBytes);
      }
      close(number);
    });
    const auto start = Clock::now();
    const Connected accepted = listener.Accept(OptionsOf(PartyRole::kB, 1));
    EXPECT_LT(seconds_since(start), 4);
    done = true;
    client.join();
    EXPECT_EQ(accepted.error().message(), "the other end has not shown who it is in 1 seconds");
  }
  Ends ends = ConnectEnds(OptionsOf(PartyRole::kA), OptionsOf(PartyRole::kB, 1));
  const std::string frame = FrameOfClassLabels(1'000);
  std::atomic<bool> done = false;
  std::thread client([&] {
    for (std::size_t i = 0; i < 80 && !done; ++i) {
      if (!ends.client.value()->Send(frame.substr(i, 1)).ok()) break;
      std::this_thread::sleep_for(kBetweenBytes);
    }
  });
  const auto start = Clock::now();
  const Result<std::string> received = ends.server.value()->Receive();
  EXPECT_LT(seconds_since(start), 4);
  done = true;
  client.join();
  EXPECT_EQ(received.error().message(), "the other party has not sent a whole frame in 1 seconds");
}

TEST(TlsTransport, SaysThatNobodyCame) {
  TlsListener listener = TlsListener::Open("127.0.0.1", 0).value();
  EXPECT_EQ(listener.Accept(OptionsOf(PartyRole::kA, 1)).error().message(), "nobody has connected in 1 seconds");
  EXPECT_EQ(AddressText("::1", 7000), "[::1]:7000");
  EXPECT_EQ(AddressText("127.0.0.1", 7000), "127.0.0.1:7000");
}

TEST(TlsTransport, CarriesARun) {
  TwoSides sides(Table7(true), {true, false, false}, 1);
  Ends ends = ConnectEnds(OptionsOf(PartyRole::kA), OptionsOf(PartyRole::kB));
  const auto binding = ends.client.value()->Export("channel binding");
  for (Side* side : {&sides.a(), &sides.b()}) {
    side->input.channel_binding = binding;
  }
  std::optional<Result<PartyResult>> of_b;
  std::thread other([&] { of_b.emplace(RunParty(sides.b().input, {}, *ends.server.value(), {})); });
  const Result<PartyResult> of_a = RunParty(sides.a().input, {}, *ends.client.value(), {});
  other.join();
  ASSERT_TRUE(of_a.ok()) << of_a.error().message();
  ASSERT_TRUE(of_b->ok());
  EXPECT_EQ(of_a.value().rounds, 5u);
  EXPECT_EQ(sides.a().party->Published(*of_a.value().search), sides.b().party->Published(*of_b->value().search));
}

}  // namespace
}  // namespace cordon::engine::testing
