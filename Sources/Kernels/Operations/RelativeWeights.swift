import CKernels

/// The logits of all tokens, then their weights relative to the most likely one.
package struct RelativeWeights: Sendable {
  /// One per token.
  package private(set) var values: [Float]
  /// What ``block`` values each add up to, about.
  package private(set) var sums: [Float]

  /// Values that one sum is of.
  package static let block = Int(CK_WEIGHTS)

  package init(count: Int) {
    values = Array(repeating: 0, count: count)
    sums = Array(repeating: 0, count: (count + RelativeWeights.block - 1) / RelativeWeights.block)
  }

  package subscript(token: Int) -> Float {
    get { values[token] }
    set { values[token] = newValue }
  }

  /// Takes `logits` and finds the largest, the first of several; nil where one is not finite.
  package mutating func load(_ logits: Span<Float>) -> Int? {
    precondition(logits.count == values.count, "logits of another vocabulary")
    return unsafe logits.withUnsafeBufferPointer { logits in
      guard let first = logits.baseAddress else { return nil }
      let largest = unsafe ck_largest(first, logits.count)
      unsafe values.withUnsafeMutableBufferPointer { values in
        _ = unsafe values.update(fromContentsOf: logits)
      }
      return largest < logits.count ? largest : nil
    }
  }

  /// Makes exp((value - `top`) / `temperature`) of each, 0 of an infinitely small one; none may be above `top`.
  package mutating func weigh(top: Float, temperature: Double) {
    let temperature = max(Float(temperature), .leastNormalMagnitude)
    let count = values.count
    unsafe values.withUnsafeMutableBufferPointer { values in
      unsafe sums.withUnsafeMutableBufferPointer { sums in
        var job = unsafe ck_weights_job(
          cpu: CPUVariant.current.code, count: count, x: values.baseAddress, top: top,
          temperature: temperature, sums: sums.baseAddress)
        for chunk in 0..<sums.count { unsafe ck_weights_chunk(&job, chunk) }
      }
    }
  }
}
