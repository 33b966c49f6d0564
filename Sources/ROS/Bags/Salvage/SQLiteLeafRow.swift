/// A row on a leaf page, of whichever table.
struct SQLiteLeafRow {
    enum Value {
        case null
        case integer(Int64)
        case real
        case text(ArraySlice<UInt8>)
        case blob(ArraySlice<UInt8>)
    }

    /// The rowid.
    let number: Int64
    /// In the order of the columns; the first is NULL and stands for the rowid.
    let values: [Value]

    /// The columns of a row of the table `messages`.
    struct Message {
        var arrival: SQLiteSalvage.Arrival
        var bytes: ArraySlice<UInt8>
    }

    /// The row as one of `messages`; nil where it is of another table.
    var message: Message? {
        guard values.count == 4, case .integer(let topic) = values[1] else { return nil }
        var time: Int64?
        switch values[2] {
        case .integer(let number): time = number >= 0 ? number : nil
        case .null, .real, .text: break
        case .blob: return nil
        }
        let arrival = SQLiteSalvage.Arrival(number: number, topic: topic, time: time)
        switch values[3] {
        case .text(let bytes), .blob(let bytes): return Message(arrival: arrival, bytes: bytes)
        default: return nil
        }
    }

    /// The row as one of `topics` of any schema version; nil where it is of another table.
    var topic: StoredTopic? {
        guard let texts, (3...5).contains(texts.count), texts[0].hasPrefix("/"), texts[1].contains("/"),
            Self.isWord(texts[2])
        else { return nil }
        let topic = BagTopic(
            name: texts[0],
            typeName: texts[1],
            serializationFormat: texts[2],
            qosText: texts.count > 3 ? texts[3] : "",
            typeHash: texts.count > 4 ? texts[4] : "",
            definitionText: ""
        )
        return StoredTopic(number: number, topic: topic)
    }

    /// The row as one of `message_definitions`: its texts in the order of the columns; nil where it is of another table.
    var definition: [String]? {
        guard let texts, texts.count == 4, !texts[0].hasPrefix("/"), texts[0].contains("/"), Self.isWord(texts[1])
        else { return nil }
        return texts
    }

    /// The values behind the first; nil unless all are texts.
    private var texts: [String]? {
        var texts: [String] = []
        for value in values.dropFirst() {
            guard case .text(let bytes) = value else { return nil }
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        return texts
    }

    /// True if the text has the form of a name of a format or an encoding.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 40 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
