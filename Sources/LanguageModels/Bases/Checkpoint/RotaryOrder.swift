/// The order of Q and K rows: a checkpoint keeps the two rows of each rotary pair side by side, a base file keeps all
/// first rows of a head before all second ones.
///
/// For head h and pair i, the rows h D + 2 i + j (j = 0, 1) of the checkpoint become h D + j D / 2 + i, where D is the
/// head size. The weights of the norms that act on a head after the rotation move alike.
struct RotaryOrder: Equatable {
  /// D, an even number.
  let headSize: Int

  /// The row of the checkpoint that becomes row `index` of the base.
  func source(of index: Int) -> Int {
    let place = index % headSize
    let (half, pair) = place.quotientAndRemainder(dividingBy: headSize / 2)
    return index - place + 2 * pair + half
  }
}
