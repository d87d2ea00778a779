// SPDX-License-Identifier: Apache-2.0
//
// The attacks, one function and one file each. docs/attack.md says what each assumes. An attack that cannot be run on this
// release says why instead of giving figures.
#pragma once

#include <string>
#include <vector>

#include "cordon/attack/scene.h"

namespace cordon::engine {

struct Attacked {
  std::vector<Figure> figures;
  std::string left_out = "";  // why it was not run
};

Result<Attacked> Linkage(const Scene& scene);
Result<Attacked> Homogeneity(const Scene& scene);
Result<Attacked> Skewness(const Scene& scene);
Result<Attacked> Background(const Scene& scene);
Result<Attacked> Bayes(const Scene& scene);
Result<Attacked> DeFinetti(const Scene& scene);
Result<Attacked> MinimalityByCuts(const Scene& scene);
Result<Attacked> MinimalityByAlgorithm(const Scene& scene);
Result<Attacked> Intersection(const Scene& scene);
Result<Attacked> Membership(const Scene& scene);
Result<Attacked> SinglingOut(const Scene& scene);
Result<Attacked> Linkability(const Scene& scene);
Result<Attacked> Inference(const Scene& scene);

}  // namespace cordon::engine
