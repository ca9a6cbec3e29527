import CKernels
public import SystemFiles

/// The values of whole blocks of `type`, in order; `bytes` must be a whole number of blocks.
///
/// The results are the same to the last bit as those of the `gguf` Python package, which lacks `q2_B`.
public func dequantize(_ type: TensorType, bytes: TensorBytes) -> [Float] {
  let count = bytes.count / type.blockBytes * type.blockLength
  return unsafe [Float](unsafeUninitializedCapacity: count) { buffer, written in
    unsafe dequantize(type, bytes: bytes, into: buffer)
    written = count
  }
}

/// Writes the values of whole blocks of `type` to `values` (count,), in order.
///
/// Traps when `bytes` is not a whole number of blocks with as many values.
public func dequantize(
  _ type: TensorType, bytes: TensorBytes, into values: inout MutableSpan<Float>
) {
  unsafe values.withUnsafeMutableBufferPointer { buffer in
    unsafe dequantize(type, bytes: bytes, into: buffer)
  }
}

@unsafe
private func dequantize(
  _ type: TensorType, bytes: TensorBytes, into values: UnsafeMutableBufferPointer<Float>
) {
  let blocks = bytes.count / type.blockBytes
  precondition(bytes.count == blocks * type.blockBytes, "not a whole number of blocks")
  precondition(values.count == blocks * type.blockLength, "another number of values")
  unsafe bytes.withUnsafeBytes { source in
    guard let from = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self),
      let to = values.baseAddress
    else { return }
    switch type {
    case .f32: unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: source.count)
    case .f16: unsafe ck_dequantize_f16(from, to, blocks)
    case .bf16: unsafe ck_dequantize_bf16(from, to, blocks)
    case .q4_0: unsafe ck_dequantize_q4_0(from, to, blocks)
    case .q4_1: unsafe ck_dequantize_q4_1(from, to, blocks)
    case .q5_0: unsafe ck_dequantize_q5_0(from, to, blocks)
    case .q5_1: unsafe ck_dequantize_q5_1(from, to, blocks)
    case .q8_0: unsafe ck_dequantize_q8_0(from, to, blocks)
    case .q2_K: unsafe ck_dequantize_q2_k(from, to, blocks)
    case .q3_K: unsafe ck_dequantize_q3_k(from, to, blocks)
    case .q4_K: unsafe ck_dequantize_q4_k(from, to, blocks)
    case .q5_K: unsafe ck_dequantize_q5_k(from, to, blocks)
    case .q6_K: unsafe ck_dequantize_q6_k(from, to, blocks)
    case .q2_B: unsafe ck_dequantize_q2_b(from, to, blocks)
    case .q2_0: unsafe ck_dequantize_q2_0(from, to, blocks)
    case .tq2_0: unsafe ck_dequantize_tq2_0(from, to, blocks)
    case .mxfp4: unsafe ck_dequantize_mxfp4(from, to, blocks)
    case .iq4_NL: unsafe ck_dequantize_iq4_nl(from, to, blocks)
    case .iq4_XS: unsafe ck_dequantize_iq4_xs(from, to, blocks)
    case .iq2_XXS: unsafe ck_dequantize_iq2_xxs(from, to, blocks)
    case .iq2_XS: unsafe ck_dequantize_iq2_xs(from, to, blocks)
    case .iq2_S: unsafe ck_dequantize_iq2_s(from, to, blocks)
    case .iq3_XXS: unsafe ck_dequantize_iq3_xxs(from, to, blocks)
    case .iq3_S: unsafe ck_dequantize_iq3_s(from, to, blocks)
    }
  }
}

/// The exact value of an IEEE 754 binary16; a signalling NaN becomes quiet.
public func floatFromHalf(_ half: UInt16) -> Float { ck_half_to_float(half) }

/// The nearest IEEE 754 binary16, ties to even; magnitudes from 65,520 on become infinity.
public func halfFromFloat(_ value: Float) -> UInt16 { ck_float_to_half(value) }

extension TensorType {
  /// Whether `quantize` can write this type.
  public var isWritable: Bool {
    switch self {
    case .f32, .f16, .bf16, .q8_0, .q4_0, .q4_K, .q5_K, .q6_K, .q2_K, .q2_B: true
    default: false
    }
  }
}

extension TensorType {
  /// Whether the blocks that `quantize` writes depend on how much each column matters.
  public var weighsErrors: Bool {
    switch self {
    case .q4_0, .q4_K, .q5_K, .q6_K, .q2_K, .q2_B: true
    default: false
    }
  }
}

/// The blocks of `type` that come closest to `values` (count,) by ggml's reference method; for `q2_B` there are none closer.
///
/// Values should be finite. Traps when they do not fill whole blocks or `type` is not writable.
public func quantize(_ type: TensorType, values: [Float]) -> [UInt8] {
  quantize(type, values: values.span)
}

/// The blocks of `type` that come closest to `values` (count,) by ggml's reference method; for `q2_B` there are none closer.
///
/// Values should be finite. Traps when they do not fill whole blocks or `type` is not writable.
public func quantize(_ type: TensorType, values: Span<Float>) -> [UInt8] {
  encode(type, values: values, importance: nil)
}

/// The same where errors count by column: `values` are rows `(rows, columns)`, and `importance` `(columns)` is what the square
/// of an error in each column counts, 0 or more.
///
/// Types that do not weigh errors ignore it. Traps when rows are not whole blocks, or `values` not whole rows.
public func quantize(
  _ type: TensorType, values: [Float], importance: [Float]
) -> [UInt8] {
  precondition(!importance.isEmpty && values.count.isMultiple(of: importance.count), "broken rows")
  precondition(importance.count.isMultiple(of: type.blockLength), "rows are not whole blocks")
  return encode(type, values: values.span, importance: importance)
}

private func encode(
  _ type: TensorType, values: Span<Float>, importance: [Float]?
) -> [UInt8] {
  precondition(type.isWritable, "this type can only be read")
  precondition(values.count.isMultiple(of: type.blockLength), "not a whole number of blocks")
  let blocks = values.count / type.blockLength
  let count = blocks * type.blockBytes
  return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
    unsafe values.withUnsafeBufferPointer { source in
      if let from = source.baseAddress, let to = buffer.baseAddress {
        guard let importance else {
          return unsafe encode(type, from, (nil, 1), to, blocks)
        }
        unsafe importance.withUnsafeBufferPointer {
          unsafe encode(
            type, from, ($0.baseAddress, importance.count / type.blockLength), to, blocks)
        }
      }
    }
    written = count
  }
}

@unsafe
private func encode(
  _ type: TensorType, _ from: UnsafePointer<Float>,
  _ columns: (importance: UnsafePointer<Float>?, blocks: Int), _ to: UnsafeMutablePointer<UInt8>,
  _ blocks: Int
) {
  let (importance, row) = unsafe columns
  switch type {
  case .f32: unsafe UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: blocks * 4)
  case .f16: unsafe ck_quantize_f16(from, to, blocks)
  case .bf16: unsafe ck_quantize_bf16(from, to, blocks)
  case .q8_0: unsafe ck_quantize_q8_0(from, to, blocks)
  case .q4_0: unsafe ck_quantize_q4_0(from, importance, row, to, blocks)
  case .q4_K: unsafe ck_quantize_q4_k(from, importance, row, to, blocks)
  case .q5_K: unsafe ck_quantize_q5_k(from, importance, row, to, blocks)
  case .q6_K: unsafe ck_quantize_q6_k(from, importance, row, to, blocks)
  case .q2_K: unsafe ck_quantize_q2_k(from, importance, row, to, blocks)
  case .q2_B: unsafe ck_quantize_q2_b(from, importance, row, to, blocks)
  default: preconditionFailure("this type can only be read")
  }
}
