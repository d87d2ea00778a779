// SPDX-License-Identifier: Apache-2.0
//
// Maps the command line to a subcommand and its answer to an exit status:
//   0 done, holds    1 the answer is no    2 invalid request, bad data, I/O    130 interrupted
#pragma once

namespace cordon::engine {

// The whole program. Takes over the signals of the process: it is to end with the status.
int CommandLine(int argc, char** argv);

}  // namespace cordon::engine
