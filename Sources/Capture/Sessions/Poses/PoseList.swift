import Platform
package import Recording
import SystemPackage
import Text

/// Poses in TUM's text: `timestamp tx ty tz qx qy qz qw` a line, seconds and metres, world from camera.
///
/// Lines that are no pose are counted and left out.
package struct PoseList: Sendable {
    package struct Entry: Sendable {
        package var nanoseconds: Int64
        /// In the list's own axes.
        package var worldFromCamera: Transform
    }

    private static let leastCount = 2
    private static let mostCount = 10_000_000
    private static let tolerance = 1e-2

    package private(set) var entries: [Entry] = []
    package private(set) var diagnostics = Diagnostics()
    /// What a file that this program wrote says of itself; `nil` for any other.
    package private(set) var origin: PoseFileOrigin?

    /// - Throws: a ``Problem`` where the file cannot be read, or has no poses.
    package init(path: String) throws {
        let path = FilePath(path)
        let folder = path.removingLastComponent()
        let name = path.lastComponent?.string ?? ""
        let files = FolderFiles(root: folder.isEmpty ? FilePath(path.isAbsolute ? "/" : ".") : folder)
        try self.init(files.stream(name), file: path.string)
    }

    /// - Parameter file: As problems name it.
    package init(_ stream: any ByteStream, file: String) throws {
        var reader = LineReader(stream)
        while let line = try reader.next() {
            switch line {
            case .tooLong(let number, let bytes):
                diagnostics.record(LineReader.tooLong(file, line: number, bytes: bytes))
            case .text(let number, _):
                do throws(Problem) {
                    try reader.withLine { (bytes) throws(Problem) in try take(bytes, file, number) }
                } catch {
                    diagnostics.record(error)
                    reader.countBroken()
                }
            }
            guard entries.count < Self.mostCount else { break }
        }
        guard entries.count >= Self.leastCount else {
            let found = diagnostics.entries.first?.examples.first.map { "\($0)" } ?? "\(entries.count)"
            let expected = "lines of a time and a pose (timestamp tx ty tz qx qy qz qw)"
            throw Problem(.badTransform, file: file, expected: expected, found: found)
        }
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer, _ file: String, _ line: Int) throws(Problem) {
        guard bytes.first != UInt8(ascii: "#") else {
            if entries.isEmpty, let origin = PoseFileOrigin(line: String(decoding: bytes.prefix(200), as: UTF8.self)) {
                self.origin = origin
            }
            return
        }
        let hasCommas = bytes.contains(UInt8(ascii: ","))
        let row =
            hasCommas ? CSVRow(bytes, of: file, line: line) : CSVRow(separatedByBlanks: bytes, of: file, line: line)
        guard row.count == 8 else {
            throw row.problem(.badTransform, nil, "8 numbers: timestamp tx ty tz qx qy qz qw")
        }
        guard let time = try? decimalNanoseconds(row.text(0)) else {
            throw row.problem(.badTransform, 0, "seconds")
        }
        var values: [Double] = []
        for column in 1..<8 {
            guard let value = row.number(column) else { throw row.problem(.badTransform, column, "a finite number") }
            values.append(value)
        }
        let place = Vector3(values[0], values[1], values[2])
        let rotation = Quaternion(x: values[3], y: values[4], z: values[5], w: values[6])
        guard place.length < 1e7 else {
            throw row.problem(.badTransform, 1, "a place within 10000 km", found: "\(place.length) m")
        }
        guard abs(rotation.norm - 1) < Self.tolerance else {
            throw row.problem(.badTransform, 4, "a unit quaternion", found: "one of length \(rotation.norm)")
        }
        if let last = entries.last, time <= last.nanoseconds {
            throw row.problem(.timeStepsBack, 0, "a time after that of the line before")
        }
        entries.append(
            Entry(nanoseconds: time, worldFromCamera: Transform(rotation: rotation.normalized, translation: place))
        )
    }
}
