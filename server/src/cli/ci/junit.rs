//! A report as JUnit XML.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{CiCheck, CiReport, CiVerdict};

/// The report as JUnit XML: one test suite with a test case for each check.
///
/// # Errors
/// When the text cannot be made; one sentence.
pub(super) fn xml(report: &CiReport) -> Result<String, String> {
    let mut suite = TestSuite::new(report.name.as_str());
    suite.set_system_out(report.output.as_str());
    suite.add_test_cases(report.checks.iter().map(|check| test_case(&report.name, check)));
    let mut all = Report::new("kibitz");
    all.add_test_suite(suite);
    all.to_string().map_err(|e| e.to_string())
}

fn test_case(class: &str, check: &CiCheck) -> TestCase {
    let status = match &check.verdict {
        CiVerdict::Passed => TestCaseStatus::success(),
        CiVerdict::Failed { kind, what } => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(kind.as_str()).set_message(what.as_str());
            status
        }
        CiVerdict::Skipped(why) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(why.as_str());
            status
        }
    };
    let mut case = TestCase::new(check.name.as_str(), status);
    case.set_classname(class).set_time(check.taken);
    if !check.stderr.is_empty() {
        case.set_system_err(check.stderr.as_str());
    }
    case
}
