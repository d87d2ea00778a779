// SPDX-License-Identifier: Apache-2.0
//
// Naive Bayes over atoms. The chance of a cell in a class is the sum over its atoms of the atom's chance, as far as the cell
// covers it; "*" has chance 1 and says nothing. Numbers with many atoms are cut into bins of about equal weight.
#include <algorithm>
#include <cmath>

#include "cordon/metrics/classifier.h"

namespace cordon::engine {
namespace {

constexpr Code kMaxBins = 32;

class NaiveBayes final : public Classifier {
 public:
  NaiveBayes(const FeatureTable& table, std::span<const RowId> rows) : num_classes_(table.num_classes) {
    const auto classes = static_cast<std::size_t>(num_classes_);
    std::vector<double> class_rows(classes);
    for (const RowId row : rows) ++class_rows[table.labels[row]];
    for (const double count : class_rows) {
      log_prior_.push_back(std::log((count + 1) / (static_cast<double>(rows.size()) + static_cast<double>(num_classes_))));
    }
    for (const FeatureColumn& column : table.columns) columns_.push_back(Learn(table, column, rows, class_rows));
  }

  std::vector<Code> Predict(const FeatureTable& table, std::span<const RowId> rows) const override {
    const auto classes = static_cast<std::size_t>(num_classes_);
    // What each different cell says, once.
    std::vector<std::vector<double>> logs(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      for (const LeafSet& cell : table.columns[c].cells) {
        const std::vector<double> chance = columns_[c].Chance(cell, classes);
        for (const double p : chance) logs[c].push_back(std::log(p));
      }
    }
    std::vector<Code> predicted;
    std::vector<double> score(classes);
    for (const RowId row : rows) {
      score = log_prior_;
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        const double* const own = logs[c].data() + static_cast<std::size_t>(table.columns[c].of_row[row]) * classes;
        for (std::size_t k = 0; k < classes; ++k) score[k] += own[k];
      }
      predicted.push_back(static_cast<Code>(std::max_element(score.begin(), score.end()) - score.begin()));
    }
    return predicted;
  }

 private:
  struct Learned {
    FeatureAxis axis;
    std::vector<Code> bin_of_atom;
    std::vector<double> bin_leaves;
    std::vector<double> chance;  // bin, class

    std::vector<double> Chance(const LeafSet& cell, std::size_t classes) const {
      std::vector<double> sum(classes);
      for (const AxisShare& share : axis.Shares(cell)) {
        const auto bin = static_cast<std::size_t>(bin_of_atom[share.atom]);
        const double covered = share.coverage * static_cast<double>(axis.size(share.atom)) / bin_leaves[bin];
        for (std::size_t k = 0; k < classes; ++k) sum[k] += covered * chance[bin * classes + k];
      }
      return sum;
    }
  };

  static Learned Learn(const FeatureTable& table, const FeatureColumn& column, std::span<const RowId> rows,
                       const std::vector<double>& class_rows) {
    Learned made{FeatureAxis(column), {}, {}, {}};
    const AxisColumn atoms(made.axis, column);
    const std::size_t classes = class_rows.size();
    const auto num_atoms = static_cast<std::size_t>(made.axis.num_atoms());
    std::vector<double> counts(num_atoms * classes);
    std::vector<double> weight(num_atoms);
    for (const RowId row : rows) {
      for (const AxisShare& share : atoms[row]) {
        counts[static_cast<std::size_t>(share.atom) * classes + static_cast<std::size_t>(table.labels[row])] += share.share;
        weight[share.atom] += share.share;
      }
    }
    made.bin_of_atom.resize(num_atoms);
    const bool binned = column.ordered && made.axis.num_atoms() > kMaxBins;
    const double per_bin = static_cast<double>(rows.size()) / kMaxBins;
    double filled = 0;
    Code bin = 0;
    for (std::size_t atom = 0; atom < num_atoms; ++atom) {
      if (atom > 0 && (!binned || filled >= per_bin)) {
        ++bin;
        filled = 0;
      }
      made.bin_of_atom[atom] = bin;
      filled += weight[atom];
    }
    const auto bins = static_cast<std::size_t>(bin) + 1;
    made.bin_leaves.resize(bins);
    made.chance.assign(bins * classes, 1);  // Laplace
    for (std::size_t atom = 0; atom < num_atoms; ++atom) {
      const auto own = static_cast<std::size_t>(made.bin_of_atom[atom]);
      made.bin_leaves[own] += static_cast<double>(made.axis.size(static_cast<Code>(atom)));
      for (std::size_t k = 0; k < classes; ++k) made.chance[own * classes + k] += counts[atom * classes + k];
    }
    for (std::size_t own = 0; own < bins; ++own) {
      for (std::size_t k = 0; k < classes; ++k) made.chance[own * classes + k] /= class_rows[k] + static_cast<double>(bins);
    }
    return made;
  }

  Code num_classes_;
  std::vector<double> log_prior_;
  std::vector<Learned> columns_;
};

}  // namespace

std::unique_ptr<const Classifier> TrainNaiveBayes(const FeatureTable& table, std::span<const RowId> rows) {
  return std::make_unique<const NaiveBayes>(table, rows);
}

}  // namespace cordon::engine
