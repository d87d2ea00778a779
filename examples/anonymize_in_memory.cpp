// SPDX-License-Identifier: Apache-2.0
//
// A table in memory becomes a release in memory.
#include <cordon/cordon.h>

#include <iostream>

int main() {
  cordon::TableBuilder table;
  table.Column("age", {"23", "25", "41", "44"}).Column("disease", {"flu", "cold", "flu", "cold"});
  cordon::PolicyBuilder policy;
  policy.Quasi("age", {{"type", "numeric"}}).Sensitive("disease").KAnonymity(2).LDiversity("disease", 2);
  const auto release = cordon::Anonymize(table.Build().value(), policy.Build().value());
  if (!release) {
    std::cerr << release.error().message() << "\n";
    return 1;
  }
  const cordon::Table& rows = release.value().table();
  for (std::size_t row = 0; row < rows.num_rows(); ++row) std::cout << *rows.cell(row, 0) << " " << *rows.cell(row, 1) << "\n";
}
