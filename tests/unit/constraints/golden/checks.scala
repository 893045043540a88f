// orders version 3, sha256 abababababababababababababababababababababababababababababababab, published 2026-01-31T00:00:00+00:00 by ann
// Note: A metric that is undefined on a batch (no values) fails in avh; here it may pass. NaN is no value in avh.
// Note: Patterns are tested by avh against the number of values (Fisher's exact test); here by the bound for a usual batch.
// Note: Two columns of texts are compared by avh as numbers where both are; here as texts.
// Note: Medians and numbers of distinct values are approximate in Deequ's checks.
// Left out: range of amount (8bf7a19021df): it has no rule for this metric
// Left out: str_len of zip (4fdd0d2a0404): it has no rule for this metric
// Left out: digit_len of zip (3b8a70f49304): it has no rule for this metric
// Left out: js_div of amount (2197be66e099): it compares the distribution with that of the batch before
// Left out: mean of id (a4d1f49977f8): it compares with the batch 7 before
// Left out: max of at (b0eff5266c18): it is a bound on points in time
// Left out: range of at (b335c359a276): it is a bound on points in time
// Left out: the schema of 5 columns: a Check has no rule for it

import com.amazon.deequ.checks.{Check, CheckLevel}

val error = Check(CheckLevel.Error, "orders version 3")
  .hasSize(v => v >= 901 && v <= 1614, Some("row_count of id (7493a26091fe)"))
  .hasDistinctness(Seq("id"), v => v >= 1, Some("unique_ratio of id (a0a004f2fac9)"))
  .hasMean("amount", v => v >= -41.5 && v <= 48.25, Some("mean of amount (89b5788cd001)"))
  .hasMin("amount", v => v >= 0.00001, Some("min of amount (87dbccf38531)"))
  .hasSum("amount", v => v >= 0 && v <= 22025.465794806718, Some("sum of amount (2a0257c50724)"))
  .hasApproxQuantile("amount", 0.5, v => v >= 31 && v <= 32, Some("median of amount (c26d5273da5d)"))
  .hasCompleteness("amount", v => v >= 0.975 && v <= 0.99, Some("complete_ratio of amount (4053e0110efe)"))
  .hasCompleteness("paid", v => v >= 1, Some("complete_ratio of paid (677cae09233c)"))
  .hasApproxCountDistinct("zip", v => v >= 40 && v <= 60, Some("dist_val_count of zip (ab00d9871638)"))
  .hasPattern("zip", """^(?:[0-9]{5})(?![\s\S])""".r, v => v >= 0.99, hint = Some("nonconforming_ratio of zip (396d60977968)")).where("`zip` IS NOT NULL AND `zip` <> ''")
  .hasStandardDeviation("amount", v => v >= 1.5 && v <= 2.5, Some("standard_deviation of amount (bb4837e0dd55)"))
  .hasMinLength("zip", v => v >= 5, Some("min_length of zip (78317fd23efa)"))
  .hasMaxLength("zip", v => v >= 5 && v <= 5, Some("max_length of zip (760c09326f28)"))
  .hasCompleteness("at", v => v >= 0.5, Some("complete_ratio of at (08fdab3c3856)"))

val warning = Check(CheckLevel.Warning, "orders version 3")
  .hasMax("amount", v => v <= 1000000, Some("max of amount (552b362139c6)"))
