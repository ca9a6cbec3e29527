/// Names a piece of content, such as an element of a list, for as long as a response is being generated.
///
/// All snapshots of one response have the same identifier at the same place.
public struct GenerationID: Sendable, Hashable {
  private let response: UInt64
  private let path: [Step]

  /// What snapshots have of it, which is all of it.
  public typealias PartiallyGenerated = GenerationID

  /// A property or an element on the way to the content.
  private enum Step: Sendable, Hashable {
    case property(String)
    case element(Int)
  }

  /// An identifier that no other content has.
  public init() {
    self.init(response: .random(in: 0 ... .max), path: [])
  }

  private init(response: UInt64, path: [Step]) {
    (self.response, self.path) = (response, path)
  }

  /// The identifier of the property `name` of the content with this one.
  func property(_ name: String) -> GenerationID {
    GenerationID(response: response, path: path + [.property(name)])
  }

  /// The identifier of element `index` of the content with this one.
  func element(_ index: Int) -> GenerationID {
    GenerationID(response: response, path: path + [.element(index)])
  }
}
