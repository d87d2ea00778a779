// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/stream_metrics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cordon::engine {
namespace {

constexpr int kExactBits = 6;  // below 64 one bucket per value, above 32 buckets per power of two

std::size_t BucketOf(std::uint64_t value) {
  const int width = static_cast<int>(std::bit_width(value));
  if (width <= kExactBits) return static_cast<std::size_t>(value);
  const int shift = width - kExactBits;
  return static_cast<std::size_t>(64 + 32 * (shift - 1)) + static_cast<std::size_t>((value >> shift) & 31);
}

std::uint64_t LargestIn(std::size_t bucket) {
  if (bucket < 64) return bucket;
  const std::size_t shift = (bucket - 64) / 32 + 1;
  const std::uint64_t lead = 32 + (bucket - 64) % 32;
  return ((lead + 1) << shift) - 1;
}

}  // namespace

void Histogram::Add(std::uint64_t value, std::uint64_t times) {
  counts_[BucketOf(value)] += times;
  count_ += times;
  max_ = std::max(max_, value);
}

std::uint64_t Histogram::Quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= wanted && seen > 0) return std::min(LargestIn(bucket), max_);
  }
  return max_;
}

void Histogram::Save(ByteWriter& out) const {
  out.Count(max_);
  out.Count(static_cast<std::uint64_t>(std::count_if(counts_.begin(), counts_.end(), [](auto n) { return n != 0; })));
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (counts_[bucket] == 0) continue;
    out.Count(bucket);
    out.Count(counts_[bucket]);
  }
}

void Histogram::Restore(ByteReader& in) {
  *this = {};
  max_ = in.Count();
  for (std::size_t left = in.Length(); left > 0 && in.ok(); --left) {
    const std::uint64_t bucket = in.Count();
    const std::uint64_t times = in.Count();
    if (bucket >= kBuckets) {
      in.Fail();
      return;
    }
    counts_[bucket] = times;
    count_ += times;
  }
}

void StreamMetrics::Take(const Departure& departure, const StreamLayout& layout, Position now) {
  const std::uint64_t size = departure.positions.size();
  for (const Position position : departure.positions) delay_tuples.Add(static_cast<std::uint64_t>(now - position));
  if (departure.kind == Departure::Kind::kSuppressed) {
    suppressed += size;
    return;
  }
  released += size;
  reused += departure.kind == Departure::Kind::kReuse ? size : 0;
  pooled += departure.kind == Departure::Kind::kPooled ? size : 0;
  if (departure.kind != Departure::Kind::kReuse) {
    least_group = groups == 0 ? size : std::min(least_group, size);
    most_group = std::max(most_group, size);
    ++groups;
  }
  axis_losses.resize(layout.axes.size());
  double sum = 0;
  for (std::size_t i = 0; i < layout.axes.size(); ++i) {
    const double loss = layout.axes[i].Loss(departure.box[i]);
    axis_losses[i] += loss * static_cast<double>(size);
    sum += loss;
  }
  loss_sum += sum / static_cast<double>(layout.axes.size()) * static_cast<double>(size);
}

void StreamMetrics::Save(ByteWriter& out) const {
  for (const std::uint64_t count : {records, tuples, dead_letters, dropped, released, reused, pooled, suppressed, groups, rows,
                                    least_group, most_group, checkpoints}) {
    out.Count(count);
  }
  out.Real(loss_sum);
  out.Count(axis_losses.size());
  for (const double loss : axis_losses) out.Real(loss);
  delay_tuples.Save(out);
  delay_ms.Save(out);
}

void StreamMetrics::Restore(ByteReader& in) {
  for (std::uint64_t* count : {&records, &tuples, &dead_letters, &dropped, &released, &reused, &pooled, &suppressed, &groups,
                               &rows, &least_group, &most_group, &checkpoints}) {
    *count = in.Count();
  }
  loss_sum = in.Real();
  axis_losses.assign(in.Length(), 0);
  for (double& loss : axis_losses) loss = in.Real();
  delay_tuples.Restore(in);
  delay_ms.Restore(in);
}

std::string PrometheusText(const StreamMetrics& m) {
  std::string text;
  const auto put = [&](const char* name, const char* type, const char* help, auto value) {
    text += fmt::format("# HELP cordon_{0} {1}\n# TYPE cordon_{0} {2}\ncordon_{0} {3}\n", name, help, type, value);
  };
  put("records_total", "counter", "Records read.", m.records);
  put("tuples_in_total", "counter", "Tuples taken in.", m.tuples);
  put("tuples_out_total", "counter", "Tuples published in a group.", m.released);
  put("tuples_reused_total", "counter", "Tuples published in a group that was published before.", m.reused);
  put("tuples_suppressed_total", "counter", "Tuples of which nothing is published.", m.suppressed);
  put("dead_letters_total", "counter", "Records that could not be read or lie outside the declared domains.", m.dead_letters);
  put("dropped_total", "counter", "Records with missing cells, if the policy drops them.", m.dropped);
  put("groups_total", "counter", "Groups published.", m.groups);
  put("rows_total", "counter", "Rows written.", m.rows);
  put("checkpoints_total", "counter", "Checkpoints made.", m.checkpoints);
  put("held_tuples", "gauge", "Tuples that wait.", m.gauges.held);
  put("clusters", "gauge", "Open groups.", m.gauges.clusters);
  put("reusable_groups", "gauge", "Published groups that may be joined.", m.gauges.reusable);
  put("information_loss", "gauge", "Mean loss of all tuples that left; suppressed ones count 1.", m.information_loss());
  const auto summary = [&](const char* name, const char* help, const Histogram& delays) {
    text += fmt::format("# HELP cordon_{0} {1}\n# TYPE cordon_{0} summary\n", name, help);
    for (const double share : {0.5, 0.9, 0.99, 1.0}) {
      text += fmt::format("cordon_{}{{quantile=\"{}\"}} {}\n", name, share, delays.Quantile(share));
    }
    text += fmt::format("cordon_{}_count {}\n", name, delays.count());
  };
  summary("delay_tuples", "Tuples that arrived between a tuple and its leaving.", m.delay_tuples);
  if (m.delay_ms.count() > 0) summary("delay_milliseconds", "Event time between a tuple and its leaving.", m.delay_ms);
  return text;
}

}  // namespace cordon::engine
