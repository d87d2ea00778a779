// SPDX-License-Identifier: Apache-2.0
//
// The first sheet of a workbook (ECMA-376): a zip archive of XML parts, each read as a stream. Styles say which numbers are
// dates, shared strings hold the texts.
#include <expat.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "cordon/io/foreign/foreign_internal.h"

namespace cordon::engine::internal {
namespace {

constexpr std::uint64_t kMaxPart = std::uint64_t{4} << 30;  // bytes, unpacked: no file of people has more
constexpr std::size_t kMaxColumns = 16'384;
constexpr std::size_t kLongestText = 1 << 20;

Error DamagedWorkbook() { return Error::InvalidData("this is not an .xlsx workbook, or a damaged one"); }

// The name without its namespace: "c" of "x:c".
std::string_view LocalName(const char* name) {
  const std::string_view text = name;
  const std::size_t colon = text.rfind(':');
  return colon == std::string_view::npos ? text : text.substr(colon + 1);
}

class Attributes {
 public:
  explicit Attributes(const char** list) : list_(list) {}
  // Empty if there is none.
  std::string_view Get(std::string_view name) const {
    for (const char** at = list_; *at != nullptr; at += 2) {
      if (name == *at || (name.find(':') == std::string_view::npos && LocalName(*at) == name)) return at[1];
    }
    return {};
  }

 private:
  const char** list_;
};

// What a part is made of, element by element. An error ends the reading.
struct PartHandler {
  std::function<void(std::string_view name, const Attributes& attributes)> on_start = [](auto, const auto&) {};
  std::function<Result<void>(std::string_view name)> on_end = [](auto) { return Result<void>(); };
  std::function<void(std::string_view text)> on_text = [](auto) {};
};

class Archive {
 public:
  static Result<Archive> Open(const std::string& path) {
    int code = 0;
    zip_t* opened = zip_open(path.c_str(), ZIP_RDONLY, &code);
    if (opened != nullptr) return Archive(opened);
    if (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN) return Error::Io("cannot open: {}", std::strerror(errno));
    return DamagedWorkbook();
  }

  bool Has(const std::string& name) const { return zip_name_locate(zip_.get(), name.c_str(), 0) >= 0; }

  Result<void> Parse(const std::string& name, const PartHandler& handler, const Run& run) const {
    const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(zip_.get(), name.c_str(), 0), zip_fclose);
    if (file == nullptr) return DamagedWorkbook();
    Parsing parsing{&handler, XML_ParserCreate(nullptr), {}};
    if (parsing.parser == nullptr) return Error::Io("out of memory");
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> owner(parsing.parser, XML_ParserFree);
    XML_SetUserData(parsing.parser, &parsing);
    XML_SetElementHandler(parsing.parser, OnStart, OnEnd);
    XML_SetCharacterDataHandler(parsing.parser, OnText);
    std::string buffer(std::size_t{1} << 16, '\0');
    for (std::uint64_t total = 0;;) {
      if (run.Stopped()) return Error::Cancelled();
      const zip_int64_t size = zip_fread(file.get(), buffer.data(), buffer.size());
      if (size < 0) return DamagedWorkbook();
      total += static_cast<std::uint64_t>(size);
      if (total > kMaxPart) return Error::InvalidData("a part of the workbook is larger than 4 GiB");
      const auto state = XML_Parse(parsing.parser, buffer.data(), static_cast<int>(size), size == 0);
      if (!parsing.result.ok()) return parsing.result;
      if (state != XML_STATUS_OK) return DamagedWorkbook();
      if (size == 0) return {};
    }
  }

 private:
  struct Parsing {
    const PartHandler* handler;
    XML_Parser parser;
    Result<void> result;
  };
  static void OnStart(void* data, const char* name, const char** attributes) {
    const auto& parsing = *static_cast<Parsing*>(data);
    parsing.handler->on_start(LocalName(name), Attributes(attributes));
  }
  static void OnEnd(void* data, const char* name) {
    auto& parsing = *static_cast<Parsing*>(data);
    if (!parsing.result.ok()) return;
    parsing.result = parsing.handler->on_end(LocalName(name));
    if (!parsing.result.ok()) XML_StopParser(parsing.parser, XML_FALSE);
  }
  static void OnText(void* data, const char* text, int size) {
    const auto& parsing = *static_cast<Parsing*>(data);
    parsing.handler->on_text({text, static_cast<std::size_t>(size)});
  }

  explicit Archive(zip_t* zip) : zip_(zip, zip_discard) {}
  std::unique_ptr<zip_t, void (*)(zip_t*)> zip_;
};

std::optional<std::size_t> Whole(std::string_view text) {
  std::size_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Whether a number format shows a day or a time: its letters outside quotes and brackets.
bool ShowsTime(std::string_view format) {
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c == '"' || c == '[') {
      const std::size_t end = format.find(c == '"' ? '"' : ']', i + 1);
      // [h], [mm] and [ss] count hours beyond a day: a duration, not a day.
      if (end == std::string_view::npos) return false;
      i = end;
    } else if (c == '\\' || c == '_' || c == '*') {
      ++i;
    } else if (c == 'y' || c == 'Y' || c == 'd' || c == 'D') {
      return true;
    } else if (c == 'G') {  // General
      return false;
    }
  }
  return false;
}

struct Workbook {
  std::string sheet;  // the part of the first sheet
  std::size_t num_sheets = 0;
  bool from_1904 = false;
  std::vector<std::string> strings;
  std::vector<bool> is_date;  // by the number of a style
};

Result<void> ReadWorkbook(const Archive& archive, Workbook& book, const Run& run) {
  std::string first;
  PartHandler sheets;
  sheets.on_start = [&](std::string_view name, const Attributes& attributes) {
    if (name == "workbookPr") {
      const std::string_view flag = attributes.Get("date1904");
      book.from_1904 = flag == "1" || flag == "true";
    }
    if (name != "sheet") return;
    ++book.num_sheets;
    if (first.empty()) first = attributes.Get("r:id");
  };
  CORDON_RETURN_IF_ERROR(archive.Parse("xl/workbook.xml", sheets, run));
  PartHandler relations;
  relations.on_start = [&](std::string_view name, const Attributes& attributes) {
    if (name == "Relationship" && attributes.Get("Id") == first) book.sheet = attributes.Get("Target");
  };
  CORDON_RETURN_IF_ERROR(archive.Parse("xl/_rels/workbook.xml.rels", relations, run));
  if (book.sheet.empty()) return Error::InvalidData("the workbook has no sheet");
  book.sheet = book.sheet.starts_with('/') ? book.sheet.substr(1) : "xl/" + book.sheet;
  return {};
}

// Texts in parts of their own; what a text sounds like (rPh) does not belong to it.
Result<void> ReadStrings(const Archive& archive, Workbook& book, const Run& run) {
  if (!archive.Has("xl/sharedStrings.xml")) return {};
  bool in_text = false;
  bool spoken = false;
  std::string text;
  PartHandler handler;
  handler.on_start = [&](std::string_view name, const Attributes&) {
    if (name == "si") text.clear();
    if (name == "rPh") spoken = true;
    if (name == "t") in_text = !spoken;
  };
  handler.on_text = [&](std::string_view part) {
    if (in_text) text += part;
  };
  handler.on_end = [&](std::string_view name) -> Result<void> {
    if (name == "t") in_text = false;
    if (name == "rPh") spoken = false;
    if (name == "si") book.strings.push_back(std::move(text));
    return {};
  };
  return archive.Parse("xl/sharedStrings.xml", handler, run);
}

Result<void> ReadStyles(const Archive& archive, Workbook& book, const Run& run) {
  if (!archive.Has("xl/styles.xml")) return {};
  std::map<std::size_t, bool> own;  // number formats of the file itself
  bool in_cells = false;
  PartHandler handler;
  handler.on_start = [&](std::string_view name, const Attributes& attributes) {
    const auto id = Whole(attributes.Get("numFmtId"));
    if (name == "numFmt" && id) own[*id] = ShowsTime(attributes.Get("formatCode"));
    if (name == "cellXfs") in_cells = true;
    if (name != "xf" || !in_cells) return;
    const auto found = id ? own.find(*id) : own.end();
    const bool known = id && ((14 <= *id && *id <= 17) || *id == 22 || (27 <= *id && *id <= 36) || (50 <= *id && *id <= 58));
    book.is_date.push_back(found != own.end() ? found->second : known);
  };
  handler.on_end = [&](std::string_view name) -> Result<void> {
    if (name == "cellXfs") in_cells = false;
    return {};
  };
  return archive.Parse("xl/styles.xml", handler, run);
}

// The rows of the sheet, one after another.
class SheetReader {
 public:
  SheetReader(const Workbook& book, const SourceOptions& options) : book_(book), options_(options) {}

  PartHandler Handler() {
    PartHandler handler;
    handler.on_start = [this](std::string_view name, const Attributes& attributes) { Start(name, attributes); };
    handler.on_text = [this](std::string_view text) {
      if (in_value_ && value_.size() < kLongestText) value_ += text;
    };
    handler.on_end = [this](std::string_view name) { return End(name); };
    return handler;
  }
  Result<Table> Finish() {
    if (!table_) return Error::InvalidData("the first sheet is empty");
    return std::move(*table_).Finish();
  }

 private:
  void Start(std::string_view name, const Attributes& attributes) {
    if (name == "row") {
      row_.clear();
      next_column_ = 0;
    } else if (name == "c") {
      column_ = ColumnOf(attributes.Get("r")).value_or(next_column_);
      type_ = attributes.Get("t");
      const auto style = Whole(attributes.Get("s"));
      date_ = style && *style < book_.is_date.size() && book_.is_date[*style];
      value_.clear();
      has_value_ = false;
      in_cell_ = true;
    } else if (in_cell_ && (name == "v" || name == "t")) {
      in_value_ = !spoken_;
      has_value_ = true;
    } else if (name == "rPh") {
      spoken_ = true;
    }
  }

  Result<void> End(std::string_view name) {
    if (name == "v" || name == "t") in_value_ = false;
    if (name == "rPh") spoken_ = false;
    if (name == "c") {
      in_cell_ = false;
      next_column_ = column_ + 1;
      if (column_ >= kMaxColumns) return DamagedWorkbook();
      if (!has_value_) return {};
      CORDON_TRY(std::optional<std::string> text, CellText());
      if (row_.size() <= column_) row_.resize(column_ + 1);
      row_[column_] = std::move(text);
    }
    if (name == "row") return EndRow();
    return {};
  }

  // "C7" is column 2.
  static std::optional<std::size_t> ColumnOf(std::string_view reference) {
    std::size_t column = 0;
    std::size_t letters = 0;
    for (; letters < reference.size() && 'A' <= reference[letters] && reference[letters] <= 'Z'; ++letters) {
      column = column * 26 + static_cast<std::size_t>(reference[letters] - 'A') + 1;
      if (column > kMaxColumns) return kMaxColumns;
    }
    return letters == 0 ? std::nullopt : std::optional(column - 1);
  }

  Result<std::optional<std::string>> CellText() const {
    if (type_ == "s") {
      const auto index = Whole(value_);
      if (!index || *index >= book_.strings.size()) return DamagedWorkbook();
      return Present(book_.strings[*index]);
    }
    if (type_ == "b") return std::optional<std::string>(value_ == "1" ? "true" : "false");
    if (!type_.empty() && type_ != "n") return Present(value_);
    double number = 0;
    const auto [end, code] = std::from_chars(value_.data(), value_.data() + value_.size(), number);
    if (code != std::errc() || end != value_.data() + value_.size()) return value_.empty() ? Present("") : DamagedWorkbook();
    if (!date_) return std::optional(NumberText(number));
    constexpr double kFrom1900 = -25569;  // 1899-12-30
    constexpr double kFrom1904 = -24107;
    auto text = DateTimeText(number + (book_.from_1904 ? kFrom1904 : kFrom1900));
    if (!text) return Error::InvalidData("row {} holds a date beyond the year 9999", rows_ + 1);
    return text;
  }
  static Result<std::optional<std::string>> Present(const std::string& text) {
    return text.empty() ? std::optional<std::string>() : std::optional(text);
  }

  // Rows without any cell are none. The first of the others names the columns, unless there is no header.
  Result<void> EndRow() {
    if (std::none_of(row_.begin(), row_.end(), [](const auto& cell) { return cell.has_value(); })) return {};
    if (!table_) {
      std::vector<std::string> names;
      for (const auto& cell : row_) names.push_back(cell.value_or(""));
      while (options_.text.header && !names.empty() && names.back().empty()) names.pop_back();
      CORDON_TRY(TableBuilder made, TableBuilder::Make(std::move(names), options_));
      table_.emplace(std::move(made));
      if (options_.text.header) return {};
    }
    if (row_.size() > table_->num_columns()) {
      const bool more = std::any_of(row_.begin() + static_cast<std::ptrdiff_t>(table_->num_columns()), row_.end(),
                                    [](const auto& cell) { return cell.has_value(); });
      if (more) {
        return Error::InvalidData("row {} has cells to the right of the last column that has a name", rows_ + 1)
            .WithHint(
                "the first line that is not empty names the columns: remove the lines above the table, or save it as CSV "
                "and set skip in [data]");
      }
    }
    row_.resize(table_->num_columns());
    ++rows_;
    return table_->AddRow(row_);
  }

  const Workbook& book_;
  const SourceOptions& options_;
  std::optional<TableBuilder> table_;
  std::vector<std::optional<std::string>> row_;
  std::uint64_t rows_ = 0;
  std::size_t column_ = 0;
  std::size_t next_column_ = 0;
  std::string type_;
  std::string value_;
  bool date_ = false;
  bool has_value_ = false;
  bool in_cell_ = false;
  bool in_value_ = false;
  bool spoken_ = false;
};

}  // namespace

Result<std::size_t> CountExcelSheets(const std::string& path, const Run& run) {
  CORDON_TRY(const Archive archive, Archive::Open(path));
  Workbook book;
  CORDON_RETURN_IF_ERROR(ReadWorkbook(archive, book, run));
  return book.num_sheets;
}

Result<Table> ReadExcel(const std::string& path, const SourceOptions& options, const Run& run) {
  CORDON_TRY(const Archive archive, Archive::Open(path));
  Workbook book;
  CORDON_RETURN_IF_ERROR(ReadWorkbook(archive, book, run));
  CORDON_RETURN_IF_ERROR(ReadStrings(archive, book, run));
  CORDON_RETURN_IF_ERROR(ReadStyles(archive, book, run));
  SheetReader sheet(book, options);
  CORDON_RETURN_IF_ERROR(archive.Parse(book.sheet, sheet.Handler(), run));
  return sheet.Finish();
}

}  // namespace cordon::engine::internal
