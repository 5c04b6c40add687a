//! The networks of [`crate::search_kit::net`] in floats, for training: forward, backward, and their file. Engines never use
//! floats to play.

use super::net::{WrongLength, packed, unpacked, weights};

/// The inputs of a network.
#[derive(Clone, Copy, Debug)]
pub enum NetInputs<'a> {
    /// The inputs that are present, each once; the others are absent.
    Sparse(&'a [u16]),
    /// A number for every input.
    Dense(&'a [f32]),
}

impl NetInputs<'_> {
    /// Calls `each` with every input that is not 0, and its amount.
    #[inline]
    fn each(self, mut each: impl FnMut(usize, f32)) {
        match self {
            Self::Sparse(inputs) => inputs.iter().for_each(|input| each(usize::from(*input), 1.0)),
            Self::Dense(amounts) => {
                let present = amounts.iter().enumerate().filter(|(_, amount)| **amount != 0.0);
                present.for_each(|(input, amount)| each(input, *amount));
            }
        }
    }
}

/// A network with one hidden layer, rectified. Its weights lie in the order of the file: the rows of the inputs, the
/// hidden bias, the rows of the outputs, a bias for each output.
#[derive(Clone, Debug)]
pub struct FloatNetwork {
    hidden: usize,
    outputs: usize,
    /// Start of the hidden bias in `weights`.
    bias: usize,
    /// In the order of the file.
    pub weights: Vec<f32>,
}

/// The units that a network computed, and scratch memory for [`FloatNetwork::backward`].
#[derive(Clone, Debug, Default)]
pub struct Activations {
    hidden: Vec<f32>,
    /// The outputs, before any curve.
    pub outputs: Vec<f32>,
    back: Vec<f32>,
    row: Vec<f32>,
}

impl FloatNetwork {
    /// A network whose weights are random in `-spread..spread`: of the inputs' rows, of the hidden bias, of the outputs'
    /// rows. The outputs' biases are 0. `unit` gives random numbers from 0 to 1.
    pub fn random(
        [inputs, hidden, outputs]: [usize; 3],
        spread: [f32; 3],
        mut unit: impl FnMut() -> f32,
    ) -> Self {
        let mut weights = Vec::with_capacity(weights(inputs, hidden, outputs));
        for (n, spread) in [inputs * hidden, hidden, outputs * hidden].into_iter().zip(spread) {
            weights.extend((0..n).map(|_| (2.0 * unit() - 1.0) * spread));
        }
        weights.extend((0..outputs).map(|_| 0.0));
        Self { hidden, outputs, bias: inputs * hidden, weights }
    }

    /// The network of a file, as [`Self::file`] writes it.
    ///
    /// # Errors
    /// When the length does not fit the sizes.
    pub fn read(file: &[u8], [inputs, hidden, outputs]: [usize; 3], one: f32) -> Result<Self, WrongLength> {
        let numbers = unpacked(file, weights(inputs, hidden, outputs))?;
        let weights = numbers.into_iter().map(|n| f32::from(n) / one).collect();
        Ok(Self { hidden, outputs, bias: inputs * hidden, weights })
    }

    /// The file from which engines read the network: [`packed`] weights in multiples of 1 / `one`. For
    /// [`crate::search_kit::net::Network`] that is [`crate::search_kit::net::ONE`].
    pub fn file(&self, one: f32) -> Vec<u8> {
        packed(self.weights.iter().map(|weight| (weight * one).round() as i16))
    }

    /// A network of these numbers of inputs and outputs, with the same hidden units. Its rows are copies of rows of this
    /// one: `input` and `output` give the number of the copied row.
    ///
    /// # Panics
    /// If they give the number of a missing row.
    pub fn with_rows(
        &self,
        [inputs, outputs]: [usize; 2],
        input: impl Fn(usize) -> usize,
        output: impl Fn(usize) -> usize,
    ) -> Self {
        let row = |from: usize| self.weights[from..from + self.hidden].iter().copied();
        let mut weights = Vec::with_capacity(weights(inputs, self.hidden, outputs));
        weights.extend((0..inputs).flat_map(|at| row(input(at) * self.hidden)));
        weights.extend(row(self.bias));
        weights.extend((0..outputs).flat_map(|at| row(self.heads() + output(at) * self.hidden)));
        weights.extend((0..outputs).map(|at| self.weights[self.bases() + output(at)]));
        Self { hidden: self.hidden, outputs, bias: inputs * self.hidden, weights }
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Start of the outputs' rows in `weights`.
    fn heads(&self) -> usize {
        self.bias + self.hidden
    }

    /// Start of the outputs' biases in `weights`.
    fn bases(&self) -> usize {
        self.heads() + self.outputs * self.hidden
    }

    /// Computes the outputs for these inputs.
    pub fn forward(&self, inputs: NetInputs<'_>, found: &mut Activations) {
        self.hide(inputs, found);
        let rows = self.weights[self.heads()..self.bases()].chunks_exact(self.hidden);
        let outputs =
            rows.zip(&self.weights[self.bases()..]).map(|(row, base)| base + dot(&found.hidden, row));
        found.outputs.extend(outputs);
    }

    /// Computes only the hidden units, for callers that need only some outputs; see [`Self::output`].
    pub fn hide(&self, inputs: NetInputs<'_>, found: &mut Activations) {
        found.outputs.clear();
        found.hidden.clear();
        found.hidden.extend_from_slice(&self.weights[self.bias..self.heads()]);
        inputs.each(|input, amount| {
            let row = &self.weights[input * self.hidden..(input + 1) * self.hidden];
            found.hidden.iter_mut().zip(row).for_each(|(sum, w)| *sum += w * amount);
        });
        found.hidden.iter_mut().for_each(|sum| *sum = sum.max(0.0));
    }

    /// One output, from the hidden units that [`Self::hide`] computed.
    ///
    /// # Panics
    /// If there is no such output.
    pub fn output(&self, found: &Activations, at: usize) -> f32 {
        let row = &self.weights[self.heads() + at * self.hidden..][..self.hidden];
        self.weights[self.bases() + at] + dot(&found.hidden, row)
    }

    /// Backpropagation. `slopes`: the derivatives, by each output, of the quantity that is to grow. Calls `each` with
    /// pieces of the gradient: all weights, the place of the piece, and its values. Every weight with a gradient other than
    /// 0 is in a piece. `found` is the result of [`Self::forward`] or [`Self::hide`] for the same inputs. `each` may change
    /// the weights of a piece at once: later pieces do not depend on them.
    pub fn backward(
        &mut self,
        inputs: NetInputs<'_>,
        found: &mut Activations,
        slopes: &[f32],
        mut each: impl FnMut(&mut [f32], usize, &[f32]),
    ) {
        let (heads, bases) = (self.heads(), self.bases());
        let Activations { hidden, back, row, .. } = found;
        back.clear();
        back.resize(self.hidden, 0.0);
        let sloped = |(_, slope): &(_, &f32)| **slope != 0.0;
        for (weights, slope) in
            self.weights[heads..bases].chunks_exact(self.hidden).zip(slopes).filter(sloped)
        {
            back.iter_mut().zip(weights).for_each(|(b, w)| *b += slope * w);
        }
        back.iter_mut().zip(&*hidden).filter(|(_, h)| **h <= 0.0).for_each(|(b, _)| *b = 0.0);
        for (at, slope) in slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
            row.clear();
            row.extend(hidden.iter().map(|h| h * slope));
            each(&mut self.weights, heads + at * self.hidden, row);
        }
        each(&mut self.weights, bases, slopes);
        each(&mut self.weights, self.bias, back);
        inputs.each(|input, amount| {
            let at = input * self.hidden;
            if amount == 1.0 {
                each(&mut self.weights, at, back);
            } else {
                row.clear();
                row.extend(back.iter().map(|b| b * amount));
                each(&mut self.weights, at, row);
            }
        });
    }
}

/// The sum of products, in eight lanes, so that the compiler can handle them at once.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0; 8];
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_parts.zip(b_parts) {
        (0..8).for_each(|i| lanes[i] += a[i] * b[i]);
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_kit::fast_rng::FastRng;
    use crate::search_kit::net::{Network, ONE, to_float};
    use crate::search_kit::optimizer::{Optimizer, UpdateRule};

    fn random(sizes: [usize; 3]) -> FloatNetwork {
        let mut rng = FastRng::new(3);
        FloatNetwork::random(sizes, [0.5, 0.5, 0.5], || rng.unit())
    }

    fn outputs(net: &FloatNetwork, inputs: NetInputs<'_>) -> Vec<f32> {
        let mut found = Activations::default();
        net.forward(inputs, &mut found);
        found.outputs
    }

    #[test]
    fn gradient_matches_finite_differences() {
        let mut net = random([7, 9, 2]);
        for inputs in [NetInputs::Sparse(&[1, 4, 5]), NetInputs::Dense(&[0.5, 0.0, -1.0, 2.0, 0.0, 0.3, 1.0])]
        {
            let mut found = Activations::default();
            net.forward(inputs, &mut found);
            let mut gradient = vec![0.0; net.weights.len()];
            net.backward(inputs, &mut found, &[1.0, -2.0], |_, at, piece| {
                gradient[at..at + piece.len()].iter_mut().zip(piece).for_each(|(sum, g)| *sum += g);
            });
            for (at, slope) in gradient.iter().enumerate() {
                let value = |by: f32| {
                    let mut moved = net.clone();
                    moved.weights[at] += by;
                    let found = outputs(&moved, inputs);
                    found[0] - 2.0 * found[1]
                };
                let measured = (value(0.0002) - value(-0.0002)) / 0.0004;
                assert!((measured - slope).abs() < 0.02, "weight {at}: {measured} and {slope}");
            }
        }
    }

    #[test]
    fn whole_numbers_and_floats_compute_the_same() {
        let net = random([12, 16, 2]);
        let one = ONE as f32;
        let whole = Network::<16>::read(&net.file(one), 12, 2).unwrap();
        let again = FloatNetwork::read(&net.file(one), [12, 16, 2], one).unwrap();
        assert_eq!(again.file(one), net.file(one));
        let float = outputs(&again, NetInputs::Sparse(&[0, 3, 11]));
        for (whole, float) in whole.outputs([0, 3, 11]).into_iter().map(to_float).zip(float) {
            assert!((whole - float).abs() < 1e-3, "{whole} and {float}");
        }
        assert!(FloatNetwork::read(&net.file(one), [12, 16, 3], one).is_err());
    }

    #[test]
    fn single_outputs_are_those_of_all() {
        let net = random([12, 16, 5]);
        let inputs = NetInputs::Sparse(&[0, 3, 11]);
        let mut found = Activations::default();
        net.hide(inputs, &mut found);
        let each: Vec<f32> = (0..5).map(|at| net.output(&found, at)).collect();
        assert_eq!(each, outputs(&net, inputs));
    }

    /// The network learns which of two inputs is present alone, which a single layer cannot.
    #[test]
    fn network_learns_exclusive_or() {
        let mut net = random([2, 16, 1]);
        let mut optimizer = Optimizer::new(UpdateRule::Adagrad, net.weights.len());
        let lessons: [(&[u16], f32); 4] = [(&[], -1.0), (&[0], 1.0), (&[1], 1.0), (&[0, 1], -1.0)];
        let mut found = Activations::default();
        for _ in 0..500 {
            for (inputs, target) in lessons {
                let inputs = NetInputs::Sparse(inputs);
                net.forward(inputs, &mut found);
                let slope = target - found.outputs[0];
                optimizer.begin_step();
                net.backward(inputs, &mut found, &[slope], |weights, at, piece| {
                    optimizer.update(weights, at, piece, 0.1);
                });
            }
        }
        for (inputs, target) in lessons {
            let found = outputs(&net, NetInputs::Sparse(inputs))[0];
            assert!((found - target).abs() < 0.1, "{inputs:?}: {found}");
        }
    }
}
