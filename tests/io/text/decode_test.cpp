// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/decode.h"

#include "cordon/io/text/open_record_reader.h"
#include "tests/io/support.h"

namespace cordon::engine {
namespace {

// Code points as UTF-16.
std::string Utf16(const std::u32string& text, Encoding encoding) {
  std::string bytes;
  const auto unit = [&](char32_t value) {
    const char low = static_cast<char>(value & 0xff);
    const char high = static_cast<char>(value >> 8);
    bytes += encoding == Encoding::kUtf16Le ? std::string{low, high} : std::string{high, low};
  };
  for (const char32_t point : text) {
    if (point >= 0x10000) {
      unit(0xd800 + ((point - 0x10000) >> 10));
      unit(0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
      unit(point);
    }
  }
  return bytes;
}

Reading In(Encoding encoding, std::size_t block_bytes = std::size_t{1} << 20) {
  TextFormat text;
  text.encoding = encoding;
  Reading reading;
  reading.options = WithText(text);
  reading.blocks.block_bytes = block_bytes;
  return reading;
}

TEST(Decode, Utf16OfBothOrdersWithAndWithoutAMark) {
  const std::u32string text = U"größe,b\r\n\"a,€\",\U0001F600\r\n1,2\r\n";
  const Rows expected = {{"a,€", "\U0001F600"}, {"1", "2"}};
  for (const Encoding encoding : {Encoding::kUtf16Le, Encoding::kUtf16Be}) {
    for (const std::size_t block : {1, 2, 3, 5, 1 << 20}) {
      EXPECT_EQ(ReadRows(Utf16(text, encoding), In(encoding, block)), expected);
      EXPECT_EQ(ReadRows(Utf16(U"\ufeff" + text, encoding), In(encoding, block)), expected);
    }
    EXPECT_EQ(NamesOf(Read(Utf16(U"\ufeff" + text, encoding), In(encoding)).value())[0], "größe");
  }
}

TEST(Decode, Windows1252AndLatin1) {
  EXPECT_EQ(ReadRows("a\n\x80\xe4\xdf\n", In(Encoding::kWindows1252)), (Rows{{"€äß"}}));
  EXPECT_EQ(ReadRows("a\n\xe4\xdf\xff\n", In(Encoding::kLatin1)), (Rows{{"äßÿ"}}));
  EXPECT_EQ(ReadRows("a\n\x80\n", In(Encoding::kLatin1)), (Rows{{"\u0080"}}));
}

TEST(Decode, WhatIsNotUtf16IsSaidWithItsPlace) {
  const std::string hint = " | check encoding in [data]; a file that was cut short must be written again";
  EXPECT_EQ(FailureOf(Utf16(U"a\n1\n", Encoding::kUtf16Le) + "x", In(Encoding::kUtf16Le)),
            "the file is not valid UTF-16 at byte 10" + hint);
  const std::string lone = Utf16(U"a\n", Encoding::kUtf16Le) + std::string("\x00\xdc", 2);
  EXPECT_EQ(FailureOf(lone, In(Encoding::kUtf16Le)), "the file is not valid UTF-16 at byte 6" + hint);
  const std::string open = Utf16(U"a\n", Encoding::kUtf16Le) + std::string("\x00\xd8", 2);
  EXPECT_FALSE(Read(open, In(Encoding::kUtf16Le)).ok());
}

TEST(Decode, RecordsOfAStreamHoweverTheBytesCome) {
  const std::string bytes = Utf16(U"\ufeffa,b\nä,\U0001F600\n€,2\n", Encoding::kUtf16Be);
  for (const std::size_t at_once : {1, 2, 3, 7, 1000}) {
    const auto input = LiveFromMemory(bytes, at_once);
    RecordOptions options;
    options.text.encoding = Encoding::kUtf16Be;
    const auto reader = OpenRecordReader(*input, options, {}).value();
    EXPECT_EQ(reader->columns(), (std::vector<std::string>{"a", "b"}));
    InputRecord record;
    std::string seen;
    while (reader->Read(record, true, {}).value() == RecordReader::Next::kRecord) seen += std::string(record.raw) + "|";
    EXPECT_EQ(seen, "ä,\U0001F600|€,2|");
  }
}

Encoding Guess(const std::string& bytes, std::size_t piece) {
  EncodingGuess guess;
  for (std::size_t at = 0; at < bytes.size(); at += piece) guess.Look(std::string_view(bytes).substr(at, piece));
  return guess.Best();
}

TEST(Decode, TheEncodingIsFoundByTheBytes) {
  for (const std::size_t piece : {1, 2, 3, 100}) {
    EXPECT_EQ(Guess("a,b\n1,2\n", piece), Encoding::kUtf8);
    EXPECT_EQ(Guess("größe €\n", piece), Encoding::kUtf8);
    EXPECT_EQ(Guess("gr\xf6\xdf"
                    "e\n",
                    piece),
              Encoding::kWindows1252);
    EXPECT_EQ(Guess(std::string(3000, 'x') + "\xe4", piece), Encoding::kWindows1252);
    EXPECT_EQ(Guess("Köln\nMünchen\nM\xfcnchen\n", piece),
              Encoding::kUtf8);  // damaged: read as the other, ö would be two letters
    EXPECT_EQ(Guess("M\xfcnchen\nKöln\nMünchen\n", piece), Encoding::kUtf8);
    EXPECT_EQ(Guess("M\xfcnchen\nK\xf6ln\nMünchen\n", piece), Encoding::kWindows1252);
    EXPECT_EQ(Guess(Utf16(U"\ufeffa,b", Encoding::kUtf16Le), piece), Encoding::kUtf16Le);
    EXPECT_EQ(Guess(Utf16(U"a,b\n1,2\n", Encoding::kUtf16Be), piece), Encoding::kUtf16Be);
    EXPECT_EQ(Guess(Utf16(U"a,b\n1,2\n", Encoding::kUtf16Le), piece), Encoding::kUtf16Le);
  }
}

TEST(Decode, BytesThatCannotChangeTheGuessAreNotAskedFor) {
  const auto certain = [](std::string_view start, char filling) {
    EncodingGuess guess;
    guess.Look(std::string(start) + std::string(8192, filling));
    return guess.certain();
  };
  EXPECT_FALSE(certain("a,b\n", 'x'));  // a later byte may not be UTF-8
  EXPECT_TRUE(certain("a,b\n", '\xe4'));
  EXPECT_TRUE(certain("a,b\n", '\0'));
  EXPECT_TRUE(certain("\xff\xfe", 'x'));
}

}  // namespace
}  // namespace cordon::engine
