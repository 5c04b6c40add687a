//! The result of a run for continuous integration.

use engines::arena::{Hypothesis, RunPlan, RunSummary, Standing};

use crate::cli::ci::{CiCheck, CiReport, CiVerdict, cell};

/// The checks of the exit code: whether all games were played, and what the sequential test found.
pub(super) fn ci(plan: &RunPlan, summary: &RunSummary) -> CiReport {
    let mut checks = vec![CiCheck::new("all games were played", played(summary))];
    checks
        .extend(summary.sprt.as_ref().map(|standing| CiCheck::new(title(plan, standing), tested(standing))));
    let slug = plan.to_json()["game"].as_str().unwrap_or_default().to_owned();
    CiReport {
        name: format!("arena {slug}"),
        checks,
        output: summary.to_string(),
        markdown: markdown(plan, summary, &slug),
    }
}

fn played(summary: &RunSummary) -> CiVerdict {
    let voided: usize = summary.voided.values().sum();
    match voided + summary.not_played {
        0 => CiVerdict::Passed,
        _ => {
            let reasons: Vec<&str> = summary.voided.keys().map(String::as_str).collect();
            let what = format!("{voided} voided, {} not played; {}", summary.not_played, reasons.join("; "));
            CiVerdict::failed("not played", what.trim_end_matches("; "))
        }
    }
}

/// The claim of the test in words.
fn title(plan: &RunPlan, standing: &Standing) -> String {
    let [first, second, ..] = plan.players() else { return "sequential test".to_owned() };
    let (elo0, elo1) = (standing.test.elo0, standing.test.elo1);
    format!("{} is {elo1} Elo stronger than {}, and not {elo0}", first.name, second.name)
}

fn tested(standing: &Standing) -> CiVerdict {
    match standing.accepted {
        Some(Hypothesis::H1) => CiVerdict::Passed,
        Some(Hypothesis::H0) => CiVerdict::failed("H0 accepted", standing.to_string()),
        None => CiVerdict::failed("undecided", standing.to_string()),
    }
}

fn markdown(plan: &RunPlan, summary: &RunSummary, slug: &str) -> String {
    let mut text = format!("### Arena {slug}: {} games\n\n", summary.games);
    if let Some(standing) = &summary.sprt {
        let found = match standing.accepted {
            Some(Hypothesis::H1) => "passed",
            Some(Hypothesis::H0) => "FAILED",
            None => "undecided",
        };
        text += &format!("**{found}**: {}. {standing}.\n\n", cell(&title(plan, standing)));
    }
    text += &format!("```text\n{}\n```\n", summary.to_string().trim_end());
    text
}
