// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <thread>

#include "cordon/api/convert_internal.h"

namespace cordon::internal {

EngineRun::EngineRun(const RunOptions& options) : options_(options) {}

engine::Run EngineRun::run() {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return {.threads = options_.threads > 0 ? options_.threads : cores,
          .stop = options_.stop,
          .progress = options_.progress ? this : nullptr,
          .budget = nullptr};
}

void EngineRun::Report(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  options_.progress(stage, done, total);
}

engine::TableInput InputOf(const Input& input) {
  return input.table() ? engine::TableInput(input.table()->inner()) : engine::TableInput(input.path());
}

std::vector<engine::TableInput> PreviousOf(const std::vector<Input>& previous) {
  std::vector<engine::TableInput> made;
  for (const Input& each : previous) {
    made.push_back(InputOf(each));
    if (each.table()) made.back().name = fmt::format("previous table {}", made.size());
  }
  return made;
}

std::vector<Verdict> VerdictsOf(const std::vector<engine::Verdict>& verdicts) {
  std::vector<Verdict> made;
  for (const engine::Verdict& verdict : verdicts) {
    made.push_back({verdict.text, verdict.holds, verdict.reached_text, verdict.failing_groups, verdict.failing_rows});
  }
  return made;
}

engine::Result<std::optional<engine::FileFormat>> FormatOf(const std::string& name) {
  if (name.empty()) return std::optional<engine::FileFormat>();
  CORDON_TRY(const engine::FileFormat format, engine::FormatOfName(name));
  return std::optional(format);
}

std::optional<LossBound> BoundOf(const std::optional<engine::LossBound>& bound, double information_loss) {
  if (!bound) return std::nullopt;
  LossBound made{.information_loss = bound->information_loss, .ratio = {}, .cut_short = bound->cut_short};
  if (bound->information_loss > 0) made.ratio = information_loss / bound->information_loss;
  if (bound->sampled > 0) made.confidence = engine::LossBoundOptions::kConfidence;
  return made;
}

namespace {

// Flags that are options of the same name here, with _ for -. Others belong to the command line alone and stay as they are.
constexpr std::string_view kOptions[] = {
    "--again",   "--algorithm",         "--allow-dangling", "--allow-unequal", "--bound",         "--delimiter",
    "--effort",  "--exempt-suppressed", "--force",          "--group-column",  "--insecure-seed", "--known",
    "--order",   "--original",          "--person-key",     "--previous",      "--queries",       "--registry",
    "--row-map", "--seconds",           "--seed",           "--sign",          "--threads",       "--through-violation"};

// A text of the engine with options for flags, except in a command that it quotes: cordon release-next ... --previous FILE.
std::string InOptions(std::string_view text) {
  std::string made;
  bool command = false;
  while (!text.empty()) {
    if (text.starts_with("cordon ")) command = true;
    if (text[0] == ';' || text[0] == ',') command = false;
    const std::size_t end =
        text.starts_with("--") ? std::min(text.find_first_not_of("-abcdefghijklmnopqrstuvwxyz"), text.size()) : 0;
    const std::string_view flag = text.substr(0, end);
    if (!command && std::find(std::begin(kOptions), std::end(kOptions), flag) != std::end(kOptions)) {
      std::string option(flag.substr(2));
      std::replace(option.begin(), option.end(), '-', '_');
      made += (made.ends_with("or ") ? "set " : "") + option;
      text.remove_prefix(end);
    } else {
      made += text[0];
      text.remove_prefix(1);
    }
  }
  return made;
}

}  // namespace

Error ForCaller(const engine::Error& error) { return Error(error.kind(), InOptions(error.message()), InOptions(error.hint())); }

}  // namespace cordon::internal
