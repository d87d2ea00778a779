// SPDX-License-Identifier: Apache-2.0
//
// What a reader relies on: the manifest has its form, every changed byte of what it names is found, and a reader next to an
// append gets one state or the other. The files are stand-ins: what is in them does not matter here.
#include "cordon/store/store_manifest.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cordon/io/files/atomic_file.h"
#include "cordon/store/convert_store.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

namespace fs = std::filesystem;

SigningKey TestKey() {
  Secret<SigningKey::Seed> seed;
  seed->fill(7);
  return SigningKey::FromSeed(seed);
}

class StoreManifestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = folder_ / "store";
    fs::create_directory(store_);
    for (const char* table : kStoreTables) fs::create_directory(store_ + "/" + table);
    Write({{1, 3, StorePart::kSettled}, {4, 2, 0}});
  }
  void Write(const std::vector<StorePart>& parts) {
    Json manifest = {{"format", 2},  {"kind", "ke-store"}, {"sensitive", "value"},     {"rows", 5u},
                     {"groups", 1u}, {"next_group", 2u},   {"columns", Json::array()}, {"releases", Json::array()}};
    Json files = Json::object();
    for (const StorePart& part : parts) {
      for (const char* table : kStoreTables) {
        const std::string name = PartFile(table, part.number);
        ASSERT_TRUE(WriteFile(store_ + "/" + name, "what is in " + name).ok());
        files[name] = DescribeFile(store_ + "/" + name).value();
      }
    }
    SetParts(manifest, parts, files);
    manifest["next_part"] = 9u;
    ASSERT_TRUE(WriteFile(ManifestPath(store_), SealManifest(manifest).Text()).ok());
  }
  bool Opens(Json json) {
    EXPECT_TRUE(WriteFile(ManifestPath(store_), SealManifest(std::move(json)).Text()).ok());
    return OpenStore(store_).ok();
  }

  cordon::test::ScratchFolder folder_;
  std::string store_;
};

TEST_F(StoreManifestTest, NamesTheFilesOfItsParts) {
  const StoreManifest manifest = OpenStore(store_).value();
  ASSERT_EQ(manifest.Parts().size(), 2u);
  EXPECT_EQ(manifest.Parts()[1].number, 4u);
  EXPECT_EQ(manifest.FilesOf("s", "help"),
            (std::vector<std::string>{"s/help/part-000001.parquet", "s/help/part-000004.parquet"}));
  EXPECT_EQ(ParseManifest(store_, manifest.Text()).value().digest, manifest.digest);
}

TEST_F(StoreManifestTest, AStoreHasOnePath) {
  EXPECT_EQ(StorePath("a/store//"), "a/store");
  EXPECT_EQ(StorePath(store_ + "/."), fs::canonical(store_));
  EXPECT_EQ(StorePath(store_ + "/../"), fs::canonical(folder_.path()));
  EXPECT_EQ(StorePath("no/such/."), "no/such/.");
}

TEST_F(StoreManifestTest, ADigestThatFitsDoesNotProveTheForm) {
  const Json good = OpenStore(store_).value().json;
  EXPECT_TRUE(Opens(good));
  const std::pair<const char*, Json> wrong[] = {
      {"files", 3},
      {"files", Json::object()},
      {"columns", {{{"name", 7}}}},
      {"columns", {{{"name", "a"}, {"role", "quasi"}, {"type", "text"}, {"scale", 40u}}}},
      {"parts", Json::array()},
      {"parts", 3},
      {"parts", {{{"rows", 1u}, {"level", 0u}}}},
      {"parts", {{{"number", 1u}, {"rows", 3u}, {"level", 0u}}}},
      {"parts", {{{"number", 1u}, {"rows", 3u}, {"level", 0u}}, {{"number", 1u}, {"rows", 3u}, {"level", 0u}}}},
      {"parts", {{{"number", 1u}, {"rows", -3}, {"level", 0u}}, {{"number", 4u}, {"rows", 3u}, {"level", 0u}}}},
      {"next_part", 4u},
      {"rows", -1},
      {"format", "one"},
      {"kind", 1},
      {"sensitive", Json()}};
  for (const auto& [key, value] : wrong) {
    Json bad = good;
    bad[key] = value;
    EXPECT_FALSE(Opens(bad)) << key << value;
    bad.erase(key);
    EXPECT_FALSE(Opens(bad)) << key;
  }
  Json outside = good;
  outside["files"]["../secret"] = outside["files"]["table/part-000001.parquet"];
  outside["files"].erase("table/part-000001.parquet");
  EXPECT_FALSE(Opens(outside));
}

TEST_F(StoreManifestTest, AStoreOfAnEarlierVersionIsRefusedWithTheCommandThatConvertsIt) {
  Json plain = OpenStore(store_).value().json;
  Json with_signature = plain;  // its format is 2 as well, and its files are others
  plain["format"] = 1;
  with_signature["files"] = Json::object({{"table.parquet", {{"sha256", "ab"}, {"bytes", 1u}}}});
  for (const Json& old : {plain, with_signature}) {
    ASSERT_TRUE(WriteFile(ManifestPath(store_), SealManifest(old).Text()).ok());
    const auto opened = OpenStore(store_);
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message().find("an earlier version"), std::string::npos) << opened.error().message();
    EXPECT_NE(opened.error().hint().find("--convert"), std::string::npos) << opened.error().hint();
  }
}

TEST_F(StoreManifestTest, ASignedManifestIsOfTheSameForm) {
  const SigningKey key = TestKey();
  const Json plain = OpenStore(store_).value().json;
  const StoreManifest made = SignAndSeal(plain, &key).value();
  ASSERT_TRUE(WriteFile(ManifestPath(store_), made.Text()).ok());
  const StoreManifest read = OpenStore(store_).value();
  EXPECT_EQ(read.digest, made.digest);
  EXPECT_TRUE(CheckSignature(read.json, kStoreType, {key.verify_key()}).holds);
  EXPECT_EQ(SignAndSeal(plain, nullptr).value().json, plain);
}

TEST_F(StoreManifestTest, ASignedStoreAsksForAKey) {
  const Json plain = OpenStore(store_).value().json;
  EXPECT_EQ(KeyFor(store_, plain, std::nullopt).value(), nullptr);
  const SigningKey key = TestKey();
  const auto without = KeyFor(store_, SignAndSeal(plain, &key).value().json, std::nullopt);
  ASSERT_FALSE(without.ok());
  EXPECT_NE(without.error().hint().find("--sign"), std::string::npos) << without.error().hint();
}

TEST_F(StoreManifestTest, ASignedStoreOfAnEarlierVersionAsksForAKeyToo) {
  const SigningKey key = TestKey();
  Json old = OpenStore(store_).value().json;
  old["files"] = Json::object({{"table.parquet", {{"sha256", "ab"}, {"bytes", 1u}}}});
  ASSERT_TRUE(WriteFile(ManifestPath(store_), SignAndSeal(old, &key).value().Text()).ok());
  const auto made = ConvertStore({store_, folder_ / "new", std::nullopt}, {});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().hint().find("--sign"), std::string::npos) << made.error().hint();
  EXPECT_FALSE(fs::exists(folder_ / "new"));
  EXPECT_FALSE(fs::exists(PrivatePath(folder_ / "new")));
}

TEST_F(StoreManifestTest, ANameThatStandsTwiceIsRefused) {
  const std::string text = ReadFile(ManifestPath(store_)).value();
  ASSERT_TRUE(WriteFile(ManifestPath(store_), "{\"format\": 2," + text.substr(1)).ok());
  EXPECT_FALSE(OpenStore(store_).ok());
}

TEST_F(StoreManifestTest, EveryChangedByteIsFound) {
  for (const char* name :
       {"table/part-000001.parquet", "help/part-000004.parquet", "groups/part-000004.parquet", "manifest.json"}) {
    SCOPED_TRACE(name);
    const std::string path = store_ + "/" + name;
    const std::string good = ReadFile(path).value();
    for (std::size_t at = 0; at < good.size(); at += good.size() / 13 + 1) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ 1);
      ASSERT_TRUE(WriteFile(path, bad).ok());
      if (std::string(name) == "manifest.json" && ParseJson(bad) == ParseJson(good)) continue;  // white space
      EXPECT_FALSE(OpenStore(store_).ok()) << at;
    }
    ASSERT_TRUE(WriteFile(path, good.substr(0, good.size() - 2)).ok());
    EXPECT_FALSE(OpenStore(store_, FileCheck::kSizes).ok());
    fs::remove(path);
    EXPECT_FALSE(OpenStore(store_, FileCheck::kSizes).ok());
    ASSERT_TRUE(WriteFile(path, good).ok());
    EXPECT_TRUE(OpenStore(store_).ok());
  }
}

TEST_F(StoreManifestTest, AFileThatReadersOfAFolderWouldCountIsFound) {
  const StoreManifest manifest = OpenStore(store_).value();
  ASSERT_TRUE(WriteFile(store_ + "/table/notes.txt", "not read by anybody").ok());
  EXPECT_TRUE(RequireNamedPartsOnly(store_, manifest).ok());
  ASSERT_TRUE(WriteFile(store_ + "/help/part-000002.parquet", "left by a merge").ok());
  const auto found = RequireNamedPartsOnly(store_, manifest);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message().find("help/part-000002.parquet"), std::string::npos) << found.error().message();
}

TEST_F(StoreManifestTest, AReaderWhosePartsWereMergedReadsAgain) {
  int reads = 0;
  const auto read = [&](int appends) {
    reads = 0;
    return ReadConsistent(store_, {}, [&]() -> Result<std::string> {
      if (++reads > appends) return std::string("all of one state");
      Write({{static_cast<std::uint64_t>(reads % 2 + 1), 5, 0}});
      return Error::Io("a file has gone meanwhile");
    });
  };
  EXPECT_EQ(read(0).value(), "all of one state");
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(read(2).value(), "all of one state");
  EXPECT_EQ(reads, 3);
  const auto never = read(1000);
  ASSERT_FALSE(never.ok());
  EXPECT_EQ(never.error().message(), store_ + " changed while it was read");
  const auto missing = ReadConsistent(store_ + "2", {}, [&] { return OpenStore(store_ + "2"); });
  EXPECT_NE(missing.error().message().find("is not a store"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
