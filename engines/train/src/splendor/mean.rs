//! The command `splendor-mean`: the mean of networks. Networks of one run that settled at different times err in different
//! places, and their mean can play better than each of them ("model soup", M. Wortsman et al., 2022).

use std::path::PathBuf;

use engines::search_kit::net::{packed, unpacked, weights};

use super::learner::sizes;

/// The arguments of `splendor-mean`.
#[derive(clap::Args)]
pub(crate) struct MeanArgs {
    /// Files of networks, all of one run
    #[arg(required = true, num_args = 2..)]
    networks: Vec<PathBuf>,
    /// Number of players, 1 to 4
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=4))]
    seats: u8,
    /// File to write
    #[arg(long)]
    out: PathBuf,
}

/// The command.
pub(crate) fn run(args: &MeanArgs) -> Result<(), String> {
    let [inputs, hidden, outputs] = sizes(usize::from(args.seats));
    let expected = weights(inputs, hidden, outputs);
    let mut sums = vec![0i32; expected];
    for path in &args.networks {
        let file = std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        let numbers = unpacked(&file, expected).map_err(|e| format!("{}: {e}", path.display()))?;
        sums.iter_mut().zip(numbers).for_each(|(sum, n)| *sum += i32::from(n));
    }
    let mean = mean_of(&sums, args.networks.len());
    std::fs::write(&args.out, packed(mean))
        .map_err(|e| format!("cannot write {}: {e}", args.out.display()))?;
    println!("wrote {}", args.out.display());
    Ok(())
}

/// The sums divided by the number of networks, rounded.
fn mean_of(sums: &[i32], networks: usize) -> impl Iterator<Item = i16> {
    sums.iter().map(move |sum| (f64::from(*sum) / networks as f64).round() as i16)
}

#[cfg(test)]
mod tests {
    use engines::search_kit::fast_rng::FastRng;

    use super::super::learner::Learner;
    use super::*;

    #[test]
    fn mean_of_networks_is_written_or_refused() {
        assert!(mean_of(&[3, -3, 4, 30_000], 2).eq([2, -2, 2, 15_000]));
        let folder = tempfile::tempdir().unwrap();
        let [one, two, out] = ["one", "two", "out"].map(|name| folder.path().join(name));
        let file = Learner::new(2, &mut FastRng::new(4)).file();
        std::fs::write(&one, &file).unwrap();
        std::fs::write(&two, &file).unwrap();
        let args = |seats| MeanArgs { networks: vec![one.clone(), two.clone()], seats, out: out.clone() };
        run(&args(2)).unwrap();
        assert_eq!(std::fs::read(&out).unwrap(), file);
        assert!(run(&args(3)).unwrap_err().contains("weights"));
    }
}
