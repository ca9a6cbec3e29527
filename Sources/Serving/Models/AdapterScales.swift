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
    /// Adapters by their numbers, by the names that models have; numbers stay as they are while the server runs.
    var names: [String] = []
    var scales: [String: Double] = [:]
  }

  private let state = Mutex(State())

  /// The number of each of `names`.
  func numbers(of names: [String]) -> [Int] {
    state.withLock { state in
      names.map { name in
        if let number = state.names.firstIndex(of: name) { return number }
        state.names.append(name)
        return state.names.count - 1
      }
    }
  }

  /// The name of the adapter with this number; nil where there was none.
  func name(of number: Int) -> String? {
    state.withLock { $0.names.indices.contains(number) ? $0.names[number] : nil }
  }

  /// The strengths that a base has; adapters that are not among them are off.
  var scales: [String: Double] {
    get { state.withLock { $0.scales } }
    set { state.withLock { $0.scales = newValue } }
  }
}
