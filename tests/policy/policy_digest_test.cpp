// SPDX-License-Identifier: Apache-2.0
//
// The digest of a policy is in manifests, logs and checkpoints that were published: it never changes.
#include <gtest/gtest.h>

#include "cordon/policy/read_policy.h"

namespace cordon::engine {
namespace {

constexpr const char* kDigestAttributes = R"(
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.zip]
role = "quasi"
[attributes.person]
role = "person"
[attributes.disease]
role = "sensitive"
hierarchy = "diseases.csv"
[attributes.pay]
role = "sensitive"
type = "numeric"
values = ["1", "2", "3"]
)";

std::string DigestOf(const std::string& rest) {
  const Result<Policy> policy = ParsePolicyText(kDigestAttributes + rest, "policy.toml", {});
  return policy.ok() ? policy.value().digest : policy.error().message();
}

struct Written {
  const char* text;
  const char* digest;
};

TEST(PolicyDigest, OfAModelNeverChanges) {
  const std::vector<Written> models = {
      {R"(model = "k-anonymity"
k = 5)",
       "05efa1aff342ba1c45776e67232a9fc57efdd8deea58ad6c81a9e41b80dcf00f"},
      {R"(model = "k-anonymity"
k = 5
on = ["zip", "age"])",
       "02afe88c6c5c9279e2cb578832f0f114dccb114e2b5ee3ffe25d07cc0d2726c5"},
      {R"(model = "l-diversity"
sensitive = "disease"
l = 3)",
       "274c1d79231dd134db40a4b33a12b50190733a9620fe73b42329468959d6df3f"},
      {R"(model = "l-diversity"
sensitive = "disease"
l = 3
kind = "recursive"
c = 2
counts = "persons")",
       "a110a4ad9f5ea778a3d7a2a9b235d7c05679f6ffef77fe94dab3a995c4dbb550"},
      {R"(model = "t-closeness"
sensitive = "disease"
t = 0.2)",
       "4bd959a86a5f6d5bb5dde7e82e6019731eeee11fadf421450e9efa6074677d7c"},
      {R"(model = "t-closeness"
sensitive = "pay"
t = "1/3"
distance = "equal"
counts = "persons")",
       "7d679bab07f08803db16ac9806ed26caf00add9ea188efaa45129f796a2daf04"},
      {R"(model = "beta-likeness"
sensitive = "pay"
beta = 2
kind = "basic"
range = 1.5)",
       "f6f29786f0093e1fe18aedd6e1b2ac757577186262eecf5dce811e869c14ae7b"},
      {R"(model = "beta-likeness"
sensitive = "disease"
beta = 2
min_depth = 1)",
       "401afb752e9923dc48cb2d663b4b90ccf6197792779326ca4bf67c21c5519a1d"},
      {R"(model = "beta-likeness"
sensitive = "disease"
beta = 2
counts = "persons")",
       "8bbcc9c10d711db56ee36457ad44deebd5c5c820094c7bdbd19af29a2c03bcd9"},
      {R"(model = "delta-disclosure"
sensitive = "disease"
delta = 1.5)",
       "fabf32ef8031512b015c9aefac61b671c4f511fe14ed87f5ad92675ebc3c544c"},
      {R"(model = "alpha-k"
sensitive = "disease"
value = "flu"
alpha = 0.5
k = 3)",
       "8c0b4d7fb71d3165682675b9bb7982b2c25d21721b31606f50c6fd149458ad61"},
      {R"(model = "confidence"
on = ["zip"]
values = { pay = [2, 1], disease = [] }
h = 0.75)",
       "448ac3f9eb171e44d2f545aa983d901b69e28bd6220ca0dcd4e82addb841027a"},
      {R"(model = "ks-anonymity"
k = 5)",
       "3362493eced194e748648477ed2360f4a6e4ee3cdb10d8024f1c5004c7981320"},
      {R"(model = "ke-anonymity"
sensitive = "pay"
k = 2
e = 1.5
objective = "max"
max_share = 0.5)",
       "2ec81318ca92f312911e4ba4f0652b36e9a076fb108d8a868682201ae6cff970"},
      {R"(model = "window-closeness"
sensitive = "disease"
window = 100
t = 0.2)",
       "f3a7e074e4e539d73832c1ae0dd973d8f9ee2e34b26c223363bc2a5a6cd2188a"},
      {R"(model = "window-likeness"
sensitive = "disease"
window = 100
beta = 2
kind = "basic")",
       "06cb413bb1469cc7beb294cf2d6731edec9959dc5e19d5eef5b9b7c3cd73239a"},
      {R"(model = "xy-anonymity"
x = ["zip", "previous.job"]
y = "person"
k = 3)",
       "46c3cbcc073b699857f1c5b36b4b9280591615c0364eb7de59dd38533bb9ade1"},
      {R"(model = "xy-linkability"
x = ["zip"]
values = { disease = ["flu"], "previous2.pay" = [] }
h = 0.5)",
       "3ed8fcb555b11464baeb328403e51b6d94211749e8bb894fc0631903a2337fc1"},
  };
  for (const auto& [text, digest] : models) EXPECT_EQ(DigestOf(std::string("[[privacy]]\n") + text), digest) << text;
}

// The name that an algorithm had when the digests were published stands for the present one.
TEST(PolicyDigest, OfAnAlgorithmNeverChangesWhateverItIsCalled) {
  const std::string model = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n";
  const std::vector<Written> algorithms = {
      {R"([algorithm]
name = "sabre"
)",
       "c10aac7b6eb5c9271ffabdbe2104d4d0a423f3e973bb85097472c4bdc08cbbe1"},
      {R"([algorithm]
name = "burel"
)",
       "04ded4659af578382e29ee47fac5792c57bb696c5e3df9d6a71dabc603583026"},
      {R"([algorithm.sabre]
bound = "tight"
)",
       "b3e8361dae55f5e1ff42d3817c5249d386f1abd388591e51396239989cec79a4"},
      {R"([algorithm.castle]
history = 7
[algorithm.mondrian]
relaxed = true
[algorithm.burel]
margin = 0.2
[algorithm.sabre]
bound = "tight"
)",
       "df64983dc6eb76d5a3af00b7345400bda9f56584bec505d95942982cee0e5afe"},
      {R"([algorithm]
name = "closeness"
)",
       "c10aac7b6eb5c9271ffabdbe2104d4d0a423f3e973bb85097472c4bdc08cbbe1"},
      {R"([algorithm]
name = "likeness"
)",
       "04ded4659af578382e29ee47fac5792c57bb696c5e3df9d6a71dabc603583026"},
  };
  for (const auto& [text, digest] : algorithms) EXPECT_EQ(DigestOf(model + text), digest) << text;
}

TEST(PolicyDigest, OfTheWayAWindowIsDividedDoesNotDependOnItsName) {
  const auto divided = [](const std::string& by) {
    return DigestOf("[[privacy]]\nmodel = \"ks-anonymity\"\nk = 5\n[algorithm.sabre-w]\npartition = \"" + by + "\"\n");
  };
  EXPECT_EQ(divided("sabre"), divided("closeness"));
  EXPECT_NE(divided("sabre"), divided("sabre-ak"));
}

}  // namespace
}  // namespace cordon::engine
