import SystemFiles
import TensorFiles

/// Opens the files of a checkpoint, and says what was given in the place of one.
enum CheckpointFiles {
  /// The settings in `config.json`.
  ///
  /// - Throws: `BaseModelError.base`, also for a base or an adapter, or `.file`.
  static func settings(in directory: String) throws(BaseModelError) -> CheckpointSettings {
    if FileSystem.kind(of: directory) == .file, try begins(directory, with: "GGUF") {
      throw .base(.isBase, file: directory)
    }
    func has(_ name: String) -> Bool {
      FileSystem.kind(of: FilePath.join(directory, name)) != nil
    }
    let models = ["model.safetensors", "model.safetensors.index.json", "base.safetensors"]
    if has("adapter_config.json"), !models.contains(where: has) {
      throw .base(.isAdapter, file: directory)
    }
    let path = FilePath.join(directory, "config.json")
    let snapshots = FilePath.join(directory, "snapshots")
    if !has("config.json"), FileSystem.kind(of: snapshots) == .directory {
      throw .base(.isHubCache(snapshot: snapshot(in: snapshots)), file: directory)
    }
    // The steps of a model of Sentence Transformers.
    if has("modules.json") { throw .writesNothing(file: directory) }
    return try CheckpointSettings(path: path)
  }

  /// One of the revisions that the hub's programs have downloaded, whole or not.
  private static func snapshot(in folder: String) -> String? {
    let entries = (try? FileSystem.list(folder)) ?? []
    let paths = entries.compactMap { try? FilePath.join(folder, $0.name) }
    return paths.first { FileSystem.kind(of: FilePath.join($0, "config.json")) != nil }
  }

  /// The weights at `path`, mapped.
  ///
  /// - Throws: `BaseModelError.file`.
  static func weights(
    _ path: String
  ) throws(BaseModelError) -> (map: MappedFile, tensors: SafetensorsFile) {
    do throws(FileError) {
      let map = try MappedFile(path: path)
      return (map, try SafetensorsFile(bytes: map.bytes, path: path, file: map))
    } catch {
      throw .file(error)
    }
  }

  private static func begins(
    _ path: String, with text: String
  ) throws(BaseModelError) -> Bool {
    let map: MappedFile
    do { map = try MappedFile(path: path) } catch { throw .file(error) }
    return map.bytes.begin(with: text)
  }
}

extension TensorBytes {
  /// Whether the first bytes are `text`, as those of many files that tell what they are.
  func begin(with text: String) -> Bool {
    let length = text.utf8.count
    return count >= length && slice(0..<length).array.elementsEqual(text.utf8)
  }
}
