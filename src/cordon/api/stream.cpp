// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream.h"

#include "cordon/publish/stream/stream_session.h"

namespace cordon {

struct StreamAnonymizer::Parts {
  Policy policy;
  std::unique_ptr<engine::StreamSession> session;
};

namespace {

Result<StreamOutput> OutputOf(engine::Result<engine::SessionOutput> step) {
  CORDON_TRY(engine::SessionOutput out, std::move(step));
  StreamOutput made{Table(std::make_shared<const engine::Table>(std::move(out.rows))), {}};
  for (engine::DeadLetter& letter : out.refused) made.refused.push_back({letter.line, std::move(letter.reason)});
  return made;
}

}  // namespace

StreamAnonymizer::StreamAnonymizer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
StreamAnonymizer::StreamAnonymizer(StreamAnonymizer&&) noexcept = default;
StreamAnonymizer& StreamAnonymizer::operator=(StreamAnonymizer&&) noexcept = default;
StreamAnonymizer::~StreamAnonymizer() = default;

Result<StreamAnonymizer> StreamAnonymizer::Start(const Policy& policy, std::vector<std::string> columns,
                                                 const StreamOptions& options) {
  CORDON_TRY(std::unique_ptr<engine::StreamSession> session,
             engine::StreamSession::Start(
                 policy.inner(), std::move(columns),
                 {.algorithm = options.algorithm, .group_column = options.group_column, .seed = options.seed}));
  return StreamAnonymizer(std::make_unique<Parts>(Parts{policy, std::move(session)}));
}

Result<StreamAnonymizer> StreamAnonymizer::Restore(const Policy& policy, std::string_view saved) {
  CORDON_TRY(std::unique_ptr<engine::StreamSession> session, engine::StreamSession::Restore(policy.inner(), saved));
  return StreamAnonymizer(std::make_unique<Parts>(Parts{policy, std::move(session)}));
}

Result<StreamOutput> StreamAnonymizer::Push(const Table& rows) { return OutputOf(parts_->session->Push(*rows.inner())); }
Result<StreamOutput> StreamAnonymizer::Advance(std::int64_t milliseconds) {
  return OutputOf(parts_->session->Advance(milliseconds));
}
Result<StreamOutput> StreamAnonymizer::Flush() { return OutputOf(parts_->session->Flush()); }

Result<std::string> StreamAnonymizer::Save() const {
  CORDON_TRY(std::string saved, parts_->session->Save());
  return saved;
}

StreamFigures StreamAnonymizer::figures() const {
  const engine::StreamMetrics& metrics = parts_->session->metrics();
  return {.pushed = metrics.records,
          .published = metrics.released,
          .suppressed = metrics.suppressed,
          .refused = metrics.dead_letters,
          .waiting = parts_->session->waiting(),
          .information_loss = metrics.information_loss()};
}

}  // namespace cordon
