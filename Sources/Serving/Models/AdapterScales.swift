import Synchronization

/// An adapter by its number with its strength, as a request has it.
struct AdapterScale: Sendable {
  let number: Int
  let scale: Double
  /// Where the number stands in the request.
  let place: String

  init(_ fields: RequestReader) throws(ServingError) {
    number = try fields.required("id", fields.integer("id", 0...Int(Int32.max)))
    scale = try fields.required("scale", fields.number("scale", ServedModels.strengths))
    place = fields.place("id")
  }

  static func list(_ objects: [RequestReader]) throws(ServingError) -> [AdapterScale] {
    try objects.map { object throws(ServingError) in try AdapterScale(object) }
  }
}

/// The adapters of the base in use by number, as llama.cpp's server has them, and the strengths that a base has where nobody names any.
final class AdapterScales: Sendable {
  private struct State {
    /// By the names that models have; they stay as they are while the server runs.
    var numbers: [String: Int] = [:]
    var scales: [String: Double] = [:]
  }

  private let state = Mutex(State())

  /// The number of each of `names`.
  func numbers(of names: [String]) -> [Int] {
    state.withLock { state in
      names.map { name in
        if let number = state.numbers[name] { return number }
        state.numbers[name] = state.numbers.count
        return state.numbers.count - 1
      }
    }
  }

  /// The strengths that a base has; adapters that are not among them are off.
  var scales: [String: Double] {
    get { state.withLock { $0.scales } }
    set { state.withLock { $0.scales = newValue } }
  }
}
