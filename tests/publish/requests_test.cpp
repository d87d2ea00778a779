// SPDX-License-Identifier: Apache-2.0
//
// What the commands do, asked of the library: no line of the command line takes part.
#include <gtest/gtest.h>

#include "cordon/inspect/inspect.h"
#include "cordon/io/files/atomic_file.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/anonymize.h"
#include "cordon/publish/check.h"
#include "cordon/publish/check_policy.h"
#include "cordon/publish/compare.h"
#include "cordon/publish/evaluate.h"
#include "cordon/publish/sweep.h"
#include "cordon/publish/verify.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

constexpr const char* kPolicy = R"(
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.zip]
role = "quasi"
hierarchy = { prefix = 3 }
[attributes.disease]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 2
[[privacy]]
model = "l-diversity"
sensitive = "disease"
l = 2
)";

class Requests : public ::testing::Test {
 protected:
  Requests() {
    EXPECT_TRUE(
        WriteFile(Path("in.csv"), "age,zip,disease\n20,101,a\n21,101,b\n22,102,a\n50,201,b\n51,202,a\n52,201,b\n").ok());
    policy_ = ParsePolicy(kPolicy, folder_.path(), "policy.toml").value();
  }

  std::string Path(const std::string& name) const { return folder_ / name; }
  Report Make(const std::string& name) {
    AnonymizeRequest request;
    request.input = Path("in.csv");
    request.output = Path(name);
    request.row_map = Path(name + ".map");
    return Anonymize(request, policy_, {}).value();
  }

  test::ScratchFolder folder_;
  Policy policy_;
};

TEST_F(Requests, AReleaseIsMadeVerifiedAndMeasured) {
  const Report report = Make("out.csv");
  EXPECT_EQ(report.rows, 6u);

  VerifyRequest verify;
  verify.release = Path("out.csv");
  verify.original = Path("in.csv");
  verify.row_map = Path("out.csv.map");
  const Verification verified = Verify(verify, policy_, {}).value();
  EXPECT_TRUE(verified.holds());
  EXPECT_EQ(verified.verdicts.size(), 2u);
  ASSERT_TRUE(verified.truth);
  EXPECT_FALSE(verified.truth->necessary_only);
  EXPECT_EQ(ToJson(verified)["holds"], true);

  EvaluateRequest evaluate;
  evaluate.release = Path("out.csv");
  evaluate.original = Path("in.csv");
  evaluate.measure.risk.emplace();
  const Evaluation evaluation = Evaluate(evaluate, policy_, {}).value();
  EXPECT_DOUBLE_EQ(evaluation.utility.loss.information_loss, report.utility.loss.information_loss);
  ASSERT_TRUE(evaluation.risk);
  EXPECT_LE(evaluation.risk->release.prosecutor.highest, 0.5);

  Make("again.csv");
  CompareRequest compare;
  compare.releases = {Path("out.csv"), Path("again.csv")};
  compare.original = Path("in.csv");
  const std::vector<ComparedRelease> sides = Compare(compare, policy_, {}).value();
  ASSERT_EQ(sides.size(), 2u);
  EXPECT_TRUE(sides[1].verdicts[0].holds);
}

TEST_F(Requests, AReleaseThatDoesNotHoldIsAnAnswer) {
  VerifyRequest verify;
  verify.release = Path("in.csv");
  const Verification verified = Verify(verify, policy_, {}).value();
  EXPECT_FALSE(verified.holds());
  verify.input_order = true;
  EXPECT_FALSE(Verify(verify, policy_, {}).ok()) << "an order needs an original";
}

TEST_F(Requests, ATableIsCheckedAndInspectedWithoutAPolicy) {
  CheckRequest check;
  check.table = Path("in.csv");
  check.quasi = {"zip"};
  check.sensitive = {"disease"};
  const Checked checked = Check(check, {}).value();
  EXPECT_EQ(checked.rows, 6u);
  EXPECT_EQ(checked.measured.k.value, 1);

  InspectRequest inspect;
  inspect.input = Path("in.csv");
  inspect.write_policy = Path("draft.toml");
  inspect.k = 2;
  const Inspection inspection = Inspect(inspect, {}).value();
  EXPECT_EQ(inspection.profile.columns.size(), 3u);
  const Result<Policy> draft = ReadPolicy(Path("draft.toml"));
  ASSERT_TRUE(draft.ok()) << draft.error().message();
  EXPECT_TRUE(CheckPolicy(draft.value()).ok()) << "what inspect drafts can be run";
  EXPECT_FALSE(Inspect(inspect, {}).ok()) << "the draft is there already";
}

TEST_F(Requests, APolicyIsCheckedAndSweptOver) {
  EXPECT_EQ(CheckPolicy(policy_).value().algorithm, "partition");
  SweepRequest sweep;
  sweep.input = Path("in.csv");
  EXPECT_FALSE(Sweep(sweep, policy_, {}).ok()) << "nothing varies";
  sweep.k = {Rational(2), Rational(3), Rational(7)};
  const std::vector<SweepPoint> points = Sweep(sweep, policy_, {}).value();
  ASSERT_EQ(points.size(), 3u);
  EXPECT_TRUE(points[1].report);
  EXPECT_FALSE(points[2].report) << "there are six people";
}

TEST_F(Requests, ASeedIsRefusedWhereRandomnessProtects) {
  const Policy shuffled = ParsePolicy(R"(
[attributes.age]
role = "sensitive"
type = "numeric"
[attributes.zip]
role = "quasi"
[attributes.disease]
role = "insensitive"
[[privacy]]
model = "ke-anonymity"
sensitive = "age"
k = 2
e = 1
)",
                                      folder_.path(), "policy.toml")
                              .value();
  AnonymizeRequest request;
  request.input = Path("in.csv");
  request.seed = 1;
  EXPECT_FALSE(Anonymize(request, shuffled, {}).ok());
  request.insecure_seed = true;
  const Result<Report> report = Anonymize(request, shuffled, {});
  EXPECT_TRUE(report.ok()) << report.error().message();
}

}  // namespace
}  // namespace cordon::engine
