/// How an example is written as a line of JSON.
public enum ExampleForm: String, Sendable, Codable, CaseIterable {
  /// `[{"role": …, "content": …}, …]`, as Apple's toolkit has it.
  case list
  /// `{"messages": [{"role": …, "content": …}, …]}`, as mlx-lm and others have it.
  case messages
  /// `{"prompt": …, "completion": …}`.
  case completion
  /// `{"text": …}`.
  case text
}
