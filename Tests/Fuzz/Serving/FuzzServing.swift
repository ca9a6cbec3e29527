import Fuzzing

@testable import Serving

private let parser = chosen([
  "http-head": { bytes in
    let head = try HTTPHead(bytes[...])
    _ = (head["host"].flatMap(RequestGuard.name(ofHost:)), head.body)
  },
  "http-host": { bytes in _ = RequestGuard.name(ofHost: text(bytes)) },
  "openai-chat": { bytes in _ = try ChatCompletionsRequest(bytes, answerLimit: 4) },
  "openai-completions": { bytes in _ = try CompletionsRequest(bytes, answerLimit: 4) },
  "openai-responses": { bytes in _ = try ResponsesRequest(bytes) },
  "anthropic": { bytes in _ = try AnthropicRequest(bytes) },
  "ollama": { bytes in
    _ = try? OllamaRequest(bytes, .chat)
    _ = try OllamaRequest(bytes, .generate)
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
