// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/window_verifier.h"

#include <algorithm>
#include <bit>

#include "cordon/base/nearest.h"
#include "cordon/base/toml_text.h"
#include "cordon/data/codes.h"
#include "cordon/data/stream_domain.h"
#include "cordon/models/verify/verify_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kFirstWindow = 64;

Result<std::size_t> FindDeclared(const StreamSchema& schema, const ModelSpec& spec) {
  const std::string name = SensitiveColumns(spec).front();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < schema.sensitive.size(); ++i) {
    names.push_back(schema.sensitive[i].name);
    if (names.back() != name) continue;
    if (schema.sensitive[i].num_values > 0) return i;
    return Error::InvalidPolicy("{} needs the declared domain of '{}'", ModelName(spec), name)
        .WithHint("add values = [...] or a hierarchy file to [attributes.{}]", TomlKey(name));
  }
  Error error = Error::InvalidPolicy("'{}' is not a sensitive column of the stream", name);
  if (const auto nearest = Nearest(name, names)) return std::move(error).WithHint("did you mean '{}'?", *nearest);
  return error;
}

// A window as evidence, and the judge that goes by it.
struct Counted {
  std::unique_ptr<const Evidence> evidence;
  std::unique_ptr<const GroupJudge> judge;
};

Counted JudgeOf(const ModelSpec& spec, SensitiveFacts facts) {
  Counted counted;
  std::vector<SensitiveFacts> columns;
  columns.push_back(std::move(facts));
  counted.evidence = std::make_unique<const Evidence>(Tally(), std::move(columns), false);
  JudgeResult made = [&]() -> JudgeResult {
    if (const auto* t = std::get_if<TClosenessSpec>(&spec)) return MakeJudge(*t, *counted.evidence);
    return MakeJudge(std::get<BetaLikenessSpec>(spec), *counted.evidence);
  }();
  CORDON_CHECK(made.ok());  // Make has tried it
  counted.judge = std::move(made).value();
  return counted;
}

// -1, 0, 1 as a / b is below, equal to or above c / d: by whole parts, then by the reciprocals of what is left, so nothing
// is multiplied.
int CompareFractions(UInt128 a, UInt128 b, UInt128 c, UInt128 d) {
  while (true) {
    const UInt128 left = a / b;
    const UInt128 right = c / d;
    if (left != right) return left < right ? -1 : 1;
    a %= b;
    c %= d;
    if (a == 0 || c == 0) return static_cast<int>(a != 0) - static_cast<int>(c != 0);
    std::swap(a, d);
    std::swap(b, c);
  }
}

}  // namespace

struct WindowVerifier::Model {
  ModelSpec spec;       // as of a table
  std::string text;     // of the window model
  std::int64_t window;  // tuples
  std::size_t column;   // of the schema
  std::size_t ring;     // among those that are kept
  std::shared_ptr<const Domain> domain;
  std::string name;  // of the column

  PositionRange counted = {};  // the window that the judges go by
  std::int64_t unknown = 0;    // values in it that are not known
  std::int64_t rows = 0;
  Counted least;  // without the unknown values
  Counted most;   // likeness: as if all of them were of the value that is asked for; none if all are known
};

WindowVerifier::WindowVerifier() = default;
WindowVerifier::WindowVerifier(WindowVerifier&&) noexcept = default;
WindowVerifier& WindowVerifier::operator=(WindowVerifier&&) noexcept = default;
WindowVerifier::~WindowVerifier() = default;

Result<WindowVerifier> WindowVerifier::Make(const StreamSchema& schema, std::span<const ModelSpec> specs,
                                            const Options& options) {
  WindowVerifier made;
  made.options_ = options;
  for (const ModelSpec& spec : specs) {
    const auto window = WindowOf(spec);
    if (!window) continue;
    CORDON_RETURN_IF_ERROR(Validate(spec));
    CORDON_TRY(const std::size_t column, FindDeclared(schema, spec));
    const StreamSensitive& sensitive = schema.sensitive[column];
    const auto known = std::find(made.columns_.begin(), made.columns_.end(), column);
    Model model{
        WithinWindow(spec),        Describe(spec), *window, column, static_cast<std::size_t>(known - made.columns_.begin()),
        DeclaredDomain(sensitive), sensitive.name};
    if (known == made.columns_.end()) {
      made.columns_.push_back(column);
      made.sizes_.push_back(sensitive.num_values);
    }
    // The distance has to fit the domain; one row of anything tells.
    std::vector<SensitiveFacts> columns = {{sensitive.name, model.domain, nullptr, std::nullopt,
                                            std::vector<std::int64_t>(static_cast<std::size_t>(sensitive.num_values), 1),
                                            sensitive.num_values}};
    const Evidence probe(Tally(), std::move(columns), false);
    if (const auto* t = std::get_if<TClosenessSpec>(&model.spec)) {
      CORDON_RETURN_IF_ERROR(MakeJudge(*t, probe).WithContext("{}", ModelName(spec)));
    }
    made.models_.push_back(std::move(model));
  }
  made.rings_.assign(made.columns_.size(), std::vector<std::int32_t>(kFirstWindow, kNull));
  return made;
}

void WindowVerifier::Grow() {
  for (std::vector<std::int32_t>& ring : rings_) {
    std::vector<std::int32_t> larger(2 * ring.size(), kNull);
    const Position first = std::max<Position>(1, newest_ - static_cast<Position>(ring.size()) + 1);
    for (Position position = first; position <= newest_; ++position) {
      larger[static_cast<std::size_t>(position) & (larger.size() - 1)] =
          ring[static_cast<std::size_t>(position) & (ring.size() - 1)];
    }
    ring = std::move(larger);
  }
}

const char* WindowVerifier::Arrive(std::span<const std::int32_t> sensitive) {
  if (empty()) return nullptr;
  if (ended_) return "comes after a window that was said to be the whole stream";
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::int32_t code = sensitive[columns_[i]];
    if (code == kNull && options_.gaps) continue;
    if (code < 0 || code >= sizes_[i]) return "has no value of the declared domain that its windows need";
  }
  const std::size_t size = rings_.front().size();
  if (newest_ >= static_cast<Position>(size) && static_cast<std::int64_t>(size) < options_.keep) Grow();
  ++newest_;
  for (std::size_t i = 0; i < columns_.size(); ++i) At(i, newest_) = sensitive[columns_[i]];
  return nullptr;
}

std::string WindowVerifier::FaultOf(const PositionRange& window, std::span<const Position> members) const {
  if (window.first < 1 || window.last < window.first) return "it names no window";
  if (window.last > newest_) return "its window reaches beyond what has arrived";
  if (window.first < oldest()) return "its window reaches farther back than any window may";
  const std::int64_t size = window.last - window.first + 1;
  const bool whole = options_.short_window && window.first == 1 && window.last == newest_;
  for (const Model& model : models_) {
    if (size == model.window || (whole && size < model.window)) continue;
    return fmt::format("its window has {} tuples instead of {}", size, model.window);
  }
  for (const Position member : members) {
    if (member < window.first || member > window.last) return fmt::format("position {} is outside its window", member);
  }
  return "";
}

void WindowVerifier::CountWindow(Model& model, const PositionRange& window) const {
  if (model.counted == window) return;
  model.counted = window;
  model.unknown = 0;
  SensitiveFacts facts{
      model.name, model.domain, nullptr, std::nullopt, std::vector<std::int64_t>(static_cast<std::size_t>(sizes_[model.ring])),
      0};
  for (Position position = window.first; position <= window.last; ++position) {
    const std::int32_t code = At(model.ring, position);
    if (code == kNull) {
      ++model.unknown;
    } else {
      ++facts.counts[static_cast<std::size_t>(code)];
    }
  }
  model.rows = window.last - window.first + 1;
  facts.rows = model.rows - model.unknown;
  model.least = {};
  model.most = {};
  if (facts.rows == 0) return;
  if (model.unknown > 0 && std::holds_alternative<BetaLikenessSpec>(model.spec)) {
    facts.rows = model.rows;
    SensitiveFacts more = facts;
    for (std::int64_t& count : more.counts) count += model.unknown;
    model.most = JudgeOf(model.spec, std::move(more));
  }
  model.least = JudgeOf(model.spec, std::move(facts));
}

WindowVerifier::Answer WindowVerifier::Ask(const Model& model, std::span<const Codes> sensitive) {
  if (model.least.judge == nullptr) return Answer::kUnknown;
  std::vector<Code> values;
  values.reserve(sensitive.size());
  for (const Codes& codes : sensitive) values.push_back(static_cast<Code>(codes[model.column]));
  std::sort(values.begin(), values.end());
  std::vector<Tally::Entry> entries;
  for (const Code value : values) {
    if (entries.empty() || entries.back().value != value) entries.push_back({value, 0});
    ++entries.back().count;
  }
  const Evidence group(Tally::OneGroup(static_cast<std::uint32_t>(values.size()), std::move(entries)), {}, false);
  const Finding finding = model.least.judge->Judge(group, 0);
  if (model.unknown == 0) return finding.holds ? Answer::kHolds : Answer::kFails;
  if (const auto* closeness = std::get_if<TClosenessSpec>(&model.spec)) {
    // The window lies within the unknown share of what is known of it, and so does the distance: below t less that share it
    // holds, above t and that share it fails.
    const UInt128 denominator = finding.value.denominator * model.least.judge->common_denominator();
    const Int128 t = static_cast<Int128>(closeness->t.numerator()) * model.rows;
    const Int128 unknown = static_cast<Int128>(closeness->t.denominator()) * model.unknown;
    const auto whole = static_cast<UInt128>(closeness->t.denominator()) * static_cast<UInt128>(model.rows);
    const auto compare = [&](Int128 bound) {
      return CompareFractions(finding.value.numerator, denominator, static_cast<UInt128>(bound), whole);
    };
    if (t >= unknown && compare(t - unknown) <= 0) return Answer::kHolds;
    return compare(t + unknown) > 0 ? Answer::kFails : Answer::kUnknown;
  }
  if (finding.holds) return Answer::kHolds;  // a larger share in the window allows more
  return model.most.judge->Judge(group, 0).holds ? Answer::kUnknown : Answer::kFails;
}

WindowVerifier::Judgement WindowVerifier::Judge(const PositionRange& window, std::span<const Position> members,
                                                std::span<const Codes> sensitive) {
  if (empty()) return {};
  if (std::string fault = FaultOf(window, members); !fault.empty()) return {Answer::kFails, std::move(fault)};
  Judgement judgement;
  for (Model& model : models_) {
    CountWindow(model, window);
    const Answer answer = Ask(model, sensitive);
    if (answer == Answer::kFails) {
      return {Answer::kFails,
              fmt::format("{} does not hold for its {} rows, the first at position {}, in the window {} to {}", model.text,
                          members.size(), *std::min_element(members.begin(), members.end()), window.first, window.last)};
    }
    if (answer == Answer::kUnknown) judgement.answer = Answer::kUnknown;
  }
  ended_ = ended_ || window.last - window.first + 1 < models_.front().window;
  return judgement;
}

std::string WindowVerifier::Fingerprint() const {
  std::string text;
  for (const Model& model : models_) text += fmt::format("{} of {};", model.text, sizes_[model.ring]);
  return text + (options_.short_window ? "short" : "");
}

void WindowVerifier::Save(ByteWriter& writer) const {
  if (empty()) return;
  writer.Whole(newest_);
  writer.Flag(ended_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (Position position = oldest(); position <= newest_; ++position) writer.Whole(At(i, position));
  }
}

void WindowVerifier::Restore(ByteReader& reader) {
  if (empty()) return;
  const Position newest = reader.Whole(0, INT64_MAX - 1);
  ended_ = reader.Flag();
  const std::int64_t kept = std::min<std::int64_t>(newest, options_.keep);
  for (std::size_t i = 0; i < columns_.size() && reader.ok(); ++i) {
    std::vector<std::int32_t> codes;
    for (std::int64_t left = kept; left > 0 && reader.ok(); --left) {
      codes.push_back(static_cast<std::int32_t>(reader.Whole(options_.gaps ? kNull : 0, sizes_[i] - 1)));
    }
    if (!reader.ok()) break;
    const std::size_t size = std::max(rings_[i].size(), std::bit_ceil(codes.size()));
    rings_[i].assign(size, kNull);
    newest_ = newest;
    for (std::size_t at = 0; at < codes.size(); ++at) At(i, newest - kept + 1 + static_cast<Position>(at)) = codes[at];
  }
  for (Model& model : models_) model.counted = {};
}

}  // namespace cordon::engine
