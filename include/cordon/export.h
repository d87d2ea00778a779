// SPDX-License-Identifier: Apache-2.0
//
// Marks what the shared library shows. Everything else of it is hidden.
#pragma once

#define CORDON_API __attribute__((visibility("default")))
