import CKernels

/// Products of one input that run as one step, described once so that a token costs no allocation.
@safe
package final class ProductPlan {
  let input: Activations
  let products: UnsafeMutableBufferPointer<ck_product>
  /// Whether weights multiply the input rounded to int8.
  package let roundsInput: Bool
  // The C descriptions point into what these own.
  private let owners: [Product]
  private var isReady = false
  // Whether any of it is for some rows of the batch only.
  private let isForSomeRows: Bool
  private let additions: UnsafeMutableBufferPointer<ck_low_rank>
  // Chunks of each product that are done while it runs.
  private let done: UnsafeMutableBufferPointer<UInt32>
  /// Rows of weights of all products.
  let rows: Int
  /// Weights of all products and additions; those in floating point, whose products take longer, count eight times.
  let weights: Int
  /// Bytes of all weights.
  let bytes: Int

  /// Describes `products` of the rows of `input`.
  package init(_ products: [Product], of input: Activations) {
    precondition(
      products.allSatisfy { $0.weights.columns == input.columns }, "input of another width")
    self.input = input
    owners = products
    roundsInput = products.contains { ck_form_of($0.weights.type.rawValue) == CK_BLOCKS }
    unsafe additions = .allocate(capacity: products.reduce(0) { $0 + $1.additions.count })
    unsafe self.products = .allocate(capacity: products.count)
    unsafe done = .allocate(capacity: products.count)
    unsafe done.initialize(repeating: 0)
    isForSomeRows = products.contains { product in
      product.rows != nil || product.additions.contains { $0.rows != nil }
    }
    rows = products.reduce(0) { $0 + $1.weights.rows }
    let matrices = products.flatMap { [$0.weights] + $0.additions.map(\.b) }
    weights = matrices.reduce(0) { sum, matrix in
      sum + matrix.rows * matrix.columns * (matrix.type.blockLength > 1 ? 1 : 8)
    }
    bytes = matrices.reduce(0) { $0 + $1.rows * $1.rowBytes }
    var next = 0
    for (index, product) in products.enumerated() {
      let first = next
      for addition in product.additions {
        unsafe additions.initializeElement(at: next, to: ck_low_rank(addition))
        next += 1
      }
      let mine = unsafe additions.baseAddress.map { unsafe UnsafePointer($0 + first) }
      unsafe self.products.initializeElement(
        at: index,
        to: ck_product(
          product, of: input, additions: mine, done: done.baseAddress.map { unsafe $0 + index }))
    }
  }

  /// Puts tiles in the place of rows, where there are kernels for them; the first runs of a base make them.
  ///
  /// The portable kernels are the reference, so they work on the bytes of the file unless `tiled` says otherwise; where it
  /// does, tiles are made at once.
  func prepare(_ operations: Operations, tiled: Bool? = nil) {
    guard !isReady else { return }
    isReady = true
    var next = 0
    for (index, product) in owners.enumerated() {
      let layout = operations.layout(of: product.weights, tiled: tiled)
      unsafe products[index].layout = layout.code
      if let made = unsafe layout.base { unsafe products[index].weights = made }
      if case .panels = layout { isReady = false }
      for addition in product.additions {
        if let made = unsafe operations.layout(of: addition.b, tiled: tiled).base {
          unsafe additions[next].b = made
          unsafe additions[next].tiled = true
        }
        next += 1
      }
    }
  }

  /// Puts in the rows that each product and each addition is for in this run.
  func updateRows() {
    guard isForSomeRows else { return }
    var next = 0
    for (index, product) in owners.enumerated() {
      if let rows = product.rows?.rows {
        precondition(0 <= rows.lowerBound && rows.upperBound <= product.output.capacity)
        unsafe products[index].first_row = rows.lowerBound
        unsafe products[index].end_row = rows.upperBound
      }
      for addition in product.additions {
        if let rows = addition.rows?.rows {
          precondition(0 <= rows.lowerBound && rows.upperBound <= addition.u.capacity)
          unsafe additions[next].first_row = rows.lowerBound
          unsafe additions[next].end_row = rows.upperBound
        }
        next += 1
      }
    }
  }

  /// The output that the gate of two products is put into.
  var gated: Activations {
    precondition(
      owners.count == 2 && owners[0].output.columns == owners[1].output.columns
        && owners.allSatisfy { $0.rows == nil }, "no gate of these products")
    return owners[0].output
  }

  deinit {
    unsafe products.deallocate()
    unsafe additions.deallocate()
    unsafe done.deallocate()
  }
}

extension ck_low_rank {
  init(_ addition: LowRankAddition) {
    let b = addition.b
    let u = unsafe addition.u.rows(ck_form_of(b.type.rawValue))
    unsafe self.init(
      type: b.type.rawValue, b: b.base, row_bytes: b.rowBytes, tiled: false, u: u.base,
      u_bytes: u.bytes, rank: b.columns, scale: addition.scale,
      first_row: 0, end_row: .max)
  }
}

extension ck_product {
  init(
    _ product: Product, of input: Activations, additions: UnsafePointer<ck_low_rank>?,
    done: UnsafeMutablePointer<UInt32>?
  ) {
    let weights = product.weights
    let x = unsafe input.rows(ck_form_of(weights.type.rawValue))
    let rounded = unsafe product.roundsOutput ? product.output.rows(CK_BLOCKS) : nil
    unsafe self.init(
      type: weights.type.rawValue, rows: weights.rows, columns: weights.columns,
      weights: weights.base, row_bytes: weights.rowBytes, layout: CK_IN_ROWS, x: x.base,
      x_bytes: x.bytes,
      bias: product.bias?.base, additions: additions, addition_count: product.additions.count,
      y: product.output.floats, y_stride: product.output.columns,
      accumulate: product.accumulates, rounded: rounded?.base, rounded_bytes: rounded?.bytes ?? 0,
      done: done,
      first_row: 0, end_row: .max)
  }
}
