// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/row_sink.h"

namespace cordon::engine {

RowSink::RowSink(const RowFormat& rows, const RowSinkOptions& options, Random names)
    : rows_(rows), options_(options), names_(std::move(names)) {}

void RowSink::Write(std::string_view body, std::string& out) {
  const std::size_t start = taken_.size();
  rows_.AppendStart(++num_rows_, taken_);
  taken_ += body;
  if (num_rows_ > options_.resume_after) out.append(taken_, start);
}

void RowSink::Release(std::string& out) {
  while (!waiting_.empty() && waiting_.front().done) {
    if (!waiting_.front().body.empty()) Write(waiting_.front().body, out);
    waiting_.pop_front();
    ++head_;
  }
}

RowFrame RowSink::FrameOf(const Departure& departure) const {
  if (departure.kind == Departure::Kind::kSuppressed) return rows_.Frame(departure.box, std::nullopt);
  if (!rows_.shows_group()) return rows_.Frame(departure.box, "");
  const auto number = static_cast<std::uint64_t>(departure.group);
  return rows_.Frame(departure.box, fmt::format("{:016x}", names_.Substream("group", number).Next()));
}

// Rows that need not wait and were not written before go straight to where they are written.
void RowSink::TakeReady(const Departure& departure, const RowFrame& frame, const PayloadStore& store, std::string& out) {
  const bool again = num_rows_ < options_.resume_after;
  const bool suppressed = departure.kind == Departure::Kind::kSuppressed;
  std::string& to = again ? taken_ : out;
  const std::size_t start = to.size();
  const std::vector<Position>& positions = departure.positions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    store.Fetch(positions, i);
    const std::size_t row = to.size();
    rows_.AppendStart(++num_rows_, to);
    rows_.AppendBody(frame, suppressed ? rows_.blank_payload() : store.Get(positions[i]).payload(), to);
    if (again && num_rows_ > options_.resume_after) out.append(to, row);
  }
  shown_ = std::string_view(to).substr(start);
}

void RowSink::Take(const VerifiedDeparture& verified, const PayloadStore& store, std::string& out) {
  const Departure& departure = verified.departure();
  taken_.clear();
  shown_ = {};
  const bool suppressed = departure.kind == Departure::Kind::kSuppressed;
  const bool published = !suppressed || options_.blank_suppressed;
  const RowFrame frame = published ? FrameOf(departure) : RowFrame();
  if (options_.order == RowSinkOptions::Order::kReady) {
    if (published) TakeReady(departure, frame, store, out);
    return;
  }
  for (const Position position : departure.positions) {
    body_.clear();
    if (published) rows_.AppendBody(frame, suppressed ? rows_.blank_payload() : store.Get(position).payload(), body_);
    const auto at = static_cast<std::size_t>(position - head_);
    if (waiting_.size() <= at) waiting_.resize(at + 1);
    waiting_[at] = {true, body_};
  }
  Release(out);
  shown_ = taken_;
}

void RowSink::Save(ByteWriter& out) const {
  out.Count(num_rows_);
  out.Whole(head_);
  out.Count(waiting_.size());
  for (const Waiting& waiting : waiting_) {
    out.Flag(waiting.done);
    out.Text(waiting.body);
  }
}

void RowSink::Restore(ByteReader& in) {
  num_rows_ = in.Count();
  head_ = in.Whole();
  waiting_.clear();
  for (std::size_t left = in.Length(); left > 0 && in.ok(); --left) {
    Waiting waiting;
    waiting.done = in.Flag();
    waiting.body = std::string(in.Text());
    waiting_.push_back(std::move(waiting));
  }
}

}  // namespace cordon::engine
