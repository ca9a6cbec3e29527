/// A catalog with one adapter, as the tests take it apart.
enum SampleCatalog {
  static let url = "https://adapters.example/store/index.json"

  static let entry = """
        {
          "baseModelSignature": "\(StoreFixture.first)",
          "description": "A demo",
          "identifier": "fmadapter-demo-0123456",
          "license": "MIT",
          "name": "demo",
          "url": "fmadapter-demo-0123456/1.0.0/",
          "version": "1.0.0",
          "files": [{"path": "metadata.json", "sha256": "\(String(repeating: "a", count: 64))",
            "size": 20},
            {"path": "adapter_weights.bin", "sha256": "\(String(repeating: "b", count: 64))",
            "size": 300}
          ]
        }
    """

  /// An entry of `files` that no package has yet.
  static let laterFile = file("draft_tree.v2.bin")

  static func file(_ name: String) -> String {
    "{\"path\": \"\(name)\", \"sha256\": \"\(String(repeating: "c", count: 64))\", \"size\": 7}"
  }

  static let text = """
    {
      "formatVersion": 1,
      "comment": "unknown keys are passed over",
      "adapters": [
    \(entry)
      ]
    }
    """
}
