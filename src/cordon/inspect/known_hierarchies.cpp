// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/known_hierarchies.h"

#include <algorithm>
#include <filesystem>

#include "cordon/inspect/words.h"
#include "cordon/policy/hierarchy_source.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kFewLeaves = 5;                           // values that several files may hold by chance
constexpr std::uintmax_t kMaxFile = std::uintmax_t{256} << 20;  // a hierarchy is not larger; the data may be

}  // namespace

// The words of the column stand together in the name of the file: adult_hierarchy_marital-status.csv, age.csv.
bool SaysColumn(const std::string& path, std::string_view column) {
  const std::vector<std::string> words = WordsOf(column);
  const std::vector<std::string> name = WordsOf(std::filesystem::path(path).stem().string());
  return !words.empty() && std::search(name.begin(), name.end(), words.begin(), words.end()) != name.end();
}

std::size_t NumLacking(const Hierarchy& hierarchy, const std::vector<Counted>& values) {
  return static_cast<std::size_t>(std::count_if(
      values.begin(), values.end(), [&](const Counted& value) { return !hierarchy.FindLeaf(value.first).has_value(); }));
}

Result<HierarchyFolder> ReadHierarchyFolder(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> paths;
  HierarchyFolder made;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (!at->is_regular_file(failed)) continue;
    if (at->file_size(failed) <= kMaxFile) {
      paths.push_back(at->path().string());
    } else {
      made.passed_over.push_back({at->path().string(), "too large for a hierarchy"});
    }
  }
  if (failed) {
    return Error::Io("reading the folder {}: {}", folder, failed.message())
        .WithHint("--hierarchies takes a folder of hierarchy files, one line per leaf: leaf;level1;...;root");
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    Result<Hierarchy> read = ReadHierarchy(path);
    if (!read.ok()) {
      made.passed_over.push_back({path, "not a hierarchy file"});
    } else if (read.value().num_levels() <= 1) {
      made.passed_over.push_back({path, "no level above its leaves"});
    } else {
      made.known.push_back({path, std::move(read).value()});
    }
  }
  return made;
}

const KnownHierarchy* FindHierarchy(const std::vector<KnownHierarchy>& known, std::string_view column,
                                    const std::vector<Counted>& values) {
  std::vector<const KnownHierarchy*> fitting;
  for (const KnownHierarchy& each : known) {
    if (!values.empty() && NumLacking(each.hierarchy, values) == 0) fitting.push_back(&each);
  }
  for (const KnownHierarchy* each : fitting) {
    if (SaysColumn(each->path, column)) return each;
  }
  // Any list of values makes a flat hierarchy: without a name it says nothing.
  std::erase_if(fitting, [](const KnownHierarchy* each) { return each->hierarchy.num_levels() == 2; });
  return fitting.size() == 1 && values.size() > kFewLeaves ? fitting[0] : nullptr;
}

}  // namespace cordon::engine
