import Recording
import Text

/// One line of a table: its cells, without the blanks around them, and where problems say that it stands.
struct CSVRow {
    private let bytes: UnsafeRawBufferPointer
    private let cells: [Range<Int>]
    let file: String
    let line: Int

    /// A line whose cells have commas between them.
    init(_ bytes: UnsafeRawBufferPointer, of file: String, line: Int) {
        self.bytes = bytes
        (self.file, self.line) = (file, line)
        var cells: [Range<Int>] = []
        var start = 0
        for place in 0...bytes.count where place == bytes.count || bytes[place] == UInt8(ascii: ",") {
            var cell = start..<place
            while let first = cell.first, Self.isBlank(bytes[first]) { cell = cell.dropFirst() }
            while let last = cell.last, Self.isBlank(bytes[last]) { cell = cell.dropLast() }
            cells.append(cell)
            start = place + 1
        }
        self.cells = cells
    }

    /// A line, or a file of one, whose cells have blanks between them, as many as there may be.
    init(separatedByBlanks bytes: UnsafeRawBufferPointer, of file: String, line: Int) {
        self.bytes = bytes
        (self.file, self.line) = (file, line)
        let words = bytes.indices.split { Self.isBlank(bytes[$0]) || bytes[$0] == 0x0A }
        cells = words.map { $0.startIndex..<$0.endIndex }
    }

    var count: Int { cells.count }

    func text(_ place: Int) -> String {
        guard cells.indices.contains(place) else { return "" }
        return String(decoding: bytes[cells[place]], as: UTF8.self)
    }

    /// As it stands in a problem.
    func excerpt(_ place: Int) -> String {
        guard cells.indices.contains(place) else { return "no such column" }
        let text = String(text(place).prefix(60))
        return text.isEmpty ? "nothing" : text
    }

    /// `nil` for what is no finite number.
    func number(_ place: Int) -> Double? {
        guard cells.indices.contains(place), let value = Double(text(place)), value.isFinite else { return nil }
        return value
    }

    /// Seconds, exact to the nanosecond; `nil` for what is none from 0 on.
    func time(_ place: Int) -> Timestamp? {
        guard cells.indices.contains(place), !cells[place].isEmpty else { return nil }
        var scanner = JSONScanner(UnsafeRawBufferPointer(rebasing: bytes[cells[place]]))
        guard let time = try? FieldKind.captureTime.read(&scanner), (try? scanner.finish()) != nil else { return nil }
        return time
    }

    /// A problem with a cell, or with the whole line where no column is given.
    ///
    /// - Parameter name: the column's in the header; in a table without a header columns are counted from 1.
    func problem(
        _ kind: ProblemKind,
        _ column: Int?,
        _ expected: String,
        name: String? = nil,
        found: String? = nil
    ) -> Problem {
        let field = name ?? column.map { "column \($0 + 1)" }
        let found = found ?? column.map(excerpt) ?? "\(count)"
        return Problem(kind, file: file, line: line, field: field, expected: expected, found: found)
    }

    /// - Throws: a problem of this kind where the cell has no time.
    func time(_ column: Int, _ kind: ProblemKind, _ name: String? = nil) throws(Problem) -> Timestamp {
        guard let time = time(column) else { throw problem(kind, column, FieldKind.captureTime.expected, name: name) }
        return time
    }

    /// The numbers of some columns.
    ///
    /// - Throws: a problem of this kind with the first cell that has no finite number up to the limit.
    func numbers(
        _ columns: some Sequence<Int>,
        upTo limit: Double = .infinity,
        _ kind: ProblemKind,
        names: [String]? = nil,
        _ expected: String
    ) throws(Problem) -> [Double] {
        var numbers: [Double] = []
        for (index, column) in columns.enumerated() {
            guard let number = number(column), abs(number) <= limit else {
                throw problem(kind, column, expected, name: names?[index])
            }
            numbers.append(number)
        }
        return numbers
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}

/// The columns of a table by the names in its header.
struct CSVColumns: Sendable {
    private let places: [String: Int]

    init(_ header: CSVRow) {
        places = Dictionary((0..<header.count).map { (header.text($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// A table without a header has its columns in this order.
    init(_ names: [String]) {
        places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    }

    subscript(name: String) -> Int? { places[name] }

    /// The places of some columns; `nil` where one of them is missing.
    func places(_ names: [String]) -> [Int]? {
        let found = names.compactMap { places[$0] }
        return found.count == names.count ? found : nil
    }
}
