// SPDX-License-Identifier: Apache-2.0
//
// Judges the groups of a stream against the windows they claim. It keeps the sensitive values of the newest tuples itself,
// in order of arrival, whether they have left or not, and counts a claimed window from them; the formulas are those of the
// verifier of tables (verify_internal.h), with the window in the place of the table.
//
// A claim holds only for exactly `window` consecutive tuples that are all known and hold every member. A stream that ends
// before it has that many may be compared with all of it, if it was agreed so; after that nothing may arrive any more.
//
// An audit after the fact does not know the values of tuples that were never published: it tells this by kNull, and where
// they could decide either way, the answer is that it cannot be told.
//
// Memory: `keep` values of each column that a model looks at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/base/result.h"
#include "cordon/data/stream.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

class WindowVerifier {
 public:
  enum class Answer { kHolds, kFails, kUnknown };
  struct Judgement {
    Answer answer = Answer::kHolds;
    std::string what;  // if it does not hold: goes on after "it" or names the model
  };
  struct Options {
    std::int64_t keep = 0;      // tuples that a window may reach back
    bool short_window = false;  // a stream that ends early is its own window
    bool gaps = false;          // values may be unknown
  };

  // Of the window models among the specs; they may be none. An error if a column is not there or not declared.
  static Result<WindowVerifier> Make(const StreamSchema& schema, std::span<const ModelSpec> specs, const Options& options);
  WindowVerifier(WindowVerifier&&) noexcept;
  WindowVerifier& operator=(WindowVerifier&&) noexcept;
  ~WindowVerifier();

  bool empty() const { return models_.empty(); }
  // The sensitive codes of the next tuple, by column of the schema. What is wrong with them, or null.
  const char* Arrive(std::span<const std::int32_t> sensitive);
  // Members by position, all of them arrived; `sensitive` has their codes, by column of the schema.
  using Codes = std::span<const std::int64_t>;
  Judgement Judge(const PositionRange& window, std::span<const Position> members, std::span<const Codes> sensitive);

  Position newest() const { return newest_; }
  std::string Fingerprint() const;
  void Save(ByteWriter& writer) const;
  void Restore(ByteReader& reader);  // into one made with the same arguments

 private:
  struct Model;  // one model, the column it looks at, and its judges of the window that was counted last

  WindowVerifier();
  std::string FaultOf(const PositionRange& window, std::span<const Position> members) const;
  void CountWindow(Model& model, const PositionRange& window) const;
  static Answer Ask(const Model& model, std::span<const Codes> sensitive);
  Position oldest() const { return std::max<Position>(1, newest_ - options_.keep + 1); }
  std::int32_t& At(std::size_t column, Position position) {
    return rings_[column][static_cast<std::size_t>(position) & (rings_[column].size() - 1)];
  }
  std::int32_t At(std::size_t column, Position position) const {
    return rings_[column][static_cast<std::size_t>(position) & (rings_[column].size() - 1)];
  }
  void Grow();

  Options options_;
  std::vector<Model> models_;
  std::vector<std::size_t> columns_;              // of the schema, ascending
  std::vector<std::int32_t> sizes_;               // of their domains
  std::vector<std::vector<std::int32_t>> rings_;  // by column: codes at position % size, a power of two
  Position newest_ = 0;
  bool ended_ = false;  // a short window was claimed
};

}  // namespace cordon::engine
