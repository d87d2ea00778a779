// SPDX-License-Identifier: Apache-2.0
//
// Two parties with a table each, and a pipe between them inside one process.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cordon/party/run_party.h"
#include "tests/algorithms/top_down/joint_table.h"

namespace cordon::engine::testing {

// Frames in one direction.
class Pipe {
 public:
  void Push(std::string frame) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    frames_.push_back(std::move(frame));
    changed_.notify_all();
  }
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  Result<std::string> Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !frames_.empty(); });
    if (frames_.empty()) return Error::Io("the connection is lost");
    std::string frame = std::move(frames_.front());
    frames_.pop_front();
    return frame;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> frames_;
  bool closed_ = false;
};

// One end. `tamper` gives the frames that arrive instead of the n-th one; none: the connection is lost.
class PipeEnd final : public Transport {
 public:
  using Tamper = std::function<std::vector<std::string>(std::size_t n, const std::string& frame)>;
  PipeEnd(Pipe& out, Pipe& in, Tamper tamper) : out_(out), in_(in), tamper_(std::move(tamper)) {}

  Result<void> Send(std::string_view frame) override {
    sent_.emplace_back(frame);
    std::vector<std::string> arriving = tamper_ ? tamper_(sent_.size() - 1, sent_.back()) : std::vector{sent_.back()};
    if (arriving.empty()) out_.Close();
    for (std::string& each : arriving) out_.Push(std::move(each));
    return {};
  }
  Result<std::string> Receive() override { return in_.Pop(); }
  const std::vector<std::string>& sent() const { return sent_; }

 private:
  Pipe& out_;
  Pipe& in_;
  Tamper tamper_;
  std::vector<std::string> sent_;
};

// One party's table: rows of the joint table in its own order, and people whom the other does not have (kNobody).
inline constexpr std::size_t kNobody = ~std::size_t{0};
struct Side {
  std::vector<bool> holds;
  std::vector<std::size_t> rows;
  std::vector<std::string> ids;
  PartyInput input;
  std::optional<JointParty> party;
};

inline SigningKey TestKey(PartyRole role) {
  Secret<SigningKey::Seed> seed;
  seed->fill(static_cast<std::uint8_t>(role));
  return SigningKey::FromSeed(seed);
}
inline const SigningKey& KeyOfRole(PartyRole role) {
  static const SigningKey a = TestKey(PartyRole::kA), b = TestKey(PartyRole::kB);
  return role == PartyRole::kA ? a : b;
}

// The same bytes in every run: then records have the same numbers.
inline ByteSource RepeatableBytes(std::uint64_t seed) {
  return [random = std::make_shared<Random>(Random::FromSeed(seed))](std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random->Next());
  };
}

class TwoSides {
 public:
  TwoSides(Joint joint, std::vector<bool> of_a, std::uint64_t seed, std::size_t strangers = 5)
      : joint_(std::move(joint)), random_(seed) {
    std::vector<bool> of_b = of_a;
    of_b.flip();
    Fill(a_, PartyRole::kA, of_a, strangers);
    Fill(b_, PartyRole::kB, of_b, strangers);
  }

  Side& a() { return a_; }
  Side& b() { return b_; }
  const Joint& joint() const { return joint_; }

  struct Ended {
    Result<PartyResult> a, b;
    std::vector<std::string> sent_by_a, sent_by_b;
  };
  Ended Run(PipeEnd::Tamper tamper_a = {}, PipeEnd::Tamper tamper_b = {}) {
    Pipe to_a, to_b;
    PipeEnd end_a(to_b, to_a, std::move(tamper_a)), end_b(to_a, to_b, std::move(tamper_b));
    std::optional<Result<PartyResult>> of_b;
    std::thread other([&] {
      of_b.emplace(RunParty(b_.input, {}, end_b, {}));
      to_a.Close();
    });
    Result<PartyResult> of_a = RunParty(a_.input, {}, end_a, {});
    to_b.Close();
    other.join();
    return {std::move(of_a), *std::move(of_b), end_a.sent(), end_b.sent()};
  }

 private:
  void Fill(Side& side, PartyRole role, const std::vector<bool>& holds, std::size_t strangers) {
    side.holds = holds;
    for (std::size_t row = 0; row < joint_.data.num_rows; ++row) side.rows.push_back(row);
    side.rows.insert(side.rows.end(), strangers, kNobody);
    std::shuffle(side.rows.begin(), side.rows.end(), random_);
    for (std::size_t i = 0; i < side.rows.size(); ++i) {
      side.ids.push_back(side.rows[i] == kNobody ? std::string(1, static_cast<char>(role)) + std::to_string(i)
                                                 : "common " + std::to_string(side.rows[i]));
    }
    PartyInput& input = side.input;
    input.role = role;
    for (std::size_t i = 0; i < side.rows.size(); ++i) {
      input.ids.emplace_back(side.ids[i]);
      input.classes.emplace_back(kLabels[side.rows[i] == kNobody ? 0 : joint_.labels.of_row[side.rows[i]]]);
    }
    input.max_peer_ids = 1000;
    input.key = &KeyOfRole(role);
    input.peer_key = KeyOfRole(role == PartyRole::kA ? PartyRole::kB : PartyRole::kA).verify_key();
    input.bytes = RepeatableBytes(static_cast<std::uint64_t>(role));
    input.matching = Random::FromSeed(static_cast<std::uint64_t>(role));
    input.make_search = [this, &side](std::span<const std::size_t> records) -> Result<std::unique_ptr<TopDown>> {
      std::vector<std::size_t> rows;
      for (const std::size_t record : records) rows.push_back(side.rows[record]);
      CORDON_CHECK_EQ(std::count(rows.begin(), rows.end(), kNobody), 0);
      side.party.emplace(WithRows(joint_, rows), side.holds);
      return side.party->Make();
    };
  }

  static constexpr std::array<std::string_view, 3> kLabels = {"no", "yes", "maybe"};
  Joint joint_;
  std::mt19937_64 random_;
  Side a_, b_;
};

}  // namespace cordon::engine::testing
