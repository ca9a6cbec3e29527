import Foundation
import Kernels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

@testable import LanguageModels

/// A copy of a Hugging Face folder among the fixtures, for tests to bend before they convert it.
struct CheckpointFolder {
  let folder: TemporaryDirectory
  let path: String

  init(_ name: String) throws {
    folder = try TemporaryDirectory()
    path = try folder.copy(
      Fixtures.url("LanguageModelsTests", "hugging-face/\(name)"), to: name)
  }

  /// Puts `values` into the object at `place` (keys and numbers, joined by dots) of a JSON file; nil takes a key away.
  func set(_ file: String, at place: String = "", _ values: [String: Any?]) throws {
    let url = URL(fileURLWithPath: path + "/" + file)
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    let keys = place.split(separator: ".").map(String.init)
    let changed = try Self.change(root, keys[...], values)
    try JSONSerialization.data(withJSONObject: changed).write(to: url)
  }

  private static func change(
    _ value: Any, _ keys: ArraySlice<String>, _ values: [String: Any?]
  ) throws -> Any {
    if var list = value as? [Any], let key = keys.first, let index = Int(key) {
      list[index] = try change(list[index], keys.dropFirst(), values)
      return list
    }
    var object = try #require(value as? [String: Any])
    if let key = keys.first {
      object[key] = try change(object[key] ?? [String: Any](), keys.dropFirst(), values)
    } else {
      for (key, value) in values { object[key] = value }
    }
    return object
  }

  /// Puts `new` in the place of `old` in a file.
  func edit(_ file: String, _ old: String, _ new: String) throws {
    try folder.edit(FilePath.name(of: path) + "/" + file, old, new)
  }

  /// Writes the weights again, less and more.
  func setWeights(
    without: [String] = [], adding: [(name: String, shape: [Int], bytes: [UInt8])] = []
  ) throws {
    let file = try SafetensorsFile(path: path + "/model.safetensors")
    var writer = SafetensorsWriter()
    for tensor in file.tensors where !without.contains(tensor.name) {
      writer.append(tensor.name, tensor.type, shape: tensor.shape, TensorBytes(tensor.bytes.array))
    }
    for (name, shape, bytes) in adding {
      writer.append(name, .bfloat16, shape: shape, TensorBytes(bytes))
    }
    try writer.write(to: path + "/model.safetensors")
  }

  func convert(_ type: TensorType = .f32) throws -> GGUFFile {
    let output = folder.path("base.gguf")
    try BaseConverter(plan: .init(type: type)).convert(path, to: output)
    return try GGUFFile(path: output)
  }

  /// What converting throws, with paths from the folder on.
  func failure() -> String {
    do { _ = try convert() } catch { return "\(error)".replacing(path + "/", with: "") }
    return "no error"
  }
}
