import Foundation
import FoundationModels
import TestSupport
import Testing

@testable import ModelServers

@Suite(.waits) struct ImageAddressTests {
  static let files: [(name: String, bytes: [UInt8], type: String)] = [
    ("sun.jpg", [0xFF, 0xD8, 0xFF, 0xE0, 0x00], "image/jpeg"),
    ("sun.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/png"),
    ("a name ü%20?.txt", Array("GIF87a.".utf8), "image/gif"),
    ("sun.gif", Array("GIF89a".utf8), "image/gif"),
    ("sun.webp", Array("RIFF1234WEBPVP8 ".utf8), "image/webp"),
  ]

  @Test(arguments: files)
  func imagesOfThisMachineGoInline(_ file: (name: String, bytes: [UInt8], type: String)) throws {
    let folder = try TemporaryDirectory()
    let url = URL(filePath: try folder.write(file.bytes, to: file.name))
    let address = try ImageAddress.forServer(Transcript.ImageAttachment(imageURL: url))
    let text = Data(file.bytes).base64EncodedString()
    #expect(address.absoluteString == "data:\(file.type);base64,\(text)")
    #expect(Transcript.ImageAttachment(imageURL: address).data == Data(file.bytes))
  }

  @Test func theServerGetsTheBytes() async throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Self.files[1].bytes, to: "sun.png")
    let played = try PlayedModel(.stream(ChatEvent.text("A sun."), ChatEvent.done)) {
      $0.hasVision = true
    }
    let session = LanguageModelSession(model: played.model)
    _ = try await session.respond {
      "What is it?"
      Attachment(imageURL: URL(filePath: path), orientation: .up)
    }
    #expect(
      try played.requests[0].body.contains(
        #"{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}"#))
    // The transcript has the address, not the bytes.
    let written = String(decoding: try JSONEncoder().encode(session.transcript), as: UTF8.self)
    #expect(written.contains("sun.png") && !written.contains("iVBORw0KGgo"))
  }

  @Test(arguments: [
    ("empty", "its file is no JPEG, PNG, GIF or WebP"),
    ("text", "its file is no JPEG, PNG, GIF or WebP"),
    ("wave", "its file is no JPEG, PNG, GIF or WebP"),
    ("large", "its file has 20,971,521 bytes, more than the 20,971,520 that are sent"),
    ("missing", "its file cannot be read: No such file or directory"),
    ("", "its path names no file"),
  ])
  func whatIsNoImageStaysHere(name: String, reason: String) async throws {
    let folder = try TemporaryDirectory()
    _ = try folder.write("", to: "empty")
    _ = try folder.write("root:x:0:0:root:/root:/bin/sh\n", to: "text")
    _ = try folder.write("RIFF1234WAVEfmt ", to: "wave")
    let large = try folder.write([0xFF, 0xD8, 0xFF], to: "large")
    let file = try FileHandle(forWritingTo: URL(filePath: large))
    try file.truncate(atOffset: UInt64(ImageAddress.byteLimit + 1))
    try await expect(
      Transcript.ImageAttachment(imageURL: URL(filePath: folder.path(name))), reason)
  }

  @Test func othersAreRefused() async throws {
    let address = try #require(URL(string: "ftp://a/sun.png"))
    try await expect(
      Transcript.ImageAttachment(imageURL: address),
      "a server takes images by https, http, data and file addresses only")
    let turned = try #require(URL(string: "https://a/sun.png"))
    try await expect(
      Transcript.ImageAttachment(imageURL: turned, orientation: .left),
      "it is to be turned, and images are sent as their files are")
  }

  /// Nothing is asked of the server, and the error says why.
  private func expect(_ image: Transcript.ImageAttachment, _ reason: String) async throws {
    let played = try PlayedModel(.stream(ChatEvent.done)) { $0.hasVision = true }
    let segment = Transcript.AttachmentSegment(content: .image(image))
    let transcript = Transcript(entries: [
      .prompt(Transcript.Prompt(segments: [.attachment(segment)]))
    ])
    let error = await #expect(throws: LanguageModelError.self) {
      try await LanguageModelSession(model: played.model, transcript: transcript).respond(to: "?")
    }
    #expect(error?.debugDescription == "A server does not get \(segment): \(reason).")
    #expect(try played.requests.isEmpty)
  }
}
