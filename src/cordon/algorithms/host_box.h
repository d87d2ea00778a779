// SPDX-License-Identifier: Apache-2.0
//
// A box around a row whose value needs a large group: widened attribute by attribute until it holds enough rows of
// enough different values, each step the one that captures most for what it costs.
#pragma once

#include "cordon/algorithms/box_spans.h"
#include "cordon/algorithms/mix_outlook.h"
#include "cordon/algorithms/search_rows.h"

namespace cordon {

struct HostBox {
  std::vector<std::uint32_t> rows;  // those of `alive` inside, the values of the largest need first
  std::size_t num_values = 0;       // of the domain
};

HostBox WidenHostBox(const SearchRows& rows, const BoxSpans& spans, const MixOutlook& outlook,
                     std::span<const std::uint32_t> alive, std::size_t seed, std::int64_t size);

}  // namespace cordon
