// SPDX-License-Identifier: Apache-2.0
//
// cordon release-next INPUT --previous A.csv [--previous B.csv] --policy P.toml --output OUT
#include "cordon/publish/release_next.h"

#include "cordon/cli/release_flags.h"

namespace cordon::engine {

Command AddReleaseNext(CLI::App& app) {
  auto flags = std::make_shared<ReleaseFlags>();
  PreviousRequest& previous = flags->request.previous;
  CLI::App* parser = app.add_subcommand("release-next", "Anonymize a table so that joining it with earlier releases is safe");
  flags->AddTo(*parser, "Table to anonymize; - is standard input");
  parser
      ->add_option("--previous", flags->previous,
                   "A release about the same people; once per release. Default: those that the registry lists")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  parser->add_flag("--allow-unequal", previous.allow_unequal,
                   "Release although the files do not list the same people; the audit of forced links is left out");
  parser->add_flag("--allow-dangling", previous.allow_dangling, "Release although rows match nothing in another file");
  parser->add_flag("--through-violation", previous.through_violation, "Search on if the most general release violates");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--format"}},
           {"Earlier releases", {"--previous", "--registry", "--person-key"}},
           {"Output",
            {"--output", "--output-format", "--report", "--row-map", "--save-recoding", "--sign", "--force", "--dry-run",
             "--json"}},
           {"What may differ", {"--allow-unequal", "--allow-dangling", "--through-violation"}}},
          {"cordon release-next visits.csv --previous first.csv -p policy.toml -o second.csv",
           "cordon release-next visits.csv --previous a.csv --previous b.csv -p policy.toml --dry-run",
           "cordon release-next visits.csv --registry releases.db -p policy.toml -o second.csv"});
  return {parser, [flags](Console& console, const Run& run) { return RunRelease(*flags, ReleaseNext, console, run); }};
}

}  // namespace cordon::engine
