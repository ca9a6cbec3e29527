import SystemFiles
import TestSupport
import Testing

@testable import TensorFiles

/// Random damage to valid files: readers may accept or throw, never trap, and what they accept stays inside the file.
@Suite struct DamageTests {
  static let gguf: [UInt8] = {
    var sample = GGUFSample(
      keys: [
        key("general.architecture", 8) { $0.string("llama") },
        key("general.alignment", 4) { $0.u32(32) },
        key("words", 9) { out in
          out.u32(8)
          out.u64(3)
          for word in ["a", "bb", "ccc"] { out.string(word) }
        },
        key("floats", 9) { out in
          out.u32(6)
          out.u64(2)
          out.u64(0)
        },
        key("flag", 7) { $0.u8(1) },
      ],
      tensors: [
        .init(name: "a", dimensions: [4, 2]),
        .init(name: "b", dimensions: [32, 1], type: 8, offset: 32),
      ])
    sample.data = [UInt8](repeating: 1, count: 66)
    return sample.bytes()
  }()

  static let blobs = BlobSample.bytes([
    BlobSample(), BlobSample(type: 11, padding: 4), BlobSample(type: 2, data: .init(1...64)),
  ])

  static let safetensors = safetensorsBytes(
    #"{"__metadata__":{"k":"v\u00e9"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"#
      + #""b":{"dtype":"F16","shape":[1,2],"data_offsets":[8,12]}}"#,
    data: .init(repeating: 1, count: 12))

  @Test(arguments: [1, 2, 3] as [UInt64])
  func ggufNeverTraps(seed: UInt64) {
    damage(Self.gguf, seed: seed) { bytes in
      let file = try GGUFFile(bytes: TensorBytes(bytes), path: "m")
      for tensor in file.tensors {
        #expect(tensor.fileOffset + tensor.bytes.count <= bytes.count)
        #expect(
          tensor.type.rowBytes(columns: tensor.columns).map { $0 * tensor.rows }
            == tensor.bytes.count)
      }
      for key in file.metadata.keys {
        _ = file.metadata[key]
        _ = try? file.metadata.integers(key)
        _ = try? file.metadata.strings(key).map(Array.init)
        _ = try? file.metadata.string(key)
        _ = try? file.metadata.floats(key)
      }
    }
  }

  @Test(arguments: [4, 5] as [UInt64])
  func blobsNeverTrap(seed: UInt64) {
    damage(Self.blobs, seed: seed) { bytes in
      let file = try BlobFile(bytes: TensorBytes(bytes), path: "m")
      for blob in file.blobs {
        #expect(blob.dataOffset + blob.size <= bytes.count)
        #expect(blob.count * blob.type.bits + blob.paddingBits == blob.size * 8)
      }
    }
  }

  @Test(arguments: [6, 7] as [UInt64])
  func safetensorsNeverTrap(seed: UInt64) {
    damage(Self.safetensors, seed: seed) { bytes in
      let file = try SafetensorsFile(bytes: TensorBytes(bytes), path: "m")
      for tensor in file.tensors {
        #expect(tensor.count * tensor.type.size == tensor.bytes.count)
      }
    }
  }

  @Test func theUndamagedFilesAreValid() throws {
    #expect(try GGUFFile(bytes: TensorBytes(Self.gguf), path: "m").tensors.count == 2)
    #expect(try BlobFile(bytes: TensorBytes(Self.blobs), path: "m").blobs.count == 3)
    #expect(try SafetensorsFile(bytes: TensorBytes(Self.safetensors), path: "m").tensors.count == 2)
  }

  /// Cuts `bytes` at every length, then flips, sets and repeats bytes at random 2,000 times.
  private func damage(_ bytes: [UInt8], seed: UInt64, _ read: ([UInt8]) throws -> Void) {
    for count in 0..<bytes.count { try? read(Array(bytes.prefix(count))) }
    var accepted = 0
    var generator = SeededGenerator(seed: seed)
    // Numbers that break careless arithmetic.
    let evil: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]
    for _ in 0..<2000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<damaged.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: damaged[place] = evil.randomElement(using: &generator) ?? 0
        case 2:
          let value = evil.randomElement(using: &generator) ?? 0
          for index in place..<min(place + 8, damaged.count) { damaged[index] = value }
        default: damaged.removeSubrange(place..<min(place + 3, damaged.count - 1))
        }
      }
      if (try? read(damaged)) != nil { accepted += 1 }
    }
    #expect(accepted > 0, "nothing that was accepted was looked at: \(generator)")
  }
}
