// SPDX-License-Identifier: Apache-2.0
#include "cordon/joint/run_joint.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

#include "cordon/bind/bind.h"
#include "cordon/bind/bind_party.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/open_source.h"
#include "cordon/io/sink.h"
#include "cordon/joint/audit_party.h"
#include "cordon/joint/party_keys.h"
#include "cordon/joint/party_register.h"
#include "cordon/joint/party_search.h"
#include "cordon/party/journal.h"
#include "cordon/party/resume.h"
#include "cordon/party/run_party.h"
#include "cordon/party/tls_transport.h"
#include "cordon/policy/read_policy.h"
#include "cordon/report/manifest.h"

namespace cordon::engine {
namespace {

constexpr int kServeSeconds = 60;  // for a peer that lacks the last frame of a run that is at its end here

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Address {
  std::string host;
  std::uint16_t port = 0;
};

Result<Address> ParseAddress(const std::string& text, const char* flag) {
  const std::size_t colon = text.rfind(':');
  std::uint32_t port = 0;
  bool good = colon != std::string::npos && colon > 0 && colon + 1 < text.size() && text.size() - colon <= 6;
  for (std::size_t i = colon + 1; good && i < text.size(); ++i) {
    good = text[i] >= '0' && text[i] <= '9';
    port = port * 10 + static_cast<std::uint32_t>(text[i] - '0');
  }
  if (!good || port > 65535) return Error::InvalidPolicy("{} {}: not HOST:PORT", flag, text).WithHint("such as 10.0.0.7:7000");
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);  // IPv6
  return Address{std::move(host), static_cast<std::uint16_t>(port)};
}

// What a run needs to go on, and nobody else may see: how ids were masked, then which rows the common people are. Next to the
// journal, and gone when the release is written.
class PrivateState {
 public:
  explicit PrivateState(const std::string& journal) : path_(journal + ".private") {}

  Result<void> Read() {
    CORDON_TRY(const std::string text, ReadFile(path_));
    const Json json = ParseJson(text);
    if (json.is_object() && json.contains("matching") && json["matching"].is_string()) {
      CORDON_TRY(matching, Random::Restore(json["matching"].get<std::string>()).WithContext("reading {}", path_));
      return {};
    }
    if (!json.is_object() || !json.contains("rows") || !json["rows"].is_array()) {
      return Error::InvalidData("{} is not the private state of a run", path_);
    }
    rows.emplace();
    for (const Json& row : json["rows"]) rows->push_back(row.is_number_unsigned() ? row.get<std::size_t>() : SIZE_MAX);
    return {};
  }
  Result<void> KeepMatching() const { return Write({{"format", 1}, {"matching", matching.Save()}}); }
  Result<void> KeepRows(std::span<const std::size_t> found) const {
    return Write({{"format", 1}, {"rows", std::vector<std::size_t>(found.begin(), found.end())}});
  }
  bool there() const { return std::filesystem::exists(path_); }
  const std::string& path() const { return path_; }
  void Remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  Random matching = Random::FromOperatingSystem();
  std::optional<std::vector<std::size_t>> rows;

 private:
  Result<void> Write(const Json& json) const { return WriteFile(path_, json.dump(), AtomicFile::Access::kPrivate); }
  std::string path_;
};

// For a run that is at its end: nothing is left to say.
class NoTransport final : public Transport {
 public:
  Result<void> Send(std::string_view) override { return Error::Io("the journal ends before the run"); }
  Result<std::string> Receive() override { return Error::Io("the journal ends before the run"); }
};

std::string ManifestOf(const JointRequest& request) { return request.output + ".manifest.json"; }

class JointRun {
 public:
  JointRun(const JointRequest& request, const Policy& policy, const Run& run) : request_(request), policy_(policy), run_(run) {}
  JointRun(const JointRun&) = delete;
  JointRun& operator=(const JointRun&) = delete;
  ~JointRun() {
    WipeMemory(pepper_.data(), pepper_.size());
    WipeMemory(input_.pepper.data(), input_.pepper.size());
  }

  Result<JointReport> Go() {
    CORDON_RETURN_IF_ERROR(CheckRequest());
    CORDON_RETURN_IF_ERROR(ReadOwnTable());
    if (!request_.resume) CORDON_RETURN_IF_ERROR(CheckRegister());
    if (request_.dry_run) return std::move(report_);
    CORDON_RETURN_IF_ERROR(request_.resume ? Resume() : Start());
    CORDON_TRY(const std::string journal, PosixFiles().Read(request_.journal));
    CORDON_TRY(const JournalAudit audit, AuditJournal(journal));
    for (const auto& [type, traffic] : audit.sent) report_.sent_bytes += traffic.bytes;
    for (const auto& [type, traffic] : audit.received) report_.received_bytes += traffic.bytes;
    report_.cpu_seconds = CpuSeconds();
    return std::move(report_);
  }

 private:
  const CheckedParty& party() const { return report_.party; }

  Result<void> CheckRequest() {
    CORDON_TRY(report_.party, CheckParty(policy_, request_.party));
    report_.dry_run = request_.dry_run;
    if (!request_.dry_run && request_.approved != ToHex(party().digest)) {
      return Error::InvalidPolicy("{} the joint policy {}", request_.approved.empty() ? "nobody has approved" : "this is not",
                                  request_.approved.empty() ? ToHex(party().digest) : "that was approved")
          .WithHint("read what cordon policy check {} --party {} says, then give --approve {}", policy_.name, party().name,
                    ToHex(party().digest));
    }
    CORDON_TRY(key_, ReadOwnKey());
    CORDON_TRY(pepper_, ReadPepper(request_.pepper));
    CORDON_CHECK(FromHex(party().peer_key, peer_key_));
    if (request_.dry_run) return {};
    if (request_.listen.empty() == request_.connect.empty()) {
      return Error::InvalidPolicy("one party listens, the other connects")
          .WithHint("give --listen HOST:PORT or --connect HOST:PORT");
    }
    CORDON_TRY(address_, ParseAddress(request_.listen.empty() ? request_.connect : request_.listen,
                                      request_.listen.empty() ? "--connect" : "--listen"));
    if (request_.output.empty() || request_.output == "-") {
      return Error::InvalidPolicy("where should the release go?").WithHint("give --output FILE");
    }
    std::vector<std::pair<std::string, std::string>> paths = {{"INPUT", request_.input.name},
                                                              {"--output", request_.output},
                                                              {"--journal", request_.journal},
                                                              {"--key", request_.key},
                                                              {"--pepper", request_.pepper}};
    for (auto& file : FilesOfPolicy(policy_)) paths.push_back(std::move(file));
    CORDON_RETURN_IF_ERROR(CheckDistinct(paths));
    if (!request_.force && !request_.resume) CORDON_RETURN_IF_ERROR(CheckNotThere({request_.output, ManifestOf(request_)}));
    return TryPaths();
  }

  // What is to be written can be: at the end of a run it would be too late, because everything has been told by then.
  Result<void> TryPaths() const {
    for (const std::string& path : {request_.output, ManifestOf(request_), request_.journal, request_.register_in}) {
      std::error_code failed;
      if (path == request_.register_in && std::filesystem::is_directory(path, failed)) continue;
      CORDON_RETURN_IF_ERROR(AtomicFile::Create(path, AtomicFile::Access::kPrivate));  // next to it, and gone again
    }
    return {};
  }

  Result<std::unique_ptr<SigningKey>> ReadOwnKey() {
    CORDON_TRY(SigningKey key, ReadPartyKey(request_.key));
    if (ToHex(key.verify_key()) != party().key) {
      return Error::InvalidPolicy("{} is not the key of {} in {}", request_.key, party().name, policy_.name);
    }
    return std::make_unique<SigningKey>(std::move(key));
  }

  Result<void> ReadOwnTable() {
    const SourceOptions options{
        .text = policy_.data.text, .format = request_.input_format, .stop = run_.stop, .skip_columns = SkipColumns(policy_)};
    CORDON_TRY(const std::unique_ptr<Source> source, OpenSource(request_.input, options));
    CORDON_TRY(file_, ReadTable(*source, run_));
    CORDON_TRY(
        table_,
        BindParty(policy_, party().name, file_, run_).WithContext("binding {} to {}", request_.input.name, policy_.name));
    report_.own_rows = table_.ids.size();
    report_.dropped = table_.rows - table_.ids.size();
    if (table_.ids.size() > static_cast<std::size_t>(party().max_ids)) {
      return Error::InvalidData("{} has {} people; the policy allows {} at most {}", request_.input.name, table_.ids.size(),
                                party().name, party().max_ids);
    }
    for (const ModelSpec& spec : policy_.models) {
      const std::int64_t k = std::get<KAnonymitySpec>(spec).k;
      if (static_cast<std::size_t>(k) <= table_.ids.size()) continue;
      return Error::Unsatisfiable("{} has {} people, fewer than {} needs", request_.input.name, table_.ids.size(),
                                  Describe(spec));
    }
    return {};
  }

  // Nothing is made if nothing was entered yet.
  Result<void> CheckRegister() {
    if (!request_.again.empty() || !std::filesystem::exists(request_.register_in)) return {};
    CORDON_TRY(const PartyRegister entered, PartyRegister::Open(PosixFiles(), request_.register_in));
    return entered.Check(party().digest, table_.ids);
  }

  Result<void> Connect(int timeout_seconds) {
    const TlsOptions options{key_.get(), peer_key_, timeout_seconds, run_.stop};
    if (!request_.listen.empty()) {
      CORDON_TRY(TlsListener listener, TlsListener::Open(address_.host, address_.port));
      if (request_.tell) request_.tell(fmt::format("listening on {}", AddressText(address_.host, listener.port())));
      CORDON_TRY(connection_, listener.Accept(options));
    } else {
      CORDON_TRY(connection_, TlsTransport::Connect(address_.host, address_.port, options));
    }
    const auto binding = connection_->Export("channel binding");
    std::copy(binding.begin(), binding.end(), input_.channel_binding.begin());
    return {};
  }

  void FillInput(const JournalHead& head, PrivateState& state) {
    again_ = request_.again.empty() ? head.again : request_.again;
    input_.role = party().role;
    input_.config = party().digest;
    input_.input_commitment = table_.Commitment({reinterpret_cast<const char*>(head.salt.data()), head.salt.size()});
    input_.pepper = pepper_;
    input_.ids = table_.ids;
    input_.classes = table_.classes;
    input_.max_peer_ids = static_cast<std::size_t>(party().max_peer_ids);
    input_.compare = party().tells_scores ? PartyInput::Compare::kPlain : PartyInput::Compare::kPrivate;
    input_.key = key_.get();
    input_.peer_key = peer_key_;
    input_.bytes = OperatingSystemBytes();
    input_.matching = state.matching;
    input_.known_rows = state.rows;
    input_.make_search = [this](std::span<const std::size_t> rows) -> Result<std::unique_ptr<TopDown>> {
      CORDON_TRY(search_, PartySearch::Make(policy_, RecordsOf(table_.data, rows, run_.threads), run_));
      return search_->TakeSearch();
    };
    input_.keep_rows = [&state](std::span<const std::size_t> rows) { return state.KeepRows(rows); };
    input_.before_ids = [this]() -> Result<void> {
      CORDON_TRY(PartyRegister entered, PartyRegister::Open(PosixFiles(), request_.register_in));
      return entered.Enter(party().digest, table_.ids, request_.again);
    };
  }

  // A run that was never begun here may have been begun by the peer: then both resume, and this side has no past.
  Result<void> Start() {
    if (PosixFiles().Size(request_.journal)) {
      return Error::Io("{} is there already", request_.journal)
          .WithHint("it is the journal of a run: cordon party resume goes on with it; a new run needs another name");
    }
    JournalHead head{.party = party().name,
                     .peer = party().peer,
                     .config = party().digest,
                     .key = key_->verify_key(),
                     .peer_key = peer_key_,
                     .again = request_.again};
    OperatingSystemBytes()(head.salt);
    PrivateState state(request_.journal);
    if (state.there()) {
      return Error::Io("{} is there already, and its journal is not", state.path())
          .WithHint(
              "a run needs both to go on: bring the journal back, or give another name; if that run is given up, remove "
              "the file");
    }
    FillInput(head, state);
    CORDON_RETURN_IF_ERROR(Connect(request_.timeout_seconds));
    CORDON_TRY(const auto transport, JournaledTransport::Make(PosixFiles(), request_.journal, head, *connection_));
    CORDON_RETURN_IF_ERROR(state.KeepMatching());  // after the journal: so it never stands alone
    PartyPast past;
    if (request_.resume) CORDON_RETURN_IF_ERROR(CatchUp(party().role, input_.channel_binding, {}, past, *transport));
    input_.resumed = request_.resume;
    return Finish(RunParty(input_, std::move(past), *transport, run_), state);
  }

  // A journal of which nothing was sent or received.
  Result<void> StartAgain() {
    CORDON_RETURN_IF_ERROR(CheckRegister());
    PrivateState(request_.journal).Remove();
    CORDON_RETURN_IF_ERROR(PosixFiles().Remove(request_.journal));
    return Start();
  }

  static bool HasSentIds(const JournalAudit& audit) {
    return audit.sent.contains(FrameType::kPsi1) || audit.sent.contains(FrameType::kPsi2);
  }

  Result<void> Resume() {
    if (!PosixFiles().Size(request_.journal)) {
      CORDON_RETURN_IF_ERROR(CheckRegister());
      return Start();
    }
    CORDON_TRY(const std::string text, PosixFiles().Read(request_.journal));
    if (EndsInHead(text)) return StartAgain();
    CORDON_TRY(const PartyJournal journal, ReadPartyJournal(text).WithContext("reading {}", request_.journal));
    CORDON_TRY(const JournalAudit audit, AuditJournal(text).WithContext("reading {}", request_.journal));
    if (journal.head.party != party().name) {
      return Error::InvalidPolicy("{} is the journal of {}, and this is {}", request_.journal, journal.head.party, party().name)
          .WithHint("each party goes on with its own journal");
    }
    CORDON_RETURN_IF_ERROR(CheckHead(audit, policy_, request_.journal));
    if (journal.entries.empty()) return StartAgain();
    if (audit.aborted) {
      return Error::Protocol("this run cannot go on: it was {}", *audit.aborted)
          .WithHint("start a new run with another journal");
    }
    if (!HasSentIds(audit)) CORDON_RETURN_IF_ERROR(CheckRegister());
    PrivateState state(request_.journal);
    const bool written = audit.finished && !state.there();
    PartyPast past = journal.Past();
    if (!written) {
      CORDON_RETURN_IF_ERROR(state.Read().WithContext("the run of {} cannot go on", request_.journal));
      for (const std::size_t row : state.rows.value_or(std::vector<std::size_t>())) {
        if (row >= table_.ids.size()) return Error::InvalidData("{} has changed since the run began", request_.input.name);
      }
      FillInput(journal.head, state);
    }
    if (audit.finished) {
      NoTransport none;
      if (!written) CORDON_RETURN_IF_ERROR(Finish(RunParty(input_, past, none, run_), state));
      // B spoke last: whether its last frame has arrived, it does not know.
      if (party().role == PartyRole::kA) return CheckReleased();
      report_.served = false;
      if (!Connect(std::min(request_.timeout_seconds, kServeSeconds)).ok()) return CheckReleased();
      CORDON_TRY(const auto again,
                 JournaledTransport::Continue(PosixFiles(), request_.journal, journal.whole_bytes, *connection_));
      CORDON_RETURN_IF_ERROR(CatchUp(party().role, input_.channel_binding, audit, past, *again));
      report_.served = true;
      return CheckReleased();
    }
    CORDON_RETURN_IF_ERROR(Connect(request_.timeout_seconds));
    CORDON_TRY(const auto transport,
               JournaledTransport::Continue(PosixFiles(), request_.journal, journal.whole_bytes, *connection_));
    CORDON_RETURN_IF_ERROR(CatchUp(party().role, input_.channel_binding, audit, past, *transport));
    input_.resumed = true;
    return Finish(RunParty(input_, std::move(past), *transport, run_), state);
  }

  // The journal does not say which row is which person, so it cannot give a release again.
  Result<void> CheckReleased() const {
    if (std::filesystem::exists(request_.output)) return {};
    return Error::Io("the run is at its end and its release was written, but {} is not there", request_.output)
        .WithHint("it cannot be made from the journal; {} has the same bytes, and a new run by the same policy gives them too",
                  party().peer);
  }

  bool WasAborted() const {
    const Result<std::string> text = PosixFiles().Read(request_.journal);
    if (!text.ok()) return false;
    const Result<JournalAudit> audit = AuditJournal(text.value());
    return audit.ok() && audit.value().aborted;
  }

  Result<void> Finish(Result<PartyResult> ended, const PrivateState& state) {
    if (!ended.ok() && (ended.error().kind() == ErrorKind::kIo || ended.error().kind() == ErrorKind::kCancelled)) {
      return std::move(ended).error().WithHint("both parties can go on with it: cordon party resume, with the same arguments");
    }
    if (!ended.ok() && WasAborted()) state.Remove();  // nobody can go on with it
    CORDON_TRY(const PartyResult result, std::move(ended));
    report_.run = ToHex(result.run);
    report_.records = result.rows.size();
    report_.rounds = result.rounds;
    CORDON_TRY(const VerifiedRelease verified, search_->Publish(*result.search, &report_.privacy, run_));
    CORDON_RETURN_IF_ERROR(Write(verified, result));
    state.Remove();
    return {};
  }

  Result<void> Write(const VerifiedRelease& verified, const PartyResult& result) {
    Outputs outputs;
    const std::string manifest_path = ManifestOf(request_);
    CORDON_RETURN_IF_ERROR(outputs.Reserve(manifest_path, AtomicFile::Access::kPublic));
    const SinkOptions sink{.text = policy_.data.text, .format = request_.output_format};
    CORDON_TRY(StagedRelease staged, StageRelease(verified, request_.output, sink, run_));
    const std::optional<JoinReport> no_join;
    const std::string name = std::filesystem::path(request_.output).filename().string();
    Json manifest = MakeManifest({policy_, verified.release(), report_.privacy, "tdr", name, staged.written(), no_join});
    Json names = Json::array();
    for (const PartyPolicy& each : policy_.joint->parties) names.push_back(each.name);
    manifest["parties"] = {{"names", names},
                           {"joint_policy_sha256", ToHex(party().digest)},
                           {"run", ToHex(result.run)},
                           {"compare", party().tells_scores ? "plain" : "gc"},
                           {"security", kSemiHonest}};
    if (!again_.empty()) manifest["parties"]["again"] = again_;
    CORDON_RETURN_IF_ERROR(outputs.Write(manifest_path, Dump(manifest)));
    if (auto file = staged.Take()) CORDON_RETURN_IF_ERROR(outputs.Adopt(request_.output, *std::move(file)));
    if (!request_.force && !request_.resume) CORDON_RETURN_IF_ERROR(CheckNotThere({request_.output, manifest_path}));
    return outputs.Show(request_.output);
  }

  const JointRequest& request_;
  const Policy& policy_;
  const Run& run_;
  JointReport report_;
  std::unique_ptr<SigningKey> key_;
  VerifyKey peer_key_{};
  Pepper pepper_{};
  std::string again_;  // why people of an earlier run by another policy are entered
  Address address_;
  Table file_;
  PartyTable table_;
  PartyInput input_;
  std::unique_ptr<TlsTransport> connection_;
  std::unique_ptr<PartySearch> search_;
};

}  // namespace

Result<JointReport> RunJoint(const JointRequest& request, const Policy& policy, const Run& run) {
  // A program that fails leaves no image of its memory, which holds the key and the masks.
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  return JointRun(request, policy, run).Go();
}

WrittenFiles FilesWritten(const JointRequest& request, const JointReport& report) {
  if (report.run.empty()) return {};
  return {.open = {request.output, ManifestOf(request)}, .secret = {request.journal}};
}

std::string Describe(const JointReport& report) {
  const CheckedParty& party = report.party;
  if (report.dry_run) {
    std::string text = Describe(party);
    text += fmt::format("nothing was sent. A run would send to {}:\n", party.peer);
    text += fmt::format("  {} masked ids: {} learns which of its own people {} has, and the number {}\n", report.own_rows,
                        party.peer, party.name, report.own_rows);
    text += fmt::format("  a code that shows whether both have the same '{}' for the common people\n", party.label);
    text += party.tells_scores ? "  the score of its best refinement in every round; exact counts follow from it\n"
                               : "  comparisons that tell who has the better refinement in a round, and nothing else\n";
    text += "  per round that it wins: one refinement, and for each common person the part to which its value belongs\n";
    for (const std::string& column : party.own)
      text += fmt::format("    of '{}', never finer than the release shows\n", column);
    text += "  the end of the run, signed\n";
    if (report.dropped > 0) text += fmt::format("{} rows with missing cells would take no part\n", report.dropped);
    return text + fmt::format("{}\n{}\n", kPeerLearns, kSemiHonest);
  }
  std::string text;
  if (!report.run.empty()) {
    text = fmt::format("run {} of {} with {}: {} common people of {}, {} refinements\n", report.run, party.name, party.peer,
                       report.records, report.own_rows, report.rounds);
    for (const Verdict& verdict : report.privacy) text += Explain(verdict) + "\n";
  } else {
    text = "the run is at its end, and its release was written before\n";
  }
  if (!report.served) text += fmt::format("{} did not ask for the last frame\n", party.peer);
  text += fmt::format("sent {} bytes, received {} bytes; {:.1f} s of CPU time\n", report.sent_bytes, report.received_bytes,
                      report.cpu_seconds);
  return text + fmt::format("{}\n", kSemiHonest);
}

Json ToJson(const JointReport& report) {
  const CheckedParty& party = report.party;
  Json json = {{"party", party.name},     {"peer", party.peer},        {"joint_policy_sha256", ToHex(party.digest)},
               {"rows", report.own_rows}, {"dropped", report.dropped}, {"dry_run", report.dry_run},
               {"security", kSemiHonest}};
  if (report.dry_run) return json;
  json["run"] = report.run;
  json["records"] = report.records;
  json["refinements"] = report.rounds;
  json["privacy"] = Json::array();
  for (const Verdict& verdict : report.privacy) {
    json["privacy"].push_back({{"text", verdict.text}, {"holds", verdict.holds}, {"reached", verdict.reached_text}});
  }
  json["sent_bytes"] = report.sent_bytes;
  json["received_bytes"] = report.received_bytes;
  json["cpu_seconds"] = JsonNumber(report.cpu_seconds);
  return json;
}

}  // namespace cordon::engine
