public import Observation
import Synchronization

/// The name of a value that a session keeps, for profiles, instructions and tools, as on OS 27.
///
/// An extension of ``SessionPropertyValues`` gives it a property: `var mood: String { get { self[MoodKey.self] } set { self[MoodKey.self] = newValue } }`,
/// or lets ``SessionPropertyEntry()`` write both.
public protocol SessionPropertyKey: SendableMetatype {
  /// What is kept.
  associatedtype Value

  /// What there is until something is kept.
  static var defaultValue: Value { get }
}

/// Makes a variable in an extension of ``SessionPropertyValues`` a value that a session keeps: `@SessionPropertyEntry var mood = "calm"`.
///
/// The value behind `=` is there until another one is kept; an optional without one begins with `nil`.
@attached(accessor) @attached(peer, names: prefixed(__Key_))
public macro SessionPropertyEntry() =
  #externalMacro(module: "FoundationModelsMacros", type: "SessionPropertyEntryMacro")

/// Makes the value of a key anew each time; ``SessionPropertyEntry()`` writes it.
@attached(accessor)
public macro __SessionPropertyEntryDefaultValue() =
  #externalMacro(module: "FoundationModelsMacros", type: "SessionPropertyEntryDefaultValueMacro")

/// What a session keeps for its profile, its instructions and its tools.
public final class SessionPropertyValues: Sendable, Observable {
  /// The values of the session whose response the task works for.
  @TaskLocal static var current: SessionPropertyValues?

  private let kept = Mutex<[ObjectIdentifier: any Sendable]>([:])
  private let registrar = ObservationRegistrar()
  private let readHistory: @Sendable () -> ArraySlice<Transcript.Entry>
  private let writeHistory: @Sendable (ArraySlice<Transcript.Entry>) -> Void

  init(
    read: @escaping @Sendable () -> ArraySlice<Transcript.Entry>,
    write: @escaping @Sendable (ArraySlice<Transcript.Entry>) -> Void
  ) {
    (readHistory, writeHistory) = (read, write)
  }

  /// The entries of the session's transcript after its instructions; those of the prompt that is being answered are among them.
  public var history: ArraySlice<Transcript.Entry> {
    get { readHistory() }
    set { writeHistory(newValue) }
  }

  /// The value of a key.
  ///
  /// Tools run at once: where several of them change a value by what it was, one change may be lost.
  public subscript<K: SessionPropertyKey>(key: K.Type) -> K.Value where K.Value: Sendable {
    get { value(of: key) ?? K.defaultValue }
    set { keep(newValue, as: key) }
  }

  /// The value of a key, which tools that run at once may use at once.
  @available(
    *, deprecated,
    message: "tasks share a session's values: make this Sendable, as a class with a Mutex is"
  )
  public subscript<K: SessionPropertyKey>(key: K.Type) -> K.Value {
    get { value(of: key) ?? K.defaultValue }
    set { keep(UncheckedValue(value: newValue), as: key) }
  }

  private func value<K: SessionPropertyKey>(of key: K.Type) -> K.Value? {
    registrar.access(self, keyPath: \.all)
    guard let value = kept.withLock({ $0[ObjectIdentifier(key)] }) else { return nil }
    return (value as? UncheckedValue<K.Value>)?.value ?? value as? K.Value
  }

  private func keep(_ value: any Sendable, as key: any SessionPropertyKey.Type) {
    // The value before goes after the lock: it may look at the session then.
    _ = kept.withLock { $0.updateValue(value, forKey: ObjectIdentifier(key)) }
    registrar.withMutation(of: self, keyPath: \.all) {}
  }

  /// Stands for all values: a key has no key path of its own.
  private var all: Void { () }
}

/// A value of which nobody has said that several tasks may use it, as Apple's interface allows.
private struct UncheckedValue<Value>: @unchecked Sendable {
  let value: Value
}

extension LanguageModelSession {
  /// A value of the session that works for the present task: in a profile, its modifiers and actions, dynamic instructions, and tools.
  @propertyWrapper
  public struct SessionProperty<Value> {
    private let keyPath: ReferenceWritableKeyPath<SessionPropertyValues, Value>

    /// The value at `keyPath`, such as `\.history`.
    public init(_ keyPath: ReferenceWritableKeyPath<SessionPropertyValues, Value>) {
      self.keyPath = keyPath
    }

    /// The value.
    ///
    /// - Precondition: A session is answering a prompt in this task.
    public var wrappedValue: Value {
      get { Self.values[keyPath: keyPath] }
      nonmutating set { Self.values[keyPath: keyPath] = newValue }
    }

    private static var values: SessionPropertyValues {
      guard let values = SessionPropertyValues.current else {
        preconditionFailure(
          "a SessionProperty has a value only while a session answers; look at LanguageModelSession.properties instead"
        )
      }
      return values
    }
  }
}

// Key paths are values; those of this root have no other captures than types.
extension LanguageModelSession.SessionProperty: @unchecked Sendable where Value: Sendable {}

extension DynamicInstructions {
  /// A value of the session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension Tool {
  /// A value of the session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfile {
  /// A value of the session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}

extension LanguageModelSession.DynamicProfileModifier {
  /// A value of the session.
  public typealias SessionProperty = LanguageModelSession.SessionProperty
}
