import Bags
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// Rows that are read from the leaves of a .db3 file, against what SQLite itself stored, and pages made by hand.
struct LeafRowTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    // MARK: Pages of SQLite

    /// Messages of all lengths around those from which on they go on in other pages.
    ///
    /// Of 491 bytes in 512, the least part that stays in the page depends on each number of the formula. Fewer than 480
    /// SQLite does not use.
    @Test(arguments: [(512, 0), (512, 21), (512, 32), (1024, 0), (4096, 0), (4096, 255), (65_536, 0)])
    func everyLengthIsRead(pageBytes: Int, reservedBytes: Int) throws {
        let file = try LeafFile(in: directory, pageBytes: pageBytes, reservedBytes: reservedBytes)
        try file.add(topic: 1)
        let usable = pageBytes - reservedBytes
        var sizes = Set((0..<60).map { $0 * (3 * usable / 60) })
        // Rounds of the length that stays in the page.
        for edge in [0, usable - 35, 2 * usable - 39, 3 * usable - 43] {
            sizes.formUnion(max(0, edge - 24)..<edge + 24)
        }
        if pageBytes == 512 { sizes.formUnion(0..<1600) }
        let list = sizes.sorted().map { "(\($0))" }.joined(separator: ",")
        try file.execute([
            """
            WITH RECURSIVE n(v) AS (SELECT 0 UNION ALL SELECT v + 1 FROM n WHERE v < \(2 * pageBytes)),
                words(w) AS (SELECT group_concat(v, ' ') FROM n),
                sizes(size) AS (VALUES \(list))
            INSERT INTO lost SELECT size + 1, 1, size, CAST(substr(w, 1 + size % 997, size) AS BLOB) FROM sizes, words
            """
        ])
        let salvage = try file.salvage()
        #expect(salvage.messageCount == sizes.count && salvage.brokenCount == 0 && salvage.timelessCount == 0)
        #expect(try file.count(LeafFile.missing) == 0)
    }

    /// A message that ends in a page that is cut is whole if the cut is behind it.
    @Test func theEndOfAMessageInAPageThatIsCut() throws {
        let file = try LeafFile(in: directory, pageBytes: 512)
        try file.add(topic: 1)
        let data = String(repeating: "7B", count: 1999)
        try file.execute(["INSERT INTO lost VALUES (1, 1, 1, x'\(data)')"])
        let whole = try file.read()
        let end = try #require(whole.lastIndex { $0 != 0 }) + 1
        // SQLite fills the pages of a message but for a little.
        #expect(whole.count - end > 40 && whole.count - end < 512)
        let original = directory.appending("cut.db3")
        for (bytes, count) in [(whole.count, 1), (end, 1), (end - 1, 0)] {
            try Data(whole[..<bytes]).write(to: URL(fileURLWithPath: original.string))
            // SQLite is given whole pages.
            try file.write(Array(whole[..<(bytes / 512 * 512)]))
            #expect(try file.salvage(of: original).messageCount == count)
            let saved = try file.texts("SELECT hex(data) FROM messages")
            #expect(saved == [String](repeating: data, count: count))
        }
    }

    /// More cells than one byte counts, of which each has the least size that a message can have.
    @Test func smallRowsAreRead() throws {
        let file = try LeafFile(in: directory, pageBytes: 4096)
        try file.add(topic: 1)
        try file.execute([
            "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 1000) "
                + "INSERT INTO lost SELECT v, 1, 1, x'' FROM n"
        ])
        #expect(try file.salvage().messageCount == 1000)
        #expect(try file.count(LeafFile.missing) == 0)
    }

    /// Numbers of rows, topics and times where they take one byte more.
    @Test func numbersOfAllWidthsAreRead() throws {
        let file = try LeafFile(in: directory, pageBytes: 512)
        let ofVarints = (1...8).flatMap { [Int64(1) << (7 * $0) - 1, Int64(1) << (7 * $0)] }
        let ofTypes = [8, 16, 24, 32, 48].flatMap { bits -> [Int64] in
            let limit = Int64(1) << Int64(bits - 1)
            return [limit - 1, limit, -limit, -limit - 1]
        }
        let numbers = Set(ofVarints + ofTypes + [0, 1, 2, -1, .max, .min])
        for number in numbers { try file.add(topic: number) }
        let rows = numbers.map { "(\($0), \($0), \(max(0, $0)), x'0102')" }.joined(separator: ",")
        try file.execute(["INSERT INTO lost VALUES \(rows)"])
        let salvage = try file.salvage()
        #expect(salvage.messageCount == numbers.count && salvage.timelessCount == 0)
        #expect(try file.count(LeafFile.missing) == 0)
    }

    /// What is no time is replaced, and what is no message is left out.
    @Test func rowsAreToldByTheirValues() throws {
        let file = try LeafFile(in: directory, pageBytes: 512)
        try file.add(topic: 5)
        try file.execute([
            "INSERT INTO lost VALUES (1, 5, 0, x'01'), (2, 5, -1, x'02'), (3, 5, 'noon', x'03'), (4, 5, 0.5, x'04')",
            "INSERT INTO lost VALUES (5, 5, NULL, 'text'), (6, 5, x'00', x'06'), (7, 'x', 1, x'07'), (8, 5, 1, 8)",
            "INSERT INTO lost VALUES (9, 5, 1, 0.5), (10, 5, 1, NULL), (11, 6, 1, x'0b'), (12, 5, 12, 'end')",
            "CREATE TABLE narrow(id INTEGER PRIMARY KEY, a, b)",
            "INSERT INTO narrow VALUES (20, 5, 1)",
            "CREATE TABLE wide(id INTEGER PRIMARY KEY, a, b, c, d)",
            "INSERT INTO wide VALUES (21, 5, 1, x'15', 0)",
            "CREATE TABLE keyless(a, b, c, d)",
            "INSERT INTO keyless(rowid, a, b, c, d) VALUES (22, 1, 5, 1, x'16')",
        ])
        let salvage = try file.salvage()
        #expect(try file.savedNumbers() == [1, 2, 3, 4, 5, 12])
        #expect(salvage.timelessCount == 4 && salvage.messageCount == 6)
        #expect(try file.texts("SELECT data FROM messages WHERE timestamp = 12") == ["end"])
    }

    /// What describes the messages is told from them, and from each other, by its texts.
    @Test func topicsAndDefinitionsAreToldByTheirTexts() throws {
        let word = String(repeating: "w", count: 40)
        let topics = [
            ["/a", "p/msg/T", "cdr"], ["/b", "p/T", word, "qos"], ["/c", "/", "!~", "", "hash"],
            ["/d", "p/T", "c", "qos", ""],
        ]
        let definitions = [["p/msg/T", "ros2msg", "string data", ""], ["p/x", word, "", "h"]]
        let others = [
            ["/e", "p/T"], ["/e", "p/T", "cdr", "qos", "hash", "more"], ["e", "p/T", "cdr"], ["/e", "T", "cdr"],
            ["/e", "p/T", word + "w"], ["/e", "p/T", "c dr"], ["/e", "p/T", "c\u{7F}"], ["/e", "p/T", ""],
            ["/e", "T", "text", "hash"],
            ["p/e", "ros2msg", "text"], ["p/e", "ros2 msg", "text", "hash"], ["e", "ros2msg", "text", "hash"],
            ["p/e", "ros2msg", "text", "hash", "more"],
        ]
        let file = try LeafFile(in: directory, pageBytes: 512)
        var statements = (2...6).map { count in
            "CREATE TABLE t\(count)(id INTEGER PRIMARY KEY, \((0..<count).map { "c\($0)" }.joined(separator: ", ")))"
        }
        for (number, texts) in (topics + definitions + others).enumerated() {
            let values = texts.map { "'\($0)'" }.joined(separator: ", ")
            statements.append("INSERT INTO t\(texts.count) VALUES (\(number + 1), \(values))")
        }
        // A number where a text belongs.
        statements.append("INSERT INTO t3 VALUES (100, '/f', 'p/T', 7)")
        try file.execute(statements)
        _ = try file.salvage()
        #expect(try file.texts("SELECT name FROM topics ORDER BY id") == ["/a", "/b", "/c", "/d"])
        #expect(try file.texts("SELECT type FROM topics ORDER BY id") == ["p/msg/T", "p/T", "/", "p/T"])
        #expect(try file.texts("SELECT serialization_format FROM topics ORDER BY id") == ["cdr", word, "!~", "c"])
        #expect(try file.texts("SELECT offered_qos_profiles FROM topics ORDER BY id") == ["", "qos", "", "qos"])
        #expect(try file.texts("SELECT type_description_hash FROM topics ORDER BY id") == ["", "", "hash", ""])
        #expect(try file.texts("SELECT topic_type FROM message_definitions ORDER BY id") == ["p/msg/T", "p/x"])
        #expect(try file.texts("SELECT encoding FROM message_definitions ORDER BY id") == ["ros2msg", word])
        let texts = try file.texts("SELECT encoded_message_definition FROM message_definitions ORDER BY id")
        #expect(texts == ["string data", ""])
    }

    /// The second page is the first that may be of messages, and the last one ends the file.
    @Test func theFirstAndTheLastPageAreRead() throws {
        let file = try LeafFile(in: directory, pageBytes: 512)
        try file.add(topic: 1)
        try file.execute([
            "INSERT INTO lost VALUES (1, 1, 1, x'01')",
            "CREATE TABLE last(id INTEGER PRIMARY KEY, topic_id, timestamp, data)",
            "INSERT INTO last VALUES (2, 1, 2, x'02')",
        ])
        let bytes = try file.read()
        #expect(bytes[512] == 13 && bytes[bytes.count - 512] == 13)
        #expect(try file.salvage().messageCount == 2)
        #expect(try file.savedNumbers() == [1, 2])
        // What is there of a page that is cut off is none.
        try file.write(bytes + bytes[512..<1023])
        #expect(try file.salvage().messageCount == 2)
    }

    // MARK: Pages made by hand

    /// A message of topic 1 at 1 ns, without content.
    private let head: [Int64] = [0, 9, 9]

    /// The file whose second page is replaced.
    private func handmade(_ page: LeafPage, behind pages: [[UInt8]] = []) throws -> LeafFile {
        let file = try LeafFile(in: directory, pageBytes: 512)
        try file.add(topic: 1)
        var bytes = try file.read()
        #expect(bytes.count == Self.pages * 512)
        bytes.replaceSubrange(512..<1024, with: page.bytes)
        try file.write(bytes + pages.joined())
        return file
    }

    /// The pages of such a file: that of the schema, and one of each table.
    private static let pages = 4

    /// A page states more cells than it has room for: all pointers up to its end are followed, and none behind it.
    @Test func pointersFillThePage() throws {
        let cell = LeafPage.cell(77, LeafPage.payload(head + [12]))
        let page = LeafPage(pointers: [Int](repeating: 0, count: 251) + [300], count: 0xFFFF, cells: [300: cell])
        let file = try handmade(page)
        #expect(try file.salvage().messageCount == 1)
        #expect(try file.savedNumbers() == [77])
    }

    @Test func wholeCellsAreRead() throws {
        // Longer varints than needed are read, too: eight bytes with nothing but their top bit, and a ninth of eight bits.
        let long = [UInt8](repeating: 0x80, count: 8)
        let cells: [[UInt8]] = [
            LeafPage.cell(1, LeafPage.payload(head + [14], [0xA5])),
            long + [6] + LeafPage.varint(1) + LeafPage.payload(head + [14], [0xA5]),
            LeafPage.cell(1, [13, 0, 9, 9] + long + [14, 0xA5]),
        ]
        for cell in cells {
            let file = try handmade(LeafPage(cell))
            #expect(try file.salvage().messageCount == 1, "\(cell)")
            #expect(try file.count("SELECT 1 FROM messages WHERE id = 1 AND timestamp = 1 AND data = x'A5'") == 1)
        }
    }

    @Test func whatIsNotWholeIsLeft() throws {
        let whole = LeafPage.payload(head + [14], [0xA5])
        let cut = LeafPage.cell(1, size: 7, whole)
        let pages: [String: LeafPage] = [
            "a length without an end": LeafPage([0x80]),
            "a number without an end": LeafPage([6, 0x80]),
            "no payload": LeafPage([6, 1]),
            "a payload of a byte more than the page has": LeafPage(cut),
            "a payload of much more": LeafPage(LeafPage.cell(1, size: 400, whole)),
            "a pointer behind the page": LeafPage(pointers: [512, 600, 0xFFFF], cells: [:]),
            "a length below zero": LeafPage(LeafPage.varint(-6) + [1] + whole),
            "a head of more than the payload": LeafPage(LeafPage.cell(1, [7, 0, 9, 9, 14, 0xA5])),
            "a head of less than nothing": LeafPage(LeafPage.cell(1, LeafPage.varint(-2) + [0, 9, 9, 14, 0xA5])),
            "a head that ends within a type": LeafPage(LeafPage.cell(1, [5, 0, 9, 9, 0x80, 14, 0xA5])),
            "a value of more than the payload": LeafPage(LeafPage.cell(1, LeafPage.payload(head + [16], [0xA5]))),
            "bytes behind the values": LeafPage(LeafPage.cell(1, LeafPage.payload(head + [14], [0xA5, 0xA5]))),
            "a type that is reserved": LeafPage(LeafPage.cell(1, LeafPage.payload([0, 9, 9, 10], [0xA5]))),
            "another one": LeafPage(LeafPage.cell(1, LeafPage.payload([0, 9, 9, 11], [0xA5]))),
            "a type below zero": LeafPage(LeafPage.cell(1, LeafPage.payload([0, 9, 9, -2], [0xA5]))),
        ]
        for (name, page) in pages {
            let file = try handmade(page)
            let salvage = try file.salvage()
            #expect(salvage.messageCount == 0 && salvage.brokenCount == 0 && salvage.strayCount == 0, "\(name)")
        }
    }

    // MARK: Pages that a message goes on in

    /// A payload of 600 bytes, of which a page of 512 bytes has 92 (SQLite file format, 1.6).
    private var long: [UInt8] {
        let content = (0..<594).map { UInt8(truncatingIfNeeded: $0 * 7) }
        return LeafPage.payload(head + [12 + 2 * 594], content)
    }

    @Test func aChainOfPagesIsFollowedToItsEnd() throws {
        let payload = long
        #expect(payload.count == 600)
        let overflow = be(0, 4) + payload[92...]
        let first = LeafPage.cell(1, size: 600, Array(payload[..<92]))
        let behind = Self.pages + 1
        for (place, isWhole) in [(behind, true), (0, false), (1, false), (behind + 1, false), (0xFFFF_FFFF, false)] {
            let file = try handmade(LeafPage(first + be(place, 4)), behind: [overflow])
            let salvage = try file.salvage()
            #expect(salvage.messageCount == (isWhole ? 1 : 0) && salvage.brokenCount == 0, "\(place)")
            if isWhole {
                let content = payload[6...].map { String(format: "%02X", $0) }.joined()
                #expect(try file.count("SELECT 1 FROM messages WHERE hex(data) = '\(content)'") == 1)
            }
        }
        // The page's number needs four bytes.
        let file = try handmade(LeafPage(first + be(behind, 4).dropLast()), behind: [overflow])
        #expect(try file.salvage().messageCount == 0)
        // A page that ends early is none.
        let cut = try handmade(LeafPage(first + be(behind, 4)), behind: [overflow.dropLast()])
        #expect(try cut.salvage().messageCount == 0)
    }

    /// Cells that lead round and round in one page are read until they have had twice the bytes of the file.
    @Test func circlesAreReadAsOftenAsTheFileHasBytes() throws {
        let circle = Self.pages + 1
        let fileBytes = circle * 512
        let overflow = be(circle, 4) + [UInt8](repeating: 0xA5, count: 508)

        /// A cell whose payload has so many bytes, none of which is the file's alone.
        func cell(_ number: Int64, _ size: Int) -> [UInt8] {
            let types = head + [12 + 2 * Int64(size - 6)]
            // 39 bytes at least stay in the page, and as many more as make the rest whole pages.
            let rest = 39 + (size - 39) % 508
            let local = rest <= 477 ? rest : 39
            let payload = LeafPage.payload(types) + [UInt8](repeating: 0xA5, count: size)
            return LeafPage.cell(number, size: size, Array(payload.prefix(local))) + be(circle, 4)
        }
        // Such a message is counted as broken: it is larger than the file.
        for (sizes, broken, saved) in [
            ([2 * fileBytes], 1, 0), ([2 * fileBytes + 1], 0, 0), ([fileBytes + 8, fileBytes - 8], 1, 1),
            ([fileBytes + 8, fileBytes + 8], 1, 0), ([fileBytes + 8, fileBytes - 7], 1, 0),
        ] {
            var cells: [Int: [UInt8]] = [:]
            var place = 512
            for (number, size) in sizes.enumerated() {
                let bytes = cell(Int64(number + 1), size)
                place -= bytes.count
                cells[place] = bytes
            }
            try #require(place > 40)
            let page = LeafPage(pointers: cells.keys.sorted(by: >), cells: cells)
            let salvage = try handmade(page, behind: [overflow]).salvage()
            #expect(salvage.brokenCount == broken && salvage.messageCount == saved, "\(sizes)")
        }
    }
}
