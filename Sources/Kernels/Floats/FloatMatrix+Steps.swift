import CKernels

// The steps between products, in one thread.
extension FloatMatrix {
  /// x / rms(x) · weight for each run of as many values as `weight` has, of which a row may hold several; Zhang and Sennrich
  /// 2019.
  package func normalized(
    _ weight: [Float], epsilon: Float, variant: CPUVariant = .current
  ) -> FloatMatrix {
    var result = self
    unsafe result.normalize(weight) { factors, values, count in
      unsafe ck_normalize(
        variant.code, count / weight.count, weight.count, values, factors, epsilon, values)
    }
    return result
  }

  /// The gradient of `x` from this one, of what ``normalized(_:epsilon:variant:)`` gave.
  package func normalizedGradient(
    _ x: FloatMatrix, _ weight: [Float], epsilon: Float, variant: CPUVariant = .current
  ) -> FloatMatrix {
    precondition(x.values.count == values.count, "another shape")
    var result = self
    unsafe x.values.withUnsafeBufferPointer { x in
      unsafe result.normalize(weight) { factors, values, count in
        unsafe ck_normalize_gradient(
          variant.code, count / weight.count, weight.count, x.baseAddress, factors, epsilon, values)
      }
    }
    return result
  }

  @unsafe
  private mutating func normalize(
    _ weight: [Float],
    _ body: (UnsafePointer<Float>?, UnsafeMutablePointer<Float>?, Int) -> Void
  ) {
    precondition(!weight.isEmpty && values.count.isMultiple(of: weight.count), "another width")
    unsafe weight.withUnsafeBufferPointer { weight in
      unsafe values.withUnsafeMutableBufferPointer { values in
        unsafe body(weight.baseAddress, values.baseAddress, values.count)
      }
    }
  }

  /// activation(gate) · up; Shazeer 2020.
  package func gated(
    _ up: FloatMatrix, _ activation: GateActivation, variant: CPUVariant = .current
  ) -> FloatMatrix {
    precondition(up.values.count == values.count, "another shape")
    var result = self
    unsafe up.values.withUnsafeBufferPointer { up in
      unsafe result.values.withUnsafeMutableBufferPointer { values in
        unsafe ck_gate_values(
          variant.code, values.count, values.baseAddress, up.baseAddress, activation.code)
      }
    }
    return result
  }

  /// The gradients of `gate` and `up` from this one, of what ``gated(_:_:variant:)`` gave.
  package func gatedGradient(
    _ gate: FloatMatrix, _ up: FloatMatrix, _ activation: GateActivation,
    variant: CPUVariant = .current
  ) -> (gate: FloatMatrix, up: FloatMatrix) {
    precondition(
      gate.values.count == values.count && up.values.count == values.count, "another shape")
    var first = self
    let second = unsafe [Float](unsafeUninitializedCapacity: values.count) { second, count in
      count = values.count
      unsafe gate.values.withUnsafeBufferPointer { gate in
        unsafe up.values.withUnsafeBufferPointer { up in
          unsafe first.values.withUnsafeMutableBufferPointer { first in
            unsafe ck_gate_values_gradient(
              variant.code, first.count, gate.baseAddress, up.baseAddress, first.baseAddress,
              second.baseAddress, activation.code)
          }
        }
      }
    }
    return (first, FloatMatrix(rows: rows, columns: columns, values: second))
  }
}

extension GateActivation {
  var code: ck_activation {
    switch self {
    case .silu: CK_SILU
    case .gelu: CK_GELU
    case .sigmoid: CK_SIGMOID
    }
  }
}
