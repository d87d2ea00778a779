// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/duckdb/parquet_set.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPatternMarks = "*?[";

bool IsData(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.empty() && name[0] != '_' && name[0] != '.';
}

bool IsParquetName(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".parquet" || extension == ".pq";
}

// The files below a folder; folders that are not data are left out whole.
Result<void> AddFolder(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code code;
  fs::recursive_directory_iterator at(folder, code);
  if (code) return Error::Io("cannot read the folder {}: {}", folder.string(), code.message());
  for (const auto end = fs::recursive_directory_iterator(); at != end; at.increment(code)) {
    if (code) return Error::Io("cannot read the folder {}: {}", folder.string(), code.message());
    if (!IsData(at->path())) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(code) && IsParquetName(at->path())) {
      files.push_back(at->path());
    }
  }
  return {};
}

Result<std::vector<fs::path>> Matches(const std::string& pattern) {
  glob_t found = {};
  std::vector<fs::path> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    if (fs::is_directory(path)) {
      CORDON_RETURN_IF_ERROR(AddFolder(path, files));
    } else if (IsData(path)) {
      files.push_back(path);
    }
  }
  return files;
}

// The folder below which partitions count: the part of a pattern before its first mark.
fs::path BaseOf(const std::string& path) {
  const std::size_t mark = path.find_first_of(kPatternMarks);
  return mark == std::string::npos ? fs::path(path) : fs::path(path.substr(0, path.rfind('/', mark) + 1));
}

// A folder is read as one table of Parquet files. What else lies in it may be what was meant.
Error NoParquetIn(const std::string& folder) {
  constexpr const char* kWhat = "a folder must hold Parquet files (.parquet or .pq), and this one has none";
  std::vector<std::string> tables;
  std::error_code code;
  for (const auto& file : fs::directory_iterator(folder, code)) {
    const std::string extension = file.path().extension().string();
    if (extension == ".csv" || extension == ".tsv") tables.push_back(file.path().string());
  }
  std::sort(tables.begin(), tables.end());
  if (tables.empty()) return Error::InvalidData(kWhat).WithHint("give the file that holds the table");
  if (tables.size() == 1) return Error::InvalidData(kWhat).WithHint("give the file itself: {}", tables[0]);
  return Error::InvalidData(kWhat).WithHint("give one file, such as {}; all of them together: sql:SELECT * FROM '{}/*{}'",
                                            tables[0], folder, fs::path(tables[0]).extension().string());
}

std::vector<std::string> KeysOn(const fs::path& folders) {
  std::vector<std::string> keys;
  for (const fs::path& folder : folders) {
    const std::string name = folder.string();
    const std::size_t equal = name.find('=');
    if (equal != std::string::npos && equal > 0) keys.push_back(name.substr(0, equal));
  }
  return keys;
}

}  // namespace

bool IsParquetSet(const std::string& path) {
  std::error_code code;
  if (path == "-" || path.empty() || path.starts_with("sql:")) return false;  // a query may hold any mark
  if (fs::is_directory(path, code)) return true;
  return path.find_first_of(kPatternMarks) != std::string::npos && !fs::exists(path, code);
}

Result<ParquetSet> FindParquetSet(const std::string& path) {
  std::vector<fs::path> files;
  if (path.find_first_of(kPatternMarks) == std::string::npos) {
    CORDON_RETURN_IF_ERROR(AddFolder(path, files));
  } else {
    CORDON_TRY(files, Matches(path));
  }
  if (files.empty()) {
    return fs::is_directory(path) ? NoParquetIn(path) : Error::InvalidData("no file fits the pattern");
  }
  std::sort(files.begin(), files.end());
  const fs::path base = BaseOf(path);
  ParquetSet set;
  for (const fs::path& file : files) {
    if (!IsParquetName(file)) {
      return Error::InvalidData("the pattern matches files that are not Parquet")
          .WithHint("end it with .parquet; for CSV files give sql:SELECT * FROM '{}'", path);
    }
    const fs::path relative = base.empty() ? file : file.lexically_relative(base);
    const std::vector<std::string> keys = KeysOn(relative.parent_path());
    if (!set.files.empty() && keys != set.keys) {
      return Error::InvalidData("the folders name different partitions: some files have {} of them, others {}", keys.size(),
                                set.keys.size())
          .WithHint("give a folder in which all files lie below the same keys");
    }
    set.keys = keys;
    set.all_keys = KeysOn(file.parent_path());
    set.files.push_back(file.string());
    set.names.push_back(relative.generic_string());
  }
  return set;
}

}  // namespace cordon::engine
