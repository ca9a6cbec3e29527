/// Arguments as values.
struct JinjaArguments {
  var positional: [JinjaValue] = []
  var named: [(name: String, value: JinjaValue)] = []

  /// Values inside the values.
  var depth: Int {
    max(positional.lazy.map(\.depth).max() ?? 0, named.lazy.map(\.value.depth).max() ?? 0)
  }

  /// The values of parameters by position or name; nil for those that are not given.
  ///
  /// - Throws: `JinjaFault.wrongArguments` when there are others.
  func bound(
    to names: [String], required: Int = 0, of function: String
  ) throws(JinjaFault) -> [JinjaValue?] {
    guard positional.count <= names.count else {
      throw .wrongArguments(
        "\(function) takes at most \(names.count) arguments, not \(positional.count)")
    }
    var values: [JinjaValue?] = positional
    values += Array(repeating: nil, count: names.count - positional.count)
    for (name, value) in named {
      guard let index = names.firstIndex(of: name) else {
        throw .wrongArguments("\(function) has no argument “\(name)”")
      }
      guard values[index] == nil else {
        throw .wrongArguments("\(function) is given the argument “\(name)” twice")
      }
      values[index] = value
    }
    for index in 0..<required where values[index] == nil {
      throw .wrongArguments("\(function) needs the argument “\(names[index])”")
    }
    return values
  }

  /// For functions that take no arguments.
  func expectNone(of function: String) throws(JinjaFault) {
    _ = try bound(to: [], of: function)
  }
}

/// Something of this interpreter that can be called.
final class JinjaFunction {
  typealias Body = (Interpreter, JinjaArguments) throws(JinjaFault) -> JinjaValue
  let name: String
  let depth: Int
  let call: Body

  /// `receiver` is what a method is one of, and all that `call` keeps.
  init(_ name: String, of receiver: JinjaValue = .none, _ call: @escaping Body) {
    (self.name, self.depth, self.call) = (name, receiver.depth + 1, call)
  }
}
