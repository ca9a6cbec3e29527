public import Foundation

// What providers add to transcripts, as on OS 27.

extension Transcript {
  /// What a model thought before it went on.
  public struct Reasoning: Sendable, Identifiable, Equatable {
    /// The identity of the entry.
    public var id: String
    /// The thoughts piece by piece; none where the provider keeps them to itself.
    public var segments: [Segment]
    /// The provider's proof that these are the model's thoughts, to be sent back as it is.
    public var signature: Data?
    private var known: MetadataCoding

    /// An entry of `segments`.
    public init(
      id: String = UUID().uuidString,
      metadata: [String: any Sendable & Codable & Equatable] = [:],
      segments: [Segment], signature: Data? = nil
    ) {
      (self.id, known, self.segments) = (id, MetadataCoding(metadata), segments)
      self.signature = signature
    }

    /// What else the provider says of the entry.
    public var metadata: [String: any Sendable & Codable & Equatable] {
      get { known.values }
      set { known = MetadataCoding(newValue) }
    }
  }

  /// A piece of an entry of a provider's own kind.
  ///
  /// Models of this machine read its description; a transcript's JSON has that, too, and reads it back as text.
  public protocol CustomSegment: InstructionsRepresentable, PromptRepresentable,
    CustomStringConvertible, Equatable, Identifiable, Sendable
  {
    /// What the piece holds.
    associatedtype Content: Codable, Equatable, Sendable

    /// The identity of the piece in its entry.
    var id: String { get }
    /// What the piece holds.
    var content: Content { get }
  }

  /// Something that is no text, in an entry.
  public struct AttachmentSegment: Sendable, Identifiable, Equatable {
    /// The identity of the piece.
    public var id: String
    /// What is attached.
    public var content: Attachment
    /// What people and models call it by.
    public var label: String?

    /// A piece with `content`.
    public init(id: String = UUID().uuidString, content: Attachment, label: String? = nil) {
      (self.id, self.content, self.label) = (id, content, label)
    }
  }

  /// What is attached.
  public enum Attachment: Sendable, Equatable {
    /// An image.
    case image(ImageAttachment)
  }

  /// An image, by its address: nothing here looks at images, but executors may.
  public struct ImageAttachment: Sendable, Equatable {
    /// Where the image is.
    public let url: URL?
    /// How it is to be turned, as far as that was said; what its file says of it is not read.
    public let orientation: CGImagePropertyOrientation

    /// The image at `imageURL`, which may be a `data:` address; `orientation` says how it is to be turned, as if its file said so.
    public init(imageURL: URL, orientation: CGImagePropertyOrientation? = nil) {
      self.init(url: imageURL, orientation: orientation)
    }

    init(url: URL?, orientation: CGImagePropertyOrientation?) {
      (self.url, self.orientation) = (url, orientation ?? .up)
    }

    /// The bytes of the image's file, or those that a `data:` address has; none where there is no such file.
    ///
    /// An extension: Apple's framework has decoded images in place of it.
    public var data: Data {
      guard let url else { return Data() }
      if url.isFileURL { return (try? Data(contentsOf: url)) ?? Data() }
      guard url.scheme == "data", let comma = url.absoluteString.firstIndex(of: ",") else {
        return Data()
      }
      let head = url.absoluteString[..<comma]
      let body = String(url.absoluteString[comma...].dropFirst())
      if head.hasSuffix(";base64") {
        return Data(base64Encoded: body.removingPercentEncoding ?? body) ?? Data()
      }
      return Data((body.removingPercentEncoding ?? body).utf8)
    }
  }
}

extension Transcript.CustomSegment {
  /// The content, in Swift's words.
  public var description: String { "\(content)" }

  /// The description.
  public var promptRepresentation: Prompt { return Prompt(parts: [description]) }

  /// The description.
  public var instructionsRepresentation: Instructions { return Instructions(parts: [description]) }
}

extension Transcript.Reasoning: CustomStringConvertible {
  /// `Reasoning: ` and the text.
  public var description: String { "Reasoning: \(segments.text)" }
}

extension Transcript.AttachmentSegment: CustomStringConvertible {
  /// The label and the address, as far as there are such.
  public var description: String {
    switch content {
    case .image(let image):
      let parts = [label, image.url.map { $0.scheme == "data" ? "data" : $0.absoluteString }]
      return "[image \(parts.compactMap(\.self).joined(separator: " "))]"
    }
  }
}

extension Transcript: MutableCollection {}

extension Transcript: RangeReplaceableCollection {
  /// A transcript of nothing.
  public init() { self.init(entries: [] as [Entry]) }

  /// Puts entries in place of others.
  public mutating func replaceSubrange<Entries: Collection>(
    _ subrange: Range<Int>, with newElements: consuming Entries
  ) where Entries.Element == Entry {
    entries.replaceSubrange(subrange, with: newElements)
  }
}

extension Transcript {
  /// The entries for which `isIncluded` holds: a list, as code for OS 26 has it, unless the code around asks for a transcript.
  public func filter(_ isIncluded: (Entry) throws -> Bool) rethrows -> [Entry] {
    try entries.filter(isIncluded)
  }
}

extension Transcript {
  /// Adds what a turn has come to; where a provider names what it thinks or says as before, the transcript keeps one entry of that
  /// identity: thoughts stay in their place, and responses stand after what they answer.
  mutating func add(_ new: [Entry]) {
    for entry in new {
      let place = entry.spokenID.flatMap { id in entries.lastIndex { $0.spokenID == id } }
      if let place, entry.spokenID?.isThought == true {
        entries[place] = entry
      } else {
        if let place { entries.remove(at: place) }
        entries.append(entry)
      }
    }
  }
}

extension Transcript.Entry {
  fileprivate struct SpokenID: Hashable {
    let id: String
    let isThought: Bool
  }

  /// What the thought or the response is known by; nil for other entries.
  fileprivate var spokenID: SpokenID? {
    switch self {
    case .reasoning(let entry): SpokenID(id: entry.id, isThought: true)
    case .response(let entry): SpokenID(id: entry.id, isThought: false)
    case .instructions, .prompt, .toolCalls, .toolOutput: nil
    }
  }
}

extension Transcript {
  /// What ``history`` is: on OS 27 a type of its own, with the same entries.
  public typealias HistoryView = ArraySlice<Entry>

  /// The entries after the instructions.
  public var history: HistoryView {
    get { entries[historyStart...] }
    set { entries.replaceSubrange(historyStart..., with: newValue) }
  }

  private var historyStart: Int {
    entries.firstIndex { if case .instructions = $0 { false } else { true } } ?? entries.count
  }
}
