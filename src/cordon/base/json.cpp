// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/json.h"

#include <cmath>

namespace cordon::engine {

Json ParseJson(std::string_view text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

std::string Dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json JsonNumber(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace cordon::engine
