// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/recoding.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cordon/data/recode.h"

namespace cordon::engine {
namespace {

struct Row {
  std::int64_t age;
  std::string place;
};

std::shared_ptr<const Hierarchy> Places() {
  const std::vector<std::vector<std::string>> paths = {
      {"Bern", "south", "*"}, {"Wien", "south", "*"}, {"Oslo", "north", "*"}, {"Riga", "north", "*"}};
  return std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
}

// Ages are numbers of the domain 0..100, places leaves of the hierarchy; an age below 0 is missing.
Microdata Table(const std::vector<Row>& rows, std::shared_ptr<const Hierarchy> places = Places(), int scale = 0) {
  Microdata data;
  data.num_rows = data.num_persons = rows.size();
  std::vector<std::int64_t> ages;
  bool missing = false;
  for (const Row& row : rows) {
    missing |= row.age < 0;
    if (row.age >= 0) ages.push_back(row.age);
  }
  std::sort(ages.begin(), ages.end());
  ages.erase(std::unique(ages.begin(), ages.end()), ages.end());
  Domain::NumericSpec spec{.scale = scale, .values = ages, .range_lo = 0, .range_hi = scale == 0 ? 100 : 1000};
  if (missing) spec.missing = "?";
  MicrodataColumn age;
  age.attribute = {"age", Role::kQuasi, std::make_shared<const Domain>(Domain::Numeric(spec)), 1};
  age.codes = Codes::Generate(rows.size(), 1, [&](std::size_t row) {
    if (rows[row].age < 0) return *age.attribute.domain->missing();
    return static_cast<Code>(std::lower_bound(ages.begin(), ages.end(), rows[row].age) - ages.begin());
  });
  MicrodataColumn place;
  place.attribute = {"place", Role::kQuasi,
                     std::make_shared<const Domain>(Domain::Categorical(std::move(places), std::nullopt)), 1};
  place.codes =
      Codes::Generate(rows.size(), 1, [&](std::size_t row) { return *place.attribute.domain->Encode(rows[row].place); });
  data.columns = {age, place};
  return data;
}

Release ReleaseOf(const Microdata& data, const std::vector<std::vector<RowId>>& groups, std::vector<RowId> suppressed = {},
                  SuppressedRows how = SuppressedRows::kDrop, RowOrder order = RowOrder::kInput) {
  Groups made;
  for (const auto& group : groups) made.Add(group);
  made.suppressed = std::move(suppressed);
  Random random = Random::FromSeed(7);
  return Recode(View::All(data), made, {.order = order, .suppressed = how}, random, {});
}

// "age|place" of each row in input order, "-" if it was suppressed.
std::vector<std::string> Published(const Recoding& recoding, const Microdata& data) {
  const AppliedRecoding applied = Apply(recoding, View::All(data), {}).value();
  Random random = Random::FromSeed(1);
  const Release release = Recode(View::All(data), applied.groups, applied.texts, {.order = RowOrder::kInput}, random, {});
  std::vector<std::string> rows(data.num_rows, "-");
  for (std::size_t row = 0; row < release.num_rows; ++row) {
    rows[release.input_rows[row]] =
        std::string(release.columns[0].text.cell(row).bytes()) + "|" + std::string(release.columns[1].text.cell(row).bytes());
  }
  return rows;
}

const std::vector<Row> kFirstBatch = {{20, "Bern"}, {30, "Wien"}, {40, "Oslo"}, {60, "Oslo"}, {20, "Riga"}, {70, "Bern"}};
const std::vector<std::vector<RowId>> kFirstGroups = {{0, 1}, {2, 3}, {4, 5}};  // [20,30]|south  [40,60]|Oslo  [20,70]|*

TEST(Recoding, NewRowsShowTheSavedTextsOfTheTightestBoxThatCoversThem) {
  const Recoding recoding = Recoding::FromRelease(ReleaseOf(Table(kFirstBatch), kFirstGroups));
  EXPECT_EQ(recoding.num_boxes(), 3u);
  // 25 is in no earlier row; 45 in Oslo has two boxes, the tighter one wins; 10 and 80 are outside all boxes.
  const Microdata next = Table({{25, "Wien"}, {45, "Oslo"}, {45, "Riga"}, {10, "Bern"}, {80, "Oslo"}, {30, "Bern"}});
  EXPECT_EQ(Published(recoding, next),
            (std::vector<std::string>{"[20,30]|south", "[40,60]|Oslo", "[20,70]|*", "-", "-", "[20,30]|south"}));
}

TEST(Recoding, TheSameRowsAreRecodedToNoMoreThanTheyShowed) {
  const Microdata data = Table(kFirstBatch);
  const Release release = ReleaseOf(data, kFirstGroups);
  EXPECT_EQ(
      Published(Recoding::FromRelease(release), data),
      (std::vector<std::string>{"[20,30]|south", "[20,30]|south", "[40,60]|Oslo", "[40,60]|Oslo", "[20,70]|*", "[20,70]|*"}));
}

TEST(Recoding, OfEquallyLossyBoxesTheFirstInTheFileIsTaken) {
  const Microdata data = Table({{10, "Bern"}, {20, "Bern"}, {20, "Bern"}, {30, "Bern"}});
  const Recoding recoding = Recoding::FromRelease(ReleaseOf(data, {{2, 3}, {0, 1}}));  // [10,20] and [20,30]
  EXPECT_EQ(Published(recoding, Table({{20, "Bern"}})), (std::vector<std::string>{"[10,20]|Bern"}));
}

TEST(Recoding, JsonRoundTripsAndDoesNotShowTheOrderOfTheRows) {
  const Microdata data = Table(kFirstBatch);
  const std::string json = Recoding::FromRelease(ReleaseOf(data, kFirstGroups)).ToJson();
  const auto read = Recoding::FromJson(json);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read.value().ToJson(), json);
  const Release shuffled =
      ReleaseOf(data, {kFirstGroups[2], kFirstGroups[0], kFirstGroups[1]}, {}, SuppressedRows::kDrop, RowOrder::kShuffled);
  EXPECT_EQ(Recoding::FromRelease(shuffled).ToJson(), json);
}

TEST(Recoding, SuppressedRowsAreNoBoxButAGroupOfEverythingIs) {
  const Microdata data = Table(kFirstBatch);
  const Release starred = ReleaseOf(data, {{0, 1}, {2, 3}}, {4, 5}, SuppressedRows::kStar);
  EXPECT_EQ(Recoding::FromRelease(starred).num_boxes(), 2u);

  const Microdata mixed = Table({{-1, "Bern"}, {20, "Oslo"}});
  const Release everything = ReleaseOf(mixed, {{0, 1}});  // *|*
  EXPECT_EQ(Published(Recoding::FromRelease(everything), Table({{77, "Riga"}})), (std::vector<std::string>{"*|*"}));
}

TEST(Recoding, MissingValuesGoToBoxesOfMissingValuesOnly) {
  const Microdata first = Table({{-1, "Bern"}, {-1, "Bern"}, {20, "Bern"}, {30, "Bern"}});
  const Recoding recoding = Recoding::FromRelease(ReleaseOf(first, {{0, 1}, {2, 3}}));
  EXPECT_EQ(Published(recoding, Table({{-1, "Bern"}, {25, "Bern"}, {-1, "Oslo"}})),
            (std::vector<std::string>{"?|Bern", "[20,30]|Bern", "-"}));
  // A batch without missing values has no such code: the box covers nothing.
  EXPECT_EQ(Published(recoding, Table({{25, "Bern"}})), (std::vector<std::string>{"[20,30]|Bern"}));
}

TEST(Recoding, TheIndexAgreesWithTheDefinitionOnRandomTables) {
  const std::vector<std::string> places = {"Bern", "Wien", "Oslo", "Riga"};
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const auto rows = [&](std::size_t count) {
      std::vector<Row> made;
      for (std::size_t i = 0; i < count; ++i) {
        made.push_back({random.Below(8) == 0 ? -1 : static_cast<std::int64_t>(random.Below(40)), places[random.Below(4)]});
      }
      return made;
    };
    const Microdata first = Table(rows(60));
    std::vector<std::vector<RowId>> groups(20);
    for (RowId row = 0; row < 60; ++row) groups[row % 20].push_back(row);
    const Recoding recoding = Recoding::FromRelease(ReleaseOf(first, groups));
    const Microdata next = Table(rows(50));
    const std::vector<std::string> published = Published(recoding, next);
    for (RowId row = 0; row < 50; ++row) {
      std::string expected = "-";
      double least = 1e9;
      for (std::size_t box = 0; box < recoding.num_boxes(); ++box) {
        double loss = 0;
        bool covered = true;
        std::string text;
        for (std::size_t q = 0; q < 2; ++q) {
          const Domain& domain = *next.columns[q].attribute.domain;
          const std::string& cell = recoding.columns()[q].cells[recoding.cell(box, q)];
          const auto meaning = domain.Read(cell);
          covered = covered && meaning && domain.Covers(*meaning, next.columns[q].codes[row]);
          if (covered) loss += domain.Loss(*meaning);
          text += (q == 0 ? "" : "|") + cell;
        }
        if (covered && loss < least) {
          least = loss;
          expected = text;
        }
      }
      EXPECT_EQ(published[row], expected);
    }
  }
}

TEST(Recoding, ThreadsChangeNothing) {
  std::vector<Row> rows;
  for (int i = 0; i < 20'000; ++i) rows.push_back({i * 7 % 100, i % 3 == 0 ? "Oslo" : "Bern"});
  const Microdata data = Table(rows);
  const Recoding recoding = Recoding::FromRelease(ReleaseOf(Table(kFirstBatch), kFirstGroups));
  const AppliedRecoding one = Apply(recoding, View::All(data), {.threads = 1}).value();
  const AppliedRecoding three = Apply(recoding, View::All(data), {.threads = 3}).value();
  EXPECT_EQ(one.groups.rows, three.groups.rows);
  EXPECT_EQ(one.groups.starts, three.groups.starts);
  EXPECT_EQ(one.groups.suppressed, three.groups.suppressed);
}

TEST(Recoding, AStoppedRunIsCancelled) {
  std::stop_source source;
  source.request_stop();
  const Microdata data = Table(kFirstBatch);
  const Recoding recoding = Recoding::FromRelease(ReleaseOf(data, kFirstGroups));
  EXPECT_EQ(Apply(recoding, View::All(data), {.stop = source.get_token()}).error().kind(), ErrorKind::kCancelled);
}

TEST(Recoding, AnotherTableIsRefused) {
  const Recoding recoding = Recoding::FromRelease(ReleaseOf(Table(kFirstBatch), kFirstGroups));
  const auto message = [&](const Microdata& data) {
    const auto applied = Apply(recoding, View::All(data), {});
    return applied.ok() ? "" : applied.error().message();
  };
  Microdata renamed = Table(kFirstBatch);
  renamed.columns[0].attribute.name = "years";
  EXPECT_EQ(message(renamed), "column 'years' is quasi and not in the recoding");
  Microdata fewer = Table(kFirstBatch);
  fewer.columns.erase(fewer.columns.begin());
  EXPECT_EQ(message(fewer), "column 'age' of the recoding is not a quasi column here");
  const auto hierarchy = std::make_shared<const Hierarchy>(
      Hierarchy::FromPaths(std::vector<std::vector<std::string>>{{"Bern", "south", "west", "*"},
                                                                 {"Wien", "south", "west", "*"},
                                                                 {"Oslo", "north", "north", "*"},
                                                                 {"Riga", "north", "north", "*"}})
          .value());
  EXPECT_EQ(message(Table(kFirstBatch, hierarchy)), "column 'place': its hierarchy is not the one the recoding was made with");
  const auto foreign = std::make_shared<const Hierarchy>(
      Hierarchy::FromPaths(std::vector<std::vector<std::string>>{{"Rom", "all"}, {"Paris", "all"}}).value());
  Microdata elsewhere = Table({{20, "Rom"}}, foreign);
  const Recoding south = Recoding::FromRelease(ReleaseOf(Table(kFirstBatch), {{0, 1}}));
  EXPECT_EQ(Apply(south, View::All(elsewhere), {}).error().message(),
            "column 'place': no cell of the recoding means anything here");
}

TEST(Recoding, NumbersWithMoreDigitsThanTheTableHoldsAreNamedAsTheCause) {
  const Microdata tenths = Table({{205, "Bern"}, {315, "Bern"}}, Places(), 1);  // 20.5 and 31.5
  const Recoding recoding = Recoding::FromRelease(ReleaseOf(tenths, {{0, 1}}));
  const auto applied = Apply(recoding, View::All(Table(kFirstBatch)), {});
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().message(), "column 'age': the recoding has numbers that this column cannot hold");
  EXPECT_NE(applied.error().hint(), "");
}

TEST(Recoding, ForeignOrDamagedFilesAreRefused) {
  const std::string good = Recoding::FromRelease(ReleaseOf(Table(kFirstBatch), kFirstGroups)).ToJson();
  ASSERT_TRUE(Recoding::FromJson(good).ok());
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text : {std::string(), std::string("null"), std::string("[1,2]"), std::string("{}"),
                                  good.substr(0, good.size() / 2), changed("cordon recoding", "another"),
                                  changed("\"version\":1", "\"version\":2"), changed("\"version\":1", "\"version\":\"1\""),
                                  changed("\"name\":\"age\"", "\"name\":\"place\""), changed("\"name\":\"age\"", "\"name\":5"),
                                  changed("\"kind\":\"numeric\"", "\"kind\":\"text\""), changed("\"cells\":[", "\"cells\":[7,"),
                                  changed("\"boxes\":[[", "\"boxes\":[[9,"), changed("\"boxes\":[[0", "\"boxes\":[[-1"),
                                  changed("\"boxes\":[[0", "\"boxes\":[[99"), changed("\"boxes\":[[0", "\"boxes\":[[0.5"),
                                  changed("\"above\":[", "\"above\":[[],"), changed("\"boxes\"", "\"box\"")}) {
    const auto read = Recoding::FromJson(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().kind(), ErrorKind::kInvalidData);
    EXPECT_NE(read.error().hint(), "");
  }
}

}  // namespace
}  // namespace cordon::engine
