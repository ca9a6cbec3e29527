import Fuzzing
import SystemFiles

@testable import Interchange

private let parser = chosen([
  "zip": { bytes in
    let archive = try ZipArchive(TensorBytes(bytes), path: "m.zip", inflates: true)
    for name in archive.names { _ = try? archive.entry(name)?.count }
  },
  "inflate": { bytes in
    let size = Int(bytes.first ?? 0) * 16
    _ = try Inflater.inflate(Array(bytes.dropFirst()), size: size)
  },
  "pickle": { bytes in
    var reader = PickleReader(TensorBytes(bytes), path: "m.pt", entry: "data.pkl")
    _ = try reader.read()
  },
  "torch": { bytes in
    for tensor in try TorchArchive(TensorBytes(bytes), path: "m.pt").tensors() {
      _ = tensor.bytes.count
    }
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
