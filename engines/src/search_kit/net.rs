//! Small neural networks in whole numbers: a first layer over sparse inputs, kept as a running sum that can be updated
//! input by input (an accumulator, as in Yu Nasu's "Efficiently Updatable Neural-Network", 2018), and dense layers behind
//! it. Integers make the result the same on every machine, and 16 bits let eight of them be handled at once.
//!
//! The layers know no scale. The networks here store a weight `w` as `round(256 w)`, see [`ONE`]; a product of two such
//! numbers has the scale 65,536. [`crate::search_kit::learn`] trains the same networks in floats and writes their files.

use multiversion::multiversion;

/// The fixed-point scale of the weights and sums of a [`Network`]: the integer that represents 1.
pub const ONE: i32 = 256;

/// Hidden units whose sums fit into the registers of every processor.
const BLOCK: usize = 64;

/// The first layer: for each input a row of weights, one for each of `H` hidden units, and a bias. An input is present or
/// absent; the sum of the rows of those present is the accumulator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SparseLayer<const H: usize> {
    rows: Vec<[i16; H]>,
    bias: [i16; H],
}

impl<const H: usize> SparseLayer<H> {
    /// The layer of these rows, one for each input, and this bias.
    pub fn new(rows: Vec<[i16; H]>, bias: [i16; H]) -> Self {
        Self { rows, bias }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.rows.len()
    }

    /// The weights of an input, one for each hidden unit.
    ///
    /// # Panics
    /// If there is no such input.
    pub fn row(&self, input: usize) -> &[i16; H] {
        &self.rows[input]
    }

    /// The accumulator of no input: the bias.
    #[inline]
    pub fn empty(&self) -> [i16; H] {
        self.bias
    }

    /// Adds up the rows of these inputs, without the bias. The sum can be the row of one input that replaces them.
    ///
    /// # Panics
    /// If there is no such input.
    pub fn rows_sum(&self, inputs: &[u16]) -> [i16; H] {
        let mut all = [0; H];
        inputs.iter().for_each(|input| self.add(&mut all, usize::from(*input)));
        all
    }

    /// The accumulator of these inputs, each once.
    ///
    /// # Panics
    /// If there is no such input.
    pub fn sum(&self, inputs: &[u16]) -> [i16; H] {
        sum_rows(&self.rows, self.bias, inputs)
    }

    /// Adds an input to the accumulator. Sums wrap, so that they are right again when inputs are removed, in any order.
    ///
    /// # Panics
    /// If there is no such input.
    #[inline]
    pub fn add(&self, accumulator: &mut [i16; H], input: usize) {
        accumulator.iter_mut().zip(&self.rows[input]).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
    }

    /// Removes an input that was added.
    ///
    /// # Panics
    /// If there is no such input.
    #[inline]
    pub fn remove(&self, accumulator: &mut [i16; H], input: usize) {
        accumulator.iter_mut().zip(&self.rows[input]).for_each(|(sum, w)| *sum = sum.wrapping_sub(*w));
    }
}

/// See [`SparseLayer::sum`]. Adds 16 numbers at once if the processor can; the sum is the same.
#[multiversion(targets("x86_64+avx2"))]
fn sum_rows<const H: usize>(rows: &[[i16; H]], bias: [i16; H], inputs: &[u16]) -> [i16; H] {
    let mut all = bias;
    let (blocks, rest) = all.as_chunks_mut::<BLOCK>();
    for (at, block) in blocks.iter_mut().enumerate() {
        // A copy that stays in registers until all rows are added.
        let mut sum = *block;
        for input in inputs {
            let row = &rows[usize::from(*input)].as_chunks::<BLOCK>().0[at];
            sum.iter_mut().zip(row).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
        }
        *block = sum;
    }
    let done = H - rest.len();
    for input in inputs {
        let row = &rows[usize::from(*input)][done..];
        rest.iter_mut().zip(row).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
    }
    all
}

/// A layer whose outputs are sums over all `I` inputs, weighted, each with a bias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseLayer<const I: usize> {
    rows: Vec<[i16; I]>,
    bias: Vec<i32>,
}

impl<const I: usize> DenseLayer<I> {
    /// The layer with one row of weights and one bias for each output. The bias has the scale of a product.
    ///
    /// # Panics
    /// If there are not as many rows as biases.
    pub fn new(rows: Vec<[i16; I]>, bias: Vec<i32>) -> Self {
        assert_eq!(rows.len(), bias.len(), "each output has a row and a bias");
        Self { rows, bias }
    }

    /// Number of outputs.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no output.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One output.
    ///
    /// # Panics
    /// If there is no such output.
    #[inline]
    pub fn output(&self, at: usize, inputs: &[i16; I]) -> i32 {
        self.bias[at] + dot(&self.rows[at], inputs)
    }

    /// All outputs in order: of a head for values, or of one for the moves' priors.
    #[inline]
    pub fn outputs(&self, inputs: &[i16; I]) -> impl Iterator<Item = i32> {
        self.rows.iter().zip(&self.bias).map(|(row, bias)| bias + dot(row, inputs))
    }

    /// The outputs as inputs of a next dense layer: rectified, divided by 2^`shift` and cut off at the most that 16 bits
    /// hold. `N` is the number of outputs; further ones are left out, missing ones are 0.
    #[inline]
    pub fn rectified<const N: usize>(&self, inputs: &[i16; I], shift: u32) -> [i16; N] {
        let mut next = [0; N];
        let outputs = self.outputs(inputs).map(|sum| (sum >> shift).clamp(0, i32::from(i16::MAX)) as i16);
        next.iter_mut().zip(outputs).for_each(|(to, from)| *to = from);
        next
    }
}

/// The sum of products.
#[inline]
fn dot<const I: usize>(a: &[i16; I], b: &[i16; I]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// An accumulator as inputs of a dense layer: numbers below 0 become 0.
#[inline]
pub fn rectify<const H: usize>(accumulator: &[i16; H]) -> [i16; H] {
    accumulator.map(|sum| sum.max(0))
}

/// An output, which has the scale `ONE * ONE`, as a float.
#[inline]
pub fn to_float(output: i32) -> f32 {
    output as f32 / (ONE * ONE) as f32
}

/// A network with one hidden layer of `H` units over sparse inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network<const H: usize> {
    /// From the inputs to the hidden units.
    pub first: SparseLayer<H>,
    /// From the hidden units to the outputs.
    pub last: DenseLayer<H>,
}

/// A file that does not hold the weights of the network it is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the network's file has {found} weights; {expected} are expected")]
pub struct WrongLength {
    /// Weights in the file.
    pub found: usize,
    /// Weights of the network.
    pub expected: usize,
}

/// Number of weights of a network with one hidden layer.
pub const fn weights(inputs: usize, hidden: usize, outputs: usize) -> usize {
    hidden * (inputs + 1 + outputs) + outputs
}

impl<const H: usize> Network<H> {
    /// Reads a file of [`packed`] numbers, in multiples of 1 / [`ONE`]. The rows of the inputs come first, then the hidden
    /// bias, the rows of the outputs, and a bias for each output.
    ///
    /// # Errors
    /// When the length does not fit the numbers of inputs and outputs.
    pub fn read(file: &[u8], inputs: usize, outputs: usize) -> Result<Self, WrongLength> {
        let numbers = unpacked(file, weights(inputs, H, outputs))?;
        let mut numbers = &*numbers;
        let first = SparseLayer::new(rows(&mut numbers, inputs), row(&mut numbers));
        let heads = rows(&mut numbers, outputs);
        let last = DenseLayer::new(heads, numbers.iter().map(|n| i32::from(*n) * ONE).collect());
        Ok(Self { first, last })
    }

    /// All outputs for these inputs.
    pub fn outputs(&self, inputs: impl IntoIterator<Item = usize>) -> Vec<i32> {
        let mut sum = self.first.empty();
        inputs.into_iter().for_each(|input| self.first.add(&mut sum, input));
        self.last.outputs(&rectify(&sum)).collect()
    }
}

/// In a file: the next two bytes are a number that one byte cannot hold.
const WIDE: i8 = i8::MIN;

/// The bytes of a file of numbers. Nearly all weights are small: a number from -127 to 127 is one byte, any other is the
/// byte -128 and 16 bits, little-endian.
pub fn packed(numbers: impl IntoIterator<Item = i16>) -> Vec<u8> {
    let mut file = Vec::new();
    for number in numbers {
        match i8::try_from(number) {
            Ok(small) if small != WIDE => file.extend(small.to_le_bytes()),
            _ => {
                file.extend(WIDE.to_le_bytes());
                file.extend(number.to_le_bytes());
            }
        }
    }
    file
}

/// The numbers of a file of [`packed`] ones.
///
/// # Errors
/// When there are not `expected` numbers.
pub fn unpacked(file: &[u8], expected: usize) -> Result<Vec<i16>, WrongLength> {
    let mut numbers = Vec::with_capacity(expected);
    let mut rest = file;
    loop {
        // Takes all small numbers up to the next wide one at once: a program that plays one short match waits for this.
        let end = small_numbers(rest);
        numbers.extend(rest[..end].iter().map(|byte| i16::from(i8::from_le_bytes([*byte]))));
        let [_, low, high, after @ ..] = &rest[end..] else { break };
        numbers.push(i16::from_le_bytes([*low, *high]));
        rest = after;
    }
    let found = numbers.len();
    if found == expected { Ok(numbers) } else { Err(WrongLength { found, expected }) }
}

/// Number of one-byte numbers at the beginning of a file. Checks blocks, with vector instructions, then single bytes.
fn small_numbers(file: &[u8]) -> usize {
    let wide = WIDE.to_le_bytes()[0];
    let has_none = |block: &&[u8; 32]| !block.iter().fold(false, |any, byte| any | (*byte == wide));
    let sure = 32 * file.as_chunks().0.iter().take_while(has_none).count();
    sure + file[sure..].iter().position(|byte| *byte == wide).unwrap_or(file.len() - sure)
}

/// Takes the next row of `H` numbers.
///
/// # Panics
/// If there are fewer.
pub fn row<const H: usize>(numbers: &mut &[i16]) -> [i16; H] {
    let (row, rest) = numbers.split_first_chunk().expect("the numbers were counted");
    *numbers = rest;
    *row
}

/// Takes the next `n` rows of `H` numbers.
///
/// # Panics
/// If there are fewer.
pub fn rows<const H: usize>(numbers: &mut &[i16], n: usize) -> Vec<[i16; H]> {
    let (rows, rest) = numbers.split_at(n * H);
    *numbers = rest;
    rows.as_chunks().0.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_kit::fast_rng::FastRng;

    /// A file of random weights for 20 inputs, 16 hidden units and 3 outputs.
    fn file() -> Vec<u8> {
        let mut rng = FastRng::new(5);
        packed((0..weights(20, 16, 3)).map(|_| rng.below(400) as i16 - 200))
    }

    #[test]
    fn packed_numbers_come_back() {
        let numbers = [0, 1, -1, 127, -127, 128, -128, 129, 255, 256, -256, i16::MAX, i16::MIN];
        let file = packed(numbers);
        assert_eq!(file.len(), 5 + 3 * 8);
        assert_eq!(unpacked(&file, numbers.len()).unwrap(), numbers);
        // A wide number at every place of a block, and at the ends.
        for at in 0..100 {
            let mut numbers = [-127; 100];
            numbers[at] = 300;
            assert_eq!(unpacked(&packed(numbers), 100).unwrap(), numbers);
        }
    }

    #[test]
    fn network_computes_its_formula() {
        let (file, inputs) = (file(), [2usize, 3, 11, 19]);
        let weight: Vec<i32> =
            unpacked(&file, weights(20, 16, 3)).unwrap().into_iter().map(i32::from).collect();
        let net = Network::<16>::read(&file, 20, 3).unwrap();
        let hidden = |unit: usize| {
            let sum: i32 = inputs.iter().map(|input| weight[16 * input + unit]).sum();
            (sum + weight[16 * 20 + unit]).max(0)
        };
        let output = |at: usize| {
            let sum: i32 = (0..16).map(|unit| hidden(unit) * weight[16 * (21 + at) + unit]).sum();
            sum + ONE * weight[16 * 24 + at]
        };
        assert_eq!(net.outputs(inputs), [output(0), output(1), output(2)]);
    }

    #[test]
    fn accumulator_follows_inputs_that_come_and_go() {
        let net = Network::<16>::read(&file(), 20, 3).unwrap();
        let mut sum = net.first.empty();
        for input in 0..net.first.inputs() {
            net.first.add(&mut sum, input);
        }
        for input in (0..20).filter(|input| ![4, 9].contains(input)) {
            net.first.remove(&mut sum, input);
        }
        assert_eq!(net.last.outputs(&rectify(&sum)).collect::<Vec<_>>(), net.outputs([9, 4]));
    }

    #[test]
    fn dense_layers_follow_each_other() {
        let first = DenseLayer::new(vec![[2i16, -1], [1, 1], [-3, 0]], vec![0, 4, 0]);
        let next: [i16; 4] = first.rectified(&[10, 6], 1);
        assert_eq!(next, [7, 10, 0, 0]);
        let much: [i16; 1] = first.rectified(&[i16::MAX, 0], 0);
        assert_eq!((much, first.output(1, &[10, 6]), first.len()), ([i16::MAX], 20, 3));
    }

    #[test]
    fn file_of_another_length_is_refused() {
        let mut file = file();
        file.pop();
        let expected = weights(20, 16, 3);
        let refused = Network::<16>::read(&file, 20, 3);
        assert_eq!(refused, Err(WrongLength { found: expected - 1, expected }));
    }
}
