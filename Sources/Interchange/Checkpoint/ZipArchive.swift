package import SystemFiles
import TensorFiles

/// The entries of a zip archive, each checked against its checksum when it is read.
///
/// Sources: PKWARE's APPNOTE 6.3.10, sections 4.3 to 4.5. Encrypted and split archives are refused, and compressed ones unless
/// they are asked for, by deflate.
package struct ZipArchive {
  /// One entry as the directory describes it.
  private struct Entry {
    let size: Int
    /// Bytes that it takes in the archive.
    let stored: Int
    let isDeflated: Bool
    let checksum: UInt32
    /// First byte of its own head.
    let start: Int
  }

  private let bytes: TensorBytes
  private let path: String
  private let inflates: Bool
  private var entries: [String: Entry] = [:]

  private static let (entryLimit, nameLimit) = (1 << 16, 1024)
  /// Bytes that a byte of deflate stands for at most.
  private static let ratio = 1032

  /// Names of all entries.
  var names: some Collection<String> { entries.keys }

  /// Names of the entries that have `size` bytes.
  package func names(ofSize size: Int) -> [String] {
    entries.filter { $0.value.size == size }.keys.sorted()
  }

  /// Reads the directory of the archive at `path`, whose entries may be compressed where it `inflates`.
  ///
  /// - Throws: `InterchangeError.archive`.
  package init(
    _ bytes: TensorBytes, path: String, inflates: Bool = false
  ) throws(InterchangeError) {
    (self.bytes, self.path, self.inflates) = (bytes, path, inflates)
    let (count, start) = try directory()
    guard count <= Self.entryLimit else {
      throw defect(start, "the archive has more than \(Figures.grouped(Self.entryLimit)) entries")
    }
    var place = start
    for _ in 0..<count { place = try readEntry(at: place) }
    // Entries that share their bytes could be read as often as they have names.
    let (sum, overflow) = entries.values.reduce((0, false)) { sum, entry in
      let (total, overflow) = sum.0.addingReportingOverflow(entry.stored)
      return (total, sum.1 || overflow)
    }
    guard !overflow, sum <= bytes.count else {
      throw defect(start, "all entries together are larger than the file")
    }
  }

  /// The bytes of an entry; nil where there is none of the name.
  ///
  /// - Throws: `InterchangeError.archive` where they are not the ones that were stored.
  package func entry(_ name: String) throws(InterchangeError) -> TensorBytes? {
    guard let entry = entries[name] else { return nil }
    let head = entry.start
    guard try number(UInt32.self, head) == 0x0403_4B50 else {
      throw defect(head, "the entry “\(name)” does not begin here")
    }
    let length = Int(try number(UInt16.self, head + 26))
    guard try range(head + 30, length, "a name").array == Array(name.utf8) else {
      throw defect(head, "the entry “\(name)” has another name where it begins")
    }
    let data = head + 30 + length + Int(try number(UInt16.self, head + 28))
    guard data <= bytes.count, entry.stored <= bytes.count - data else {
      throw defect(head, "the entry “\(name)” goes on behind the end of the file")
    }
    let content = try content(of: entry, name, at: data)
    guard Checksum.of(content) == entry.checksum else {
      throw defect(data, "the entry “\(name)” is not what was stored")
    }
    return content
  }

  private func content(
    of entry: Entry, _ name: String, at start: Int
  ) throws(InterchangeError) -> TensorBytes {
    let stored = bytes.slice(start..<start + entry.stored)
    guard entry.isDeflated else { return stored }
    do throws(Inflater.Defect) {
      return TensorBytes(try Inflater.inflate(stored.array, size: entry.size))
    } catch {
      throw defect(
        start + error.offset, "the entry “\(name)” cannot be decompressed: \(error.problem)")
    }
  }

  /// How many entries the directory has, and its first byte.
  private func directory() throws(InterchangeError) -> (count: Int, start: Int) {
    let end = try endRecord()
    let count = Int(try number(UInt16.self, end + 10))
    let start = Int(try number(UInt32.self, end + 16))
    guard count == 0xFFFF || start == 0xFFFF_FFFF else { return (count, start) }
    // Too large for the record: a longer one stands before it.
    guard end >= 20, try number(UInt32.self, end - 20) == 0x0706_4B50 else {
      throw defect(end, "the archive's end names no longer record")
    }
    let longer = try offset(UInt64.self, end - 12)
    guard try number(UInt32.self, longer) == 0x0606_4B50 else {
      throw defect(longer, "there is no record of the archive's end")
    }
    return (try offset(UInt64.self, longer + 32), try offset(UInt64.self, longer + 48))
  }

  /// The last record that may be the archive's end; up to 64 KiB of comment stand behind it.
  private func endRecord() throws(InterchangeError) -> Int {
    let first = max(0, bytes.count - 22 - 0xFFFF)
    var place = bytes.count - 22
    while place >= first {
      if try number(UInt32.self, place) == 0x0605_4B50,
        Int(try number(UInt16.self, place + 20)) == bytes.count - place - 22
      {
        return place
      }
      place -= 1
    }
    throw defect(max(0, bytes.count), "the archive has no end; it was cut, or is none")
  }

  /// Reads the directory's entry at `place`; returns where the next one begins.
  private mutating func readEntry(at place: Int) throws(InterchangeError) -> Int {
    guard try number(UInt32.self, place) == 0x0201_4B50 else {
      throw defect(place, "an entry of the directory does not begin here")
    }
    let lengths = (
      name: Int(try number(UInt16.self, place + 28)),
      extra: Int(try number(UInt16.self, place + 30)),
      comment: Int(try number(UInt16.self, place + 32))
    )
    let nameBytes = try range(place + 46, lengths.name, "a name")
    guard lengths.name <= Self.nameLimit,
      let name = String(validating: nameBytes.array, as: UTF8.self)
    else { throw defect(place, "an entry has a name that is too long, or is no text") }
    let method = try number(UInt16.self, place + 10)
    guard try number(UInt16.self, place + 8) & 1 == 0, method == 0 || inflates && method == 8
    else {
      throw defect(place, "the entry “\(name)” is compressed or encrypted")
    }
    let extra = try range(place + 46 + lengths.name, lengths.extra, "a field")
    let (size, stored, start) = try sizes(at: place, extra, name)
    guard stored <= bytes.count, size == stored || method == 8 && size / Self.ratio <= stored
    else { throw defect(place, "the entry “\(name)” is larger than the file") }
    let entry = Entry(
      size: size, stored: stored, isDeflated: method == 8,
      checksum: try number(UInt32.self, place + 16), start: start)
    guard entries.updateValue(entry, forKey: name) == nil else {
      throw defect(place, "there are two entries “\(name)”")
    }
    return place + 46 + lengths.name + lengths.extra + lengths.comment
  }

  /// Sizes and first byte of an entry; numbers that are too large for their fields stand in a field of their own.
  private func sizes(
    at place: Int, _ extra: TensorBytes, _ name: String
  ) throws(InterchangeError) -> (size: Int, stored: Int, start: Int) {
    var long = try longNumbers(extra, at: place)[...]
    /// The number at `offset` of the entry, or the next long one where it does not fit there.
    func next(_ offset: Int) throws(InterchangeError) -> UInt64 {
      let short = try number(UInt32.self, place + offset)
      guard short == 0xFFFF_FFFF else { return UInt64(short) }
      guard let value = long.popFirst() else {
        throw defect(place, "the entry “\(name)” lacks a long number")
      }
      return value
    }
    let (size, stored, start) = (try next(24), try next(20), try next(42))
    guard let size = Int(exactly: size), let stored = Int(exactly: stored),
      let start = Int(exactly: start)
    else { throw defect(place, "the entry “\(name)” is larger than the file") }
    return (size, stored, start)
  }

  /// The 64-bit numbers of the field that is for them.
  private func longNumbers(
    _ extra: TensorBytes, at place: Int
  ) throws(InterchangeError) -> [UInt64] {
    var position = 0
    while extra.count - position >= 4 {
      let kind = loadInteger(extra, at: position, as: UInt16.self)
      let length = Int(loadInteger(extra, at: position + 2, as: UInt16.self))
      guard length <= extra.count - position - 4 else {
        throw defect(place, "a field of an entry goes on behind its end")
      }
      if kind == 1 {
        return stride(from: 0, to: length - 7, by: 8).map {
          loadInteger(extra, at: position + 4 + $0, as: UInt64.self)
        }
      }
      position += 4 + length
    }
    return []
  }

  private func number<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ place: Int
  ) throws(InterchangeError) -> T {
    loadInteger(try range(place, MemoryLayout<T>.size, "a number"), at: 0, as: type)
  }

  private func offset<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, _ place: Int
  ) throws(InterchangeError) -> Int {
    guard let value = Int(exactly: try number(type, place)), value <= bytes.count else {
      throw defect(place, "a place is behind the end of the file")
    }
    return value
  }

  private func range(
    _ start: Int, _ count: Int, _ what: String
  ) throws(InterchangeError) -> TensorBytes {
    guard start >= 0, start <= bytes.count, count <= bytes.count - start else {
      throw defect(min(max(0, start), bytes.count), "the file ends inside \(what)")
    }
    return bytes.slice(start..<start + count)
  }

  private func defect(_ offset: Int, _ problem: String) -> InterchangeError {
    .archive(path: path, offset: offset, problem: problem)
  }
}
