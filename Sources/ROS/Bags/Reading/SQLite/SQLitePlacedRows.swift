import Platform

/// The rows of one .db3 file by their numbers.
final class SQLitePlacedRows: PlacedRows {
    private let connection: SQLiteConnection
    private let fetch: SQLiteStatement
    private let codec: BlobCodec

    init(_ connection: SQLiteConnection, codec: BlobCodec) throws(BagError) {
        self.connection = connection
        self.codec = codec
        fetch = try reading {
            try connection.database.prepare("SELECT timestamp, topic_id, data FROM messages WHERE rowid = ?1")
        }
    }

    func row(at place: StoredPlace) throws(BagError) -> StoredRow {
        try reading {
            fetch.reset()
            try fetch.bind(place.offset, at: 1)
            guard try fetch.step() else {
                throw BagError.damaged(codec.path, place: "messages, \(place)", expected: "the row", found: "none")
            }
            let blob = fetch.bytes(at: 2)
            let message = try codec.message(blob, place: { "messages, \(place)" })
            return StoredRow(
                topic: fetch.integer(at: 1),
                time: fetch.integer(at: 0),
                place: place,
                bytes: message,
                byteCount: message.count,
                storedByteCount: blob.count
            )
        }
    }
}
