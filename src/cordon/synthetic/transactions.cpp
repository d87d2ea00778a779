// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/transactions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cordon/base/random.h"
#include "cordon/synthetic/census_attributes.h"
#include "cordon/synthetic/powerlaw.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kCustomers = 30'000;
constexpr int kItems = 1000;
constexpr int kItemHalves = 2;                    // the n-th item is bought 1/n as often as the first
constexpr std::uint64_t kMaxMilliseconds = 2000;  // between two transactions
constexpr std::uint64_t kFirstMillisecond = 1'700'000'000'000;
constexpr std::uint64_t kMaxItems = 100;

constexpr std::string_view kTransactionsHeader = "customer,basket,time,age,education,marital_status,birth_place,item\n";
constexpr std::string_view kCustomerColumns[] = {"age", "education", "marital_status", "birth_place"};

constexpr std::string_view kTransactionsPolicy =
    R"(# Policy for transactions.csv: purchases of customers who do not exist, one row per item.

[attributes.customer]
role = "person"                 # k counts customers, not purchases; never published

[attributes.basket]
role = "identifier"             # would tie the rows of a purchase together across groups: dropped

[attributes.age]
role = "quasi"
type = "numeric"
range = [17, 95]                # a stream learns no domain from its data

[attributes.education]
role = "quasi"
type = "numeric"
range = [1, 17]

[attributes.marital_status]
role = "quasi"
type = "categorical"
hierarchy = "marital_status.csv"

[attributes.birth_place]
role = "quasi"
type = "categorical"
hierarchy = "birth_place.csv"

[attributes.item]
role = "sensitive"
type = "categorical"

[[privacy]]
model = "ks-anonymity"
k = 100

[[privacy]]
model = "l-diversity"
sensitive = "item"
l = 5

[stream]
delay = 10000                   # rows; "10m" would be ten minutes of event time
event_time = "time"             # never published

[algorithm]
name = "castle"
)";

// The four columns of a customer, as they stand in a line: a function of seed and customer alone.
class Customers {
 public:
  explicit Customers(const Random& random) : random_(random.Substream("customers")) {
    for (const CensusAttribute& attribute : CensusAttributes()) {
      if (std::find(std::begin(kCustomerColumns), std::end(kCustomerColumns), attribute.name) == std::end(kCustomerColumns))
        continue;
      Column column{attribute.labels, {}};
      std::uint64_t sum = 0;
      for (const std::uint32_t weight : attribute.weights) column.cumulative.push_back(sum += weight);
      columns_.push_back(std::move(column));
    }
  }
  void Append(std::uint64_t customer, std::string& text) const {
    Random random = random_.Substream("customer", customer);
    for (const Column& column : columns_) {
      const std::uint64_t at = random.Below(column.cumulative.back());
      const auto value = std::upper_bound(column.cumulative.begin(), column.cumulative.end(), at) - column.cumulative.begin();
      text += column.labels[static_cast<std::size_t>(value)] + ",";
    }
  }

 private:
  struct Column {
    std::vector<std::string> labels;
    std::vector<std::uint64_t> cumulative;
  };
  Random random_;
  std::vector<Column> columns_;
};

// One transaction at a time; its rows share everything but the item.
class TransactionRows {
 public:
  TransactionRows(std::uint64_t seed, std::uint64_t items)
      : items_(items),
        random_(Random::FromSeed(seed).Substream("transactions")),
        customers_(std::make_shared<const Customers>(random_)),
        draw_(std::make_shared<const PowerlawDraw>(kItems, kItemHalves)) {}

  void operator()(std::string& text) {
    if (taken_.size() == items_ || taken_.empty()) NextTransaction();
    int item = (*draw_)(random_);
    while (std::find(taken_.begin(), taken_.end(), item) != taken_.end()) item = item % kItems + 1;
    taken_.push_back(item);
    text += common_;
    fmt::format_to(std::back_inserter(text), "i{:04}\n", item);
  }

 private:
  void NextTransaction() {
    taken_.clear();
    time_ += random_.Below(kMaxMilliseconds + 1);
    const std::uint64_t customer = random_.Below(kCustomers);
    common_ = fmt::format("c{:05},{},{},", customer, ++basket_, time_);
    customers_->Append(customer, common_);
  }

  std::uint64_t items_;
  Random random_;
  std::shared_ptr<const Customers> customers_;
  std::shared_ptr<const PowerlawDraw> draw_;
  std::uint64_t time_ = kFirstMillisecond;
  std::uint64_t basket_ = 0;
  std::string common_;
  std::vector<int> taken_;
};

}  // namespace

Result<void> TransactionsOptions::Validate() const {
  if (items < 1 || items > kMaxItems) return Error::InvalidPolicy("items = {} is not from 1 to {}", items, kMaxItems);
  return {};
}

Result<Generated> GenerateTransactions(const TransactionsOptions& options) {
  CORDON_RETURN_IF_ERROR(options.Validate());
  Generated made;
  made.table.num_rows = options.rows;
  made.table_file = "transactions.csv";
  made.files.emplace_back("policy.toml", kTransactionsPolicy);
  for (const CensusAttribute& attribute : CensusAttributes()) {
    if (attribute.name == "marital_status" || attribute.name == "birth_place") {
      made.files.emplace_back(attribute.name + ".csv", attribute.hierarchy);
    }
  }
  made.header = kTransactionsHeader;
  made.rows = [seed = options.seed, items = options.items]() -> Generated::RowWriter { return TransactionRows(seed, items); };
  return made;
}

}  // namespace cordon::engine
