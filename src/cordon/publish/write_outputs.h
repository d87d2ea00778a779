// SPDX-License-Identifier: Apache-2.0
//
// The files of a run: the release, its manifest and record, reports, the row map, the boxes for a later batch. All of them
// appear, or none.
#pragma once

#include "cordon/data/release.h"
#include "cordon/io/files/written_files.h"
#include "cordon/io/spill/shuffled_release.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"
#include "cordon/registry/registration.h"
#include "cordon/report/manifest.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// Before any work: names that cannot be written, formats that are not served, two files that are one.
Result<void> CheckFiles(const AnonymizeRequest& request, const Policy& policy);

// Gives the report back with what writing cost. `registration`: where the release is entered.
Result<Report> WriteOutputs(const AnonymizeRequest& request, const Policy& policy, const Microdata& data,
                            const VerifiedRelease& verified, RunRecord record, Report report, const Run& run,
                            const Registration* registration = nullptr);

// The same of a table that is larger than memory; without an output, the reports alone. REQUIRES: the request asks for no row
// map, recoding or page.
Result<Report> WriteLargeRun(const AnonymizeRequest& request, const Policy& policy, ShuffledRelease& rows, RunRecord record,
                             Report report, const Run& run);

// What the run leaves, in the order of importance; nothing for standard output.
WrittenFiles FilesWritten(const AnonymizeRequest& request);

// A dry run: the reports that were asked for, and nothing else.
Result<void> WriteReportsAlone(const AnonymizeRequest& request, const Report& report, const Policy& policy,
                               const Microdata& data, const Release& release, const Run& run);

}  // namespace cordon::engine
