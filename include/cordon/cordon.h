// SPDX-License-Identifier: Apache-2.0
//
// All of the library. docs/library.md walks through it.
#pragma once

#include "cordon/anonymize.h"
#include "cordon/attack.h"
#include "cordon/check.h"
#include "cordon/compare.h"
#include "cordon/duckdb.h"
#include "cordon/evaluate.h"
#include "cordon/inspect.h"
#include "cordon/policy.h"
#include "cordon/registry.h"
#include "cordon/release_next.h"
#include "cordon/result.h"
#include "cordon/store.h"
#include "cordon/stream.h"
#include "cordon/sweep.h"
#include "cordon/table.h"
#include "cordon/verify.h"
#include "cordon/version.h"
