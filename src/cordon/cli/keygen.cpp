// SPDX-License-Identifier: Apache-2.0
//
// cordon keygen KEY
#include "cordon/cli/command.h"
#include "cordon/report/key_file.h"

namespace cordon::engine {

Command AddKeygen(CLI::App& app) {
  auto path = std::make_shared<std::string>();
  CLI::App* parser = app.add_subcommand("keygen", "Make a key that signs releases: KEY, private, and KEY.pub");
  parser->add_option("KEY", *path, "File of the private key; it must not be there yet")->required();
  Explain(*parser, {}, {"cordon keygen release.key", "cordon keygen keys/2026.key", "cordon keygen release.key --quiet"});
  return {parser, [path](Console& console, const Run&) -> Result<Answer> {
            CORDON_TRY(const std::string id, MakeKeyFiles(*path));
            console.Print("{}: private, sign with it (--sign {})", *path, *path);
            console.Print("{}.pub: public, give it to those who verify (--key {}.pub)", *path, *path);
            console.Print("key id {}", id);
            return Answer::kYes;
          }};
}

}  // namespace cordon::engine
