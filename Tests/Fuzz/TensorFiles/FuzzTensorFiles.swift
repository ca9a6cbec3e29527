import Fuzzing
import SystemFiles

@testable import TensorFiles

private let parser = chosen([
  "gguf": { bytes in
    let file = try GGUFFile(bytes: TensorBytes(bytes), path: "m.gguf")
    let metadata = file.metadata
    for key in metadata.keys {
      _ = metadata[key]
      _ = try? metadata.string(key)
      _ = try? metadata.integer(key)
      _ = try? metadata.float(key)
      _ = try? metadata.bool(key)
      _ = try? metadata.integers(key)
      _ = try? metadata.floats(key)
      if let strings = try? metadata.strings(key) { for string in strings { _ = string.count } }
    }
    for tensor in file.tensors {
      precondition(tensor.bytes.count <= bytes.count && tensor.count > 0)
    }
    // What was read can be written, and is the same then.
    var writer = GGUFWriter(alignment: file.alignment)
    writer.set(metadata)
    let again = try? GGUFFile(bytes: TensorBytes(writer.head()), path: "n.gguf")
    precondition(
      again?.metadata.keys == writer.metadata.map(\.key), "it is written as another file")
  },
  "gguf-part": { bytes in
    guard let name = GGUFPartName(text(bytes)) else { return }
    precondition(name.path(of: name.number).utf8.elementsEqual(text(bytes).utf8))
  },
  "safetensors": { bytes in
    let file = try SafetensorsFile(bytes: TensorBytes(bytes), path: "m.safetensors")
    for tensor in file.tensors { _ = (tensor.count, file.tensor(named: tensor.name)) }
  },
  "blobs": { bytes in
    let file = try BlobFile(bytes: TensorBytes(bytes), path: "m.bin")
    for blob in file.blobs { precondition(blob.bytes.count <= bytes.count) }
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
