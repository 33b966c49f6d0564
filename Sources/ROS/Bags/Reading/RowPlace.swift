import SystemPackage

/// Where a row lies in the files of a bag: what it takes to read it again without those before it.
package struct RowPlace: Hashable, Sendable, BitwiseCopyable {
    /// The place of its file in ``BagReader/storageFiles``.
    var file: Int32
    var stored: StoredPlace
}

/// Where a row lies in its file.
struct StoredPlace: Hashable, Sendable, BitwiseCopyable, CustomStringConvertible {
    /// The number of a row of a table; of an .mcap file the offset of the chunk or, outside of chunks, of the record.
    var offset: Int64
    /// The offset of the record in the content of its chunk; -1 where there is none.
    var innerOffset: Int64 = -1
    var isRow = false

    static func row(_ number: Int64) -> StoredPlace { StoredPlace(offset: number, isRow: true) }

    var description: String {
        if isRow { return "row \(offset)" }
        return innerOffset < 0 ? "offset \(offset)" : "offset \(innerOffset) of the chunk at \(offset)"
    }
}

/// A row and where it lies.
package struct PlacedRow: Sendable, Hashable {
    package var row: BagRow
    package var place: RowPlace
}

extension BagReader {
    /// The rows of the wanted topics and times in time order, with where they lie.
    ///
    /// - Parameter wantedBytes: How many of the first bytes of a message are wanted, by topic of the bag; the rest stays
    ///   on disk.
    package func placedRows(_ query: BagQuery = BagQuery(), wantedBytes: [Int]? = nil) -> BagRowCursor {
        BagRowCursor(RowMerger(self, query: query, wantedBytes: wantedBytes))
    }

    /// The file of a row and its place there, in words: `room_bag_0.db3, row 12`.
    package func text(of place: RowPlace) -> String {
        let file = storageFiles.indices.contains(Int(place.file)) ? storageFiles[Int(place.file)].path : path
        return "\(file.lastComponent?.string ?? file.string), \(place.stored)"
    }
}

/// Reads single rows of a bag by their places: one for each task.
///
/// The files that were read last stay open, and of an .mcap file the chunks: memory does not grow with the bag.
package final class BagRowReader {
    /// The rows of one time may lie on both sides of the end of a file.
    private static let keptFiles = 2

    private let reader: BagReader
    /// The one used last at the end.
    private var open: [(file: Int32, rows: any PlacedRows)] = []

    package init(_ reader: BagReader) { self.reader = reader }

    package func row(at place: RowPlace) throws(BagError) -> BagRow {
        let file = reader.storageFiles[Int(place.file)]
        let stored = try rows(of: place.file, file).row(at: place.stored)
        guard let topic = file.indices[stored.topic] else {
            throw .damaged(file.path, place: "\(place.stored)", expected: "a row of a topic", found: "\(stored.topic)")
        }
        return BagRow(topic: topic, timeNanoseconds: stored.time, bytes: stored.bytes)
    }

    private func rows(of number: Int32, _ file: BagFile) throws(BagError) -> any PlacedRows {
        if let known = open.firstIndex(where: { $0.file == number }) {
            let rows = open.remove(at: known)
            open.append(rows)
            return rows.rows
        }
        if open.count == Self.keptFiles { open.removeFirst() }
        let rows = try file.placedRows()
        open.append((number, rows))
        return rows
    }
}

/// The rows of one file by their places.
protocol PlacedRows: AnyObject {
    func row(at place: StoredPlace) throws(BagError) -> StoredRow
}
