import Adapters
import JSON
import SystemFiles
import TensorFiles

/// A folder as the Hugging Face hub keeps models: settings, weights in one file or several, and a tokenizer.
struct HuggingFaceFolder {
  let settings: CheckpointSettings
  let configuration: HuggingFaceConfiguration
  let weights: [SafetensorsFile]
  private let folder: String
  private let maps: [MappedFile]

  /// Opens the folder whose `config.json` is `settings`.
  ///
  /// - Throws: `BaseModelError.base`, or `.file`.
  init(_ folder: String, _ settings: CheckpointSettings) throws(BaseModelError) {
    (self.folder, self.settings) = (folder, settings)
    configuration = try HuggingFaceConfiguration(settings)
    var maps: [MappedFile] = []
    var weights: [SafetensorsFile] = []
    for name in try Self.names(in: folder) {
      let (map, tensors) = try CheckpointFiles.weights(FilePath.join(folder, name))
      weights.append(tensors)
      maps.append(map)
    }
    (self.maps, self.weights) = (maps, weights)
  }

  /// Whether `settings` are those of such a folder; an AFM checkpoint has no such key.
  static func has(_ settings: CheckpointSettings) -> Bool {
    settings.has("model_type") || settings.has("architectures")
  }

  /// Sets the signature, the hyperparameters, how tokens are drawn, and the tokenizer.
  func setKeys(of head: inout GGUFWriter) throws(BaseModelError) {
    head.set(BaseSignature.key, .text(SHA1.hex(maps.map(\.bytes))))
    for (name, value) in try configuration.keys() { head.set(name, value) }
    if let generation = try CheckpointSettings.ifPresent(
      FilePath.join(folder, "generation_config.json"))
    {
      SamplingSettings(generation).set(on: &head)
    }
    try HuggingFaceTokenizer(in: folder, of: settings, configuration).set(on: &head)
  }

  /// The tensors in the order of the base.
  ///
  /// - Throws: `BaseModelError.base`; of weights that are quantized the setting that says so, as their tensors have other names, shapes
  ///   and types.
  func sources() throws(BaseModelError) -> [TensorSource] {
    do {
      return try HuggingFaceTensors.sources(of: weights, configuration)
    } catch {
      try Self.refuseQuantized(settings)
      throw error
    }
  }

  /// Throws the setting that says that weights are quantized.
  static func refuseQuantized(_ settings: CheckpointSettings) throws(BaseModelError) {
    let keys = ["quantization_config", "quantization", "compression_config"]
    guard let key = keys.first(where: settings.has) else { return }
    let method = settings.part(key)?.string("quant_method").map { " by \($0)" } ?? ""
    throw settings.unsupported(key, "says that the weights are quantized\(method)")
  }

  /// Asks whether the files are still those that were opened.
  func checkUnchanged() throws(FileError) {
    for map in maps { try map.checkUnchanged() }
  }

  /// The files of weights, in the order of their names.
  private static func names(in folder: String) throws(BaseModelError) -> [String] {
    let one = "model.safetensors"
    if FileSystem.kind(of: FilePath.join(folder, one)) != nil { return [one] }
    let path = FilePath.join(folder, one + ".index.json")
    guard let index = try CheckpointSettings.ifPresent(path, limit: 16 << 20) else {
      throw .base(.noWeights, file: folder)
    }
    let names = Set(index.part("weight_map")?.object.members.compactMap(\.value.string) ?? [])
    guard !names.isEmpty else { throw index.bad("weight_map", "names no files") }
    // A name that leads elsewhere is not one of this folder.
    if let other = names.sorted().first(where: { $0.contains("/") || $0.hasPrefix(".") }) {
      throw index.bad("weight_map", "names “\(other)”, which is no file of this folder")
    }
    return names.sorted()
  }
}
