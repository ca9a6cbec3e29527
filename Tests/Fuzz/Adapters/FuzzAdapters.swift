import Fuzzing
import Glibc
import SystemFiles

@testable import Adapters

private let parser = chosen([
  "metadata": { bytes in
    let metadata = try AdapterMetadata(parsing: bytes, file: "metadata.json")
    let again = try? AdapterMetadata(parsing: Array(metadata.text.utf8), file: "metadata.json")
    // The keys come in another order.
    precondition(again?.text == metadata.text, "it is written as other metadata")
    _ = metadata.settings
  },
  "metadata-findings": { bytes in
    for finding in MetadataRules.findings(in: MetadataReading(bytes)) { _ = "\(finding)" }
  },
  "signature": { bytes in
    let signature = try PackageSignature(parsing: bytes)
    _ = PackageSignatureRule.origin(signature, [])
  },
  "suffixes": { bytes in
    let suffixes = try SuffixTexts(bytes: TensorBytes(bytes))
    precondition(suffixes.bytes == bytes, "it is written as other bytes")
  },
  // Metadata in JSON, and behind the line the weights.
  "package": { bytes in
    let parts = lines(bytes, 2)
    let folder = Scratch.folder + "/x.fmadapter"
    mkdir(folder, 0o700)
    Scratch.set("x.fmadapter/metadata.json", parts[0])
    Scratch.set("x.fmadapter/adapter_weights.bin", parts.count > 1 ? parts[1] : [])
    for finding in try AdapterCheck.run(package: folder, depth: .complete).findings {
      _ = "\(finding)"
    }
  },
  "version": { bytes in
    let versions = lines(bytes, 2).compactMap { AdapterVersion(text($0)) }
    if versions.count == 2 {
      let (first, second) = (versions[0], versions[1])
      precondition([first < second, second < first, first == second].count { $0 } == 1)
    }
    _ = try AdapterIdentifier(text(bytes))
  },
  "key": { bytes in
    let path = Scratch.set("key.pem", bytes)
    let key = try PublicKey(file: path)
    _ = key.fingerprint
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
