package import Platform
package import SystemPackage
import Text

/// A manifest: JSON lines, of which the first says how many follow, and each other is a ``BatchUnit``.
package enum BatchManifest {
    private static let marker = "mapeverything_batch"
    private static let version = 1
    private static let maximumLineBytes = 1 << 20

    /// Which lines of a manifest are wanted.
    package struct Selection: Sendable {
        /// Ids or beginnings of them of at least eight digits; empty for all.
        package var only: Set<String>
        package var shard: Int?

        package init(only: [String] = [], shard: Int? = nil) {
            self.only = Set(only)
            self.shard = shard
        }

        fileprivate func takes(_ unit: BatchUnit) -> Bool {
            if let shard, unit.shard != shard { return false }
            return only.isEmpty || only.contains(unit.id) || only.contains { $0.count >= 8 && unit.id.hasPrefix($0) }
        }
    }

    /// Writes a new file.
    package static func write(
        _ units: [BatchUnit],
        _ recipe: BatchUnit.Recipe,
        shards: Int,
        version tool: String,
        to path: FilePath
    ) throws(FileError) {
        let file = try OutputFile(creating: path)
        let header: JSONValue = [
            "mapeverything_batch": .integer(version), "version": .string(tool), "to": .string(recipe.product.text),
            "options": .strings(recipe.options), "units": .integer(units.count), "shards": .integer(shards),
            "bytes": .integer(units.byteCount),
            "seconds": .number(units.reduce(0) { $0 + $1.seconds }.rounded()),
        ]
        try file.append(text: header.text() + "\n")
        for unit in units { try file.append(text: unit.json.text() + "\n") }
        try file.finish()
    }

    /// Passes the units that are wanted, in the order of the manifest.
    ///
    /// Every line is read, and one that is damaged, edited or missing refuses the whole: what ran of half a manifest would
    /// look like all of it.
    package static func read(_ path: FilePath, _ selection: Selection, _ body: (BatchUnit) -> Void) throws {
        var expected: Int?
        var count = 0
        var found: Set<String> = []
        try forEachLine(of: path) { number, bytes in
            let place = { (error: any Error) in
                BatchError.manifest(
                    path: path.string,
                    line: number,
                    expected: "a line of a manifest",
                    found: "\(error)"
                )
            }
            let value: JSONValue
            do { value = try JSONValue.parse(bytes, valueLimit: 10_000) } catch { throw place(error) }
            guard expected != nil else {
                guard value[marker]?.integer == Int64(version), let units = value["units"]?.integer else {
                    throw BatchError.manifest(
                        path: path.string,
                        line: number,
                        expected: "the first line of a manifest of version \(version)",
                        found: String(value.text().prefix(80))
                    )
                }
                expected = Int(units)
                return
            }
            count += 1
            let unit: BatchUnit
            do { unit = try BatchUnit(json: value) } catch { throw place(error) }
            guard selection.takes(unit) else { return }
            if !selection.only.isEmpty { found.insert(unit.id) }
            body(unit)
        }
        guard let expected else {
            throw BatchError.manifest(path: path.string, line: nil, expected: "a manifest", found: "an empty file")
        }
        guard count == expected else {
            throw BatchError.manifest(
                path: path.string,
                line: nil,
                expected: "\(expected) units, as its first line says",
                found: "\(count)"
            )
        }
        let unknown = selection.only.filter { wanted in !found.contains { $0.hasPrefix(wanted) } }
        guard unknown.isEmpty || selection.shard != nil else { throw BatchError.unknown(ids: unknown.sorted()) }
    }

    /// Passes the lines of a file, without their ends, through a buffer of bounded size.
    static func forEachLine(of path: FilePath, _ body: (Int, [UInt8]) throws -> Void) throws {
        guard let descriptor = try? RegularFile.open(path).descriptor else {
            throw BatchError.absent(path: path.string, expected: "a file")
        }
        defer { try? descriptor.close() }
        var (rest, block) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        var number = 0
        func pass(_ line: ArraySlice<UInt8>) throws {
            number += 1
            if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { try body(number, Array(line)) }
        }
        while true {
            let read = try FileError.attempt(path, "read") {
                try block.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            }
            guard read > 0 else { break }
            var piece = block[..<read]
            while let end = piece.firstIndex(of: 0x0A) {
                try pass(rest + piece[..<end])
                rest.removeAll(keepingCapacity: true)
                piece = piece[(end + 1)...]
            }
            rest += piece
            guard rest.count <= maximumLineBytes else {
                throw BatchError.manifest(
                    path: path.string,
                    line: number + 1,
                    expected: "a line of at most \(maximumLineBytes) bytes",
                    found: "a longer one"
                )
            }
        }
        if !rest.isEmpty { try pass(rest[...]) }
    }
}
