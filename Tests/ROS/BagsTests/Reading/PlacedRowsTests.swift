import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

/// Single rows by the places that a walk over all of them gave.
struct PlacedRowsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let forms: [BagOptions] = [
        BagOptions(storage: .sqlite3, maximumChunkBytes: 256 << 10),
        BagOptions(storage: .mcap, maximumChunkBytes: 256 << 10),
        BagOptions(storage: .mcap, compression: .zstd),
        BagOptions(storage: .mcap, compression: .lz4),
        BagOptions(storage: .sqlite3, compression: .zstd, compressionMode: .message),
        BagOptions(storage: .sqlite3, compression: .zstd, compressionMode: .file),
    ]

    @Test(arguments: forms.indices) func rowsAreFoundAgain(_ form: Int) async throws {
        let bag = directory.appending("bag")
        _ = try await BagSink(bag, options: Self.forms[form]).record(SampleTraffic.messages(ticks: 40))
        let reader = try BagReader(opening: bag)
        let cursor = reader.placedRows()
        var placed: [PlacedRow] = []
        while let row = try cursor.nextPlaced() { placed.append(row) }
        #expect(placed.count > 100 && placed.count == reader.heldCount)
        #expect(Set(placed.map(\.place)).count == placed.count)
        let rows = try reader.rows()
        for one in placed { #expect(try rows.next() == one.row) }
        let single = BagRowReader(reader)
        for one in placed.reversed() { #expect(try single.row(at: one.place) == one.row) }
        let file = reader.files[0].lastComponent?.string ?? ""
        #expect(reader.text(of: placed[0].place).hasPrefix("\(file), "))
    }

    /// A place that leads to no row, as in a file that became shorter, is an error that names file, place and what is missing.
    @Test(arguments: [(BagOptions.Storage.sqlite3, "the row"), (.mcap, "the message")])
    func missingRowsAreNamed(_ storage: BagOptions.Storage, _ missing: String) async throws {
        let (short, long) = (directory.appending("short"), directory.appending("long"))
        let options = BagOptions(storage: storage)
        _ = try await BagSink(short, options: options).record(SampleTraffic.messages(ticks: 2))
        _ = try await BagSink(long, options: options).record(SampleTraffic.messages(ticks: 40))
        let reader = try BagReader(opening: long)
        let cursor = reader.placedRows()
        var last: PlacedRow?
        while let row = try cursor.nextPlaced() { last = row }
        let place = try #require(last?.place)
        let error = #expect(throws: BagError.self) {
            _ = try BagRowReader(BagReader(opening: short)).row(at: place)
        }
        let text = "\(error as Any)"
        // The row, or the offset in the file.
        let number = try #require(reader.text(of: place).split(separator: " ").last)
        #expect(text.contains("short_0.") && text.contains(" \(number)"), "\(text)")
        #expect(text.contains("expected \(missing), found none"), "\(text)")
    }

    /// The beginnings of messages have the places of the whole ones.
    @Test(arguments: [0, 1]) func beginningsHaveTheSamePlaces(_ form: Int) async throws {
        let bag = directory.appending("bag")
        _ = try await BagSink(bag, options: Self.forms[form]).record(SampleTraffic.messages(ticks: 10))
        let reader = try BagReader(opening: bag)
        let (whole, heads) = (
            reader.placedRows(), reader.placedRows(wantedBytes: reader.topics.map { _ in 8 })
        )
        while let row = try whole.nextPlaced() {
            let head = try #require(try heads.nextPlaced())
            #expect(head.place == row.place && head.row.bytes == Array(row.row.bytes.prefix(8)))
        }
    }
}
