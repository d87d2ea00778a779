// SPDX-License-Identifier: Apache-2.0
//
// Tables come from and go to other libraries by the Arrow C stream interface. Here both ends are cordon's own; any library that
// speaks the interface can be either of them.
#include <cordon/arrow_c_data.h>
#include <cordon/cordon.h>

#include <iostream>

int main() {
  const auto table =
      cordon::TableBuilder().Column("age", {"23", "25", "41", "44"}).Column("town", {"Ulm", "Ulm", "Bonn", "Bonn"}).Build();
  ArrowArrayStream from_elsewhere;
  table.value().ToArrow(&from_elsewhere);

  const auto received = cordon::Table::FromArrow(&from_elsewhere);  // releases the stream
  if (!received) {
    std::cerr << received.error().message() << "\n";
    return 1;
  }
  const auto policy = cordon::PolicyBuilder().Quasi("age", {{"type", "numeric"}}).Quasi("town").KAnonymity(2).Build();
  const auto release = cordon::Anonymize(received.value(), policy.value());
  if (!release) {
    std::cerr << release.error().message() << "\n";
    return 1;
  }
  ArrowArrayStream to_elsewhere;
  release.value().table().ToArrow(&to_elsewhere);
  ArrowSchema schema;
  if (to_elsewhere.get_schema(&to_elsewhere, &schema) != 0) return 1;
  std::cout << schema.n_children << " columns, " << release.value().table().num_rows() << " rows\n";
  schema.release(&schema);
  to_elsewhere.release(&to_elsewhere);
}
