// SPDX-License-Identifier: Apache-2.0
//
// next_release FOLDER: two releases about the same people. The registry knows the first one, so the second is made safe to
// join with it; then known attacks are tried on it.
#include <cordon/cordon.h>

#include <iostream>

namespace {

int Fail(const cordon::Error& error) {
  std::cerr << error.message() << "\n" << error.hint() << "\n";
  return error.kind() == cordon::ErrorKind::kUnsatisfiable ? 1 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: next_release FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  const std::string registry = folder + "/R.db";
  const std::vector<std::string> jobs = {"Banker", "Banker", "Clerk", "Clerk"};

  cordon::TableBuilder diseases;
  diseases.Column("job", jobs).Column("disease", {"flu", "gout", "flu", "gout"});
  const cordon::Table ill = diseases.Build().value();
  cordon::PolicyBuilder ill_policy;
  ill_policy.Population("staff of 2025").Quasi("job").Sensitive("disease", {{"unguarded", "an example"}}).KAnonymity(2);
  const auto first = cordon::Anonymize(ill, ill_policy.Build().value(), {.registry = registry});
  if (!first) return Fail(first.error());
  if (const auto written = first.value().Write(folder + "/ill.csv"); !written) return Fail(written.error());

  const cordon::PolicyValue gout = cordon::PolicyKeys{{"previous.disease", cordon::PolicyValue::Array{"gout"}}};
  cordon::TableBuilder names;
  names.Column("name", {"Ann", "Bob", "Cy", "Di"}).Column("job", jobs);
  cordon::PolicyBuilder policy;
  policy.Population("staff of 2025").Insensitive("name").Quasi("job");
  policy.Model("xy-linkability", {{"x", cordon::PolicyValue::Array{"name"}}, {"values", gout}, {"h", "1/2"}});
  const auto next = cordon::ReleaseNext(names.Build().value(), {}, policy.Build().value(), {.registry = registry});
  if (!next) return Fail(next.error());
  if (const auto written = next.value().Write(folder + "/names.csv"); !written) return Fail(written.error());

  const auto attacked = cordon::Attack(folder + "/ill.csv", ill, ill_policy.Build().value());
  if (!attacked) return Fail(attacked.error());
  const auto opened = cordon::Registry::Open(registry);
  if (!opened) return Fail(opened.error());
  const auto history = opened.value().Check();
  if (!history) return Fail(history.error());
  std::cout << history.value().releases.size() << " releases, "
            << (history.value().holds ? "as they were published" : "changed since") << "; " << attacked.value().people
            << " people attacked\n";
  return history.value().holds ? 0 : 1;
}
