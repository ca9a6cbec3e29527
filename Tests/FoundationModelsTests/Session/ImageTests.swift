import Foundation
import FoundationModels
import SessionTestSupport
import Testing

/// Images of three points by two, as Pillow writes them.
private enum Sample: String, CaseIterable {
  case png =
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAAAAAC4HznGAAAAEElEQVR4nGM8wcDAxMDAAAAFkADMnbPEDQAAAABJRU5ErkJggg=="
  case jpeg =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAACAAMBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAv/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AT//Z"
  case gif = "R0lGODdhAwACAIEAAMjIyAAAAAAAAAAAACwAAAAAAwACAAAIBgABCBwYEAA7"
  case webp = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoDAAIAAUAmJaQAA3AA/vdCAAA="

  var data: Data { Data(base64Encoded: rawValue) ?? Data() }
}

@Suite struct ImageTests {
  @Test(arguments: Sample.allCases)
  private func anImageHasTheSizeThatItsFileSays(_ sample: Sample) {
    let image = CGImage(data: sample.data)
    let size = sample == .webp ? [0, 0] : [3, 2]
    #expect([image.width, image.height] == size)
    for count in 0..<sample.data.count {
      let part = CGImage(data: sample.data.prefix(count))
      #expect([[0, 0], [3, 2]].contains([part.width, part.height]))
    }
  }

  @Test(arguments: Sample.allCases)
  private func anImageIsPassedOnAsItIs(_ sample: Sample) throws {
    let image = CGImage(data: sample.data)
    let attachment = Transcript.ImageAttachment(image, orientation: .left)
    #expect(attachment.orientation == .left && attachment.cgImage == image)
    #expect(attachment.url?.absoluteString.hasPrefix("data:image/\(sample);base64,") == true)
    let segment = Transcript.AttachmentSegment(content: .image(attachment))
    let transcript = Transcript(entries: [
      .prompt(Transcript.Prompt(segments: [.attachment(segment)]))
    ])
    let data = try JSONEncoder().encode(transcript)
    #expect(try JSONDecoder().decode(Transcript.self, from: data) == transcript)
  }

  @Test func anImageReachesAModelThatSees() async throws {
    var model = ScriptedModel([.text("grey")])
    model.capabilities = LanguageModelCapabilities([.vision])
    let image = CGImage(data: Sample.png.data)
    let session = LanguageModelSession(model: model)
    _ = try await session.respond { Attachment(image).label("a") }
    let prompt = try #require(model.script.requests.first?.transcript.last?.asPrompt)
    guard case .attachment(let segment)? = prompt.segments.first,
      case .image(let seen) = segment.content
    else {
      Issue.record("\(prompt) has no image")
      return
    }
    #expect(seen.cgImage == image && segment.label == "a")
  }

  @Test func aModelThatCannotSeeRefusesAnImage() async throws {
    let session = LanguageModelSession(model: SampleModels.plain)
    let error = await #expect(throws: LanguageModelError.self) {
      try await session.respond { Attachment(CGImage(data: Sample.png.data)) }
    }
    #expect(
      error?.failureReason == "The request has an image, for which the model has no vision.")
    #expect(session.transcript.isEmpty)
  }

  @Test func whatIsNoImageHasNoSize() {
    let none = Transcript.ImageAttachment(imageURL: URL(filePath: "/none.png")).cgImage
    #expect(none.data.isEmpty && none.width == 0 && none.height == 0)
    let text = Transcript.ImageAttachment(CGImage(data: Data("text".utf8)))
    #expect(text.url?.absoluteString == "data:application/octet-stream;base64,dGV4dA==")
  }
}
