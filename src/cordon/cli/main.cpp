// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/command_line.h"

int main(int argc, char** argv) { return cordon::engine::CommandLine(argc, argv); }
