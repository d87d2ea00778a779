// SPDX-License-Identifier: Apache-2.0
// A departure that no verifier has judged cannot become rows.
#include "cordon/stream/row_sink.h"

using namespace cordon::engine;

#ifdef FORBIDDEN
void Write(RowSink& sink, const Departure& departure, const PayloadStore& store, std::string& out) {
  sink.Take(departure, store, out);
}
#else
void Write(RowSink& sink, const VerifiedDeparture& departure, const PayloadStore& store, std::string& out) {
  sink.Take(departure, store, out);
}
#endif
