import Kernels
import SystemFiles

/// The table of tensors, which follows the metadata, and the data behind it.
extension GGUFParser {
  /// A row of the table, before its place is checked.
  private struct Row {
    let name: String
    let type: TensorType
    let dimensions: [Int]
    let size: Int
    /// Bytes from the start of the data, as the file says.
    let offset: UInt64
    /// First byte of the row.
    let place: Int
  }

  mutating func tensors(
    count: Int, alignment: Int
  ) throws(FileError) -> ([GGUFTensor], [ExactName: Int]) {
    var rows: [Row] = []
    var places: [ExactName: Int] = [:]
    rows.reserveCapacity(count)
    places.reserveCapacity(count)
    for index in 0..<count {
      let row = try row()
      guard places.updateValue(index, forKey: ExactName(row.name)) == nil else {
        throw defect(.duplicateTensor(row.name), at: row.place)
      }
      rows.append(row)
    }
    // The table ends inside the file and the alignment is small, so this cannot overflow.
    let start = (cursor.offset + alignment - 1) / alignment * alignment
    var tensors: [GGUFTensor] = []
    tensors.reserveCapacity(count)
    for row in rows {
      tensors.append(try tensor(row, dataStart: start, alignment: alignment))
    }
    try checkOverlaps(tensors, rows)
    return (tensors, places)
  }

  private mutating func row() throws(FileError) -> Row {
    let place = cursor.offset
    let name = try name()
    let dimensions = try dimensions(of: name)
    let typeOffset = cursor.offset
    let number = try cursor.read(UInt32.self, "the type of tensor “\(name)”")
    guard let type = TensorType(rawValue: number) else {
      throw defect(.unknownType(tensor: name, number: number), at: typeOffset)
    }
    guard dimensions[0].isMultiple(of: type.blockLength) else {
      throw defect(.brokenRow(tensor: name, type: type, columns: dimensions[0]), at: place)
    }
    guard let size = byteCount(type, dimensions) else {
      throw defect(.hugeTensor(tensor: name), at: place)
    }
    let offset = try cursor.read(UInt64.self, "the offset of tensor “\(name)”")
    return Row(
      name: name, type: type, dimensions: dimensions, size: size, offset: offset, place: place)
  }

  private mutating func dimensions(of name: String) throws(FileError) -> [Int] {
    let offset = cursor.offset
    let count = try cursor.read(UInt32.self, "the dimension count of tensor “\(name)”")
    guard count >= 1, count <= UInt32(GGUFLimits.dimensions) else {
      throw defect(.dimensionCount(tensor: name, count: count), at: offset)
    }
    var dimensions: [Int] = []
    for _ in 0..<count {
      let place = cursor.offset
      let size = try cursor.read(UInt64.self, "the dimensions of tensor “\(name)”")
      guard size > 0 else { throw defect(.zeroDimension(tensor: name), at: place) }
      guard let size = Int(exactly: size) else {
        throw defect(.hugeTensor(tensor: name), at: place)
      }
      dimensions.append(size)
    }
    return dimensions
  }

  /// Bytes of a tensor, or nil when they, or the number of values, do not fit `Int`.
  private func byteCount(_ type: TensorType, _ dimensions: [Int]) -> Int? {
    var rows = 1
    for dimension in dimensions.dropFirst() {
      let (product, overflow) = rows.multipliedReportingOverflow(by: dimension)
      if overflow { return nil }
      rows = product
    }
    guard let row = type.rowBytes(columns: dimensions[0]),
      !rows.multipliedReportingOverflow(by: dimensions[0]).overflow
    else { return nil }
    let (bytes, overflow) = rows.multipliedReportingOverflow(by: row)
    return overflow ? nil : bytes
  }

  private func tensor(
    _ row: Row, dataStart: Int, alignment: Int
  ) throws(FileError) -> GGUFTensor {
    guard row.offset.isMultiple(of: UInt64(alignment)) else {
      throw defect(
        .misaligned(tensor: row.name, offset: row.offset, alignment: alignment), at: row.place)
    }
    let (start, overflow) = row.offset.addingReportingOverflow(UInt64(dataStart))
    let (end, overflow2) = start.addingReportingOverflow(UInt64(row.size))
    guard !overflow, !overflow2, end <= UInt64(cursor.bytes.count) else {
      throw defect(
        .outsideFile(
          tensor: row.name, end: overflow || overflow2 ? .max : end, fileSize: cursor.bytes.count),
        at: row.place)
    }
    return GGUFTensor(
      name: row.name, type: row.type, dimensions: row.dimensions, fileOffset: Int(start),
      bytes: cursor.bytes.slice(Int(start)..<Int(end)))
  }

  /// Tensors may come in any order and leave gaps, but no byte belongs to two of them.
  private func checkOverlaps(_ tensors: [GGUFTensor], _ rows: [Row]) throws(FileError) {
    let order = tensors.indices.sorted { tensors[$0].fileOffset < tensors[$1].fileOffset }
    for (first, second) in zip(order, order.dropFirst()) {
      let end = tensors[first].fileOffset + tensors[first].bytes.count
      guard tensors[second].fileOffset >= end else {
        throw defect(
          .overlap(tensor: tensors[second].name, other: tensors[first].name),
          at: rows[second].place)
      }
    }
  }
}
