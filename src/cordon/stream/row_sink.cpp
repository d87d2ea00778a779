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

void RowSink::Take(const VerifiedDeparture& verified, const PayloadStore& store, std::string& out) {
  const Departure& departure = verified.departure();
  taken_.clear();
  const bool suppressed = departure.kind == Departure::Kind::kSuppressed;
  const bool published = !suppressed || options_.blank_suppressed;
  const std::vector<std::string> box = rows_.RenderBox(departure.box);
  std::string group;
  if (published) {
    const std::string name =
        suppressed ? "" : fmt::format("{:016x}", names_.Substream("group", static_cast<std::uint64_t>(departure.group)).Next());
    group = rows_.RenderGroup(suppressed ? std::nullopt : std::optional<std::string_view>(name));
  }
  for (const Position position : departure.positions) {
    body_.clear();
    if (published) rows_.AppendBody(box, suppressed ? rows_.blank_payload() : store.Get(position).payload, group, body_);
    if (options_.order == RowSinkOptions::Order::kReady) {
      if (published) Write(body_, out);
      continue;
    }
    const auto at = static_cast<std::size_t>(position - head_);
    if (waiting_.size() <= at) waiting_.resize(at + 1);
    waiting_[at] = {true, body_};
  }
  if (options_.order == RowSinkOptions::Order::kArrival) Release(out);
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
