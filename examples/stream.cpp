// SPDX-License-Identifier: Apache-2.0
//
// Rows arrive one by one and leave in groups; the state survives the process that held it.
#include <cordon/cordon.h>

#include <iostream>
#include <string>

namespace {

void Print(const cordon::Table& rows) {
  for (std::size_t row = 0; row < rows.num_rows(); ++row) {
    for (std::size_t column = 0; column < rows.num_columns(); ++column) {
      std::cout << (column == 0 ? "" : ",") << rows.cell(row, column).value_or("");
    }
    std::cout << "\n";
  }
}

}  // namespace

int main() {
  const auto policy = cordon::PolicyBuilder()
                          .Quasi("age", {{"type", "numeric"}, {"range", cordon::PolicyValue::Array{0, 120}}})
                          .Insensitive("page")
                          .Model("ks-anonymity", {{"k", 3}})
                          .Set("stream", {{"delay", 10}})
                          .Build()
                          .value();
  auto stream = cordon::StreamAnonymizer::Start(policy, {"age", "page"}).value();
  for (int i = 0; i < 20; ++i) {
    const std::string age = std::to_string(20 + 7 * i % 60);
    const std::string page = "/page/" + std::to_string(i % 4);
    const auto out = stream.Push(cordon::TableBuilder().Column("age", {age}).Column("page", {page}).Build().value());
    if (!out) {
      std::cerr << out.error().message() << "\n";
      return 1;
    }
    Print(out.value().rows);
    if (i == 10) stream = cordon::StreamAnonymizer::Restore(policy, stream.Save().value()).value();
  }
  Print(stream.Flush().value().rows);
}
