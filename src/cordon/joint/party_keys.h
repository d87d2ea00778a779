// SPDX-License-Identifier: Apache-2.0
//
// The secrets of a party, as files: its own key, and the pepper that both share. 64 hexadecimal digits, readable by their
// owner alone.
#pragma once

#include <string>

#include "cordon/base/result.h"
#include "cordon/crypto/psi.h"
#include "cordon/crypto/signature.h"

namespace cordon::engine {

// Makes a key, and gives its public half in hexadecimal for the policy. An error if the file is there.
Result<std::string> MakePartyKey(const std::string& path);
Result<void> MakePepper(const std::string& path);

Result<SigningKey> ReadPartyKey(const std::string& path);
Result<Pepper> ReadPepper(const std::string& path);

}  // namespace cordon::engine
