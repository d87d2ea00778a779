// SPDX-License-Identifier: Apache-2.0
//
// files INPUT POLICY OUTPUT: what `cordon anonymize`, `cordon verify` and `cordon evaluate` do, in one program.
#include <cordon/cordon.h>

#include <iostream>

namespace {

int Fail(const cordon::Error& error) {
  std::cerr << error.message() << "\n" << error.hint() << "\n";
  return error.kind() == cordon::ErrorKind::kUnsatisfiable ? 1 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: files INPUT POLICY OUTPUT\n";
    return 2;
  }
  const std::string input = argv[1];
  const std::string output = argv[3];
  const auto policy = cordon::Policy::FromFile(argv[2]);
  if (!policy) return Fail(policy.error());

  const auto release = cordon::Anonymize(input, policy.value());
  if (!release) return Fail(release.error());
  if (const auto written = release.value().Write(output); !written) return Fail(written.error());
  std::cout << release.value().report().text;

  // Anybody can do this with the file alone; the original also shows that every cell is true of it.
  const auto verified = cordon::Verify(output, policy.value(), {.original = cordon::Input(input)});
  if (!verified) return Fail(verified.error());
  std::cout << verified.value().text;

  const auto evaluated = cordon::Evaluate(output, input, policy.value(), {.queries = 1000});
  if (!evaluated) return Fail(evaluated.error());
  std::cout << "median query error: " << *evaluated.value().median_query_error << "\n";
  return verified.value().holds ? 0 : 1;
}
