public import Foundation

/// Something that is no text, in a prompt or in instructions, as on OS 27.
///
/// A session over a model without ``LanguageModelCapabilities/Capability/vision``, such as ``SystemLanguageModel``, throws
/// ``LanguageModelError/unsupportedCapability(_:)`` for a request with an image. Executors get the image's address.
public struct Attachment<Content> {
  fileprivate let content: Transcript.Attachment
  fileprivate var label: String?

  /// The same with a name, by which people and models refer to it.
  public func label(_ label: String) -> Attachment<Content> {
    var attachment = self
    attachment.label = label
    return attachment
  }
}

extension Attachment: Sendable where Content: Sendable {}

/// How an image is to be turned and mirrored before anyone looks at it: the names of ImageIO for the numbers of Exif.
public enum CGImagePropertyOrientation: UInt32, Sendable {
  /// The image is shown as it is.
  case up = 1
  /// It is mirrored from left to right.
  case upMirrored
  /// It is turned by half a circle.
  case down
  /// It is mirrored from top to bottom.
  case downMirrored
  /// It is turned by a quarter to the left, then mirrored from left to right.
  case leftMirrored
  /// It is turned by a quarter to the right.
  case right
  /// It is turned by a quarter to the right, then mirrored from left to right.
  case rightMirrored
  /// It is turned by a quarter to the left.
  case left
}

/// An image.
public struct ImageAttachmentContent: Sendable, Equatable {}

extension Attachment where Content == ImageAttachmentContent {
  /// The image at `imageURL`, which may be a `data:` address; `orientation` says how it is to be turned, as if its file said so.
  public init(imageURL: URL, orientation: CGImagePropertyOrientation? = nil) {
    self.init(
      content: .image(Transcript.ImageAttachment(imageURL: imageURL, orientation: orientation)))
  }

  init(content: Transcript.Attachment) { (self.content, label) = (content, nil) }
}

extension Attachment: PromptRepresentable, InstructionsRepresentable {
  /// A prompt of the attachment alone.
  public var promptRepresentation: Prompt { return Prompt(parts: [], attachments: [placed]) }

  /// Instructions of the attachment alone.
  public var instructionsRepresentation: Instructions {
    return Instructions(parts: [], attachments: [placed])
  }

  private var placed: PlacedAttachment {
    PlacedAttachment(
      place: 0, segment: Transcript.AttachmentSegment(content: content, label: label))
  }
}

/// An attachment with its place among texts.
package struct PlacedAttachment: Sendable {
  /// How many texts stand before it.
  var place: Int
  let segment: Transcript.AttachmentSegment
}

/// What a model calls an image of the transcript by: a value to be generated, or an argument of a tool, as on OS 27.
public struct ImageReference: Sendable, Equatable {
  /// The label of the image.
  public let attachmentLabel: String

  /// The image with the label, the last one if there are several; nil for none.
  public func resolved(
    in entries: some Sequence<Transcript.Entry>
  ) -> Transcript.ImageAttachment? {
    for entry in entries.reversed() {
      for case .attachment(let segment) in entry.segments.reversed()
      where segment.label == attachmentLabel {
        switch segment.content {
        case .image(let image): return image
        }
      }
    }
    return nil
  }

  /// As ``resolved(in:)``, which betas of OS 27 called so.
  public func resolve(in transcript: Transcript) -> Transcript.ImageAttachment? {
    resolved(in: transcript)
  }
}

extension ImageReference: Generable {
  private static let property = "attachmentLabel"

  /// An object with the label.
  public static var generationSchema: GenerationSchema {
    GenerationSchema(
      type: ImageReference.self, description: "A reference to an image by its label",
      properties: [GenerationSchema.Property(name: property, type: String.self)])
  }

  /// The reference as content.
  public var generatedContent: GeneratedContent {
    GeneratedContent(properties: [Self.property: attachmentLabel])
  }

  /// The reference in `content`.
  ///
  /// - Throws: ``GeneratedContentError``.
  public init(_ content: GeneratedContent) throws {
    attachmentLabel = try content.value(forProperty: Self.property)
  }

  /// A reference while it is being generated.
  public struct PartiallyGenerated: Identifiable, ConvertibleFromGeneratedContent, Equatable,
    Sendable
  {
    /// Names the reference while it is being generated.
    public var id: GenerationID
    /// The label, as far as it has come.
    public var attachmentLabel: String?

    /// What there is of the reference in `content`.
    ///
    /// - Throws: ``GeneratedContentError``.
    public init(_ content: GeneratedContent) throws {
      id = content.id ?? GenerationID()
      attachmentLabel = try content.value(forProperty: ImageReference.property)
    }
  }
}

extension Transcript.Entry {
  /// The pieces of the entry; none for calls.
  var segments: [Transcript.Segment] {
    switch self {
    case .instructions(let entry): entry.segments
    case .prompt(let entry): entry.segments
    case .toolOutput(let entry): entry.segments
    case .response(let entry): entry.segments
    case .reasoning(let entry): entry.segments
    case .toolCalls: []
    }
  }
}
