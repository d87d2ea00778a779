// SPDX-License-Identifier: Apache-2.0
//
// cordon query STORE "SELECT SUM(salary) WHERE age BETWEEN 40 AND 48 GROUP BY sex"
#include "cordon/cli/command.h"
#include "cordon/store/ke_query.h"

namespace cordon::engine {
namespace {

struct QueryArgs {
  std::string store;
  std::string query;
  bool json = false;
};

}  // namespace

Command AddQuery(CLI::App& app) {
  auto args = std::make_shared<QueryArgs>();
  CLI::App* parser = app.add_subcommand("query", "Aggregates of a permuted column, with bounds");
  parser->add_option("STORE", args->store, "A store that permute made; its private half is not needed")->required();
  parser
      ->add_option("QUERY", args->query,
                   "SELECT COUNT(*), SUM(s), AVG(s), MIN(s), MAX(s) [WHERE condition] [GROUP BY column, ...]")
      ->required();
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser, {},
          {"cordon query store \"SELECT AVG(salary)\"",
           "cordon query store \"SELECT COUNT(*), SUM(salary) WHERE age BETWEEN 40 AND 48\"",
           "cordon query store \"SELECT AVG(salary) GROUP BY sex\" --json"});
  return {parser, [args](Console& console, const Run& run) -> Result<Answer> {
            CORDON_TRY(const QueryAnswer answer, AskStore(args->store, args->query, run));
            console.Out(args->json ? JsonText(answer) : Summary(answer));
            return Answer::kYes;
          }};
}

}  // namespace cordon::engine
