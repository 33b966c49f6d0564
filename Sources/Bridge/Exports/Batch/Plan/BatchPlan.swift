package import Platform
package import Sessions
import SystemPackage
import Text

/// Finds recordings, and makes units of them.
package struct BatchPlan: Sendable {
    package private(set) var units: [BatchUnit] = []
    /// Recordings that cannot be read.
    package private(set) var omissions: [LeftOut] = []
    /// Recordings that are the same as one that is planned.
    package private(set) var doubles: [LeftOut] = []

    /// - Parameters:
    ///   - sources: recordings, or folders with recordings below.
    ///   - listings: files of JSON lines, one for each recording that lies where a plan cannot read it: its `url`, and
    ///     its `files` as pairs of name and size.
    ///   - shards: into how many parts of equal cost the units are dealt.
    /// - Throws: a ``BatchError`` where nothing is found, what the search throws, and errors of listings.
    package static func make(
        _ sources: [String],
        listings: [String],
        _ recipe: BatchUnit.Recipe,
        shards: Int,
        jobs: Int,
        progress: @escaping ProgressHandler
    ) async throws -> BatchPlan {
        var plan = BatchPlan()
        var seen: [String: String] = [:]
        if !sources.isEmpty { try await plan.addFound(sources, recipe, jobs: jobs, &seen, progress) }
        for listing in listings { try plan.addListed(listing, recipe, &seen) }
        guard !plan.units.isEmpty else {
            let reason = plan.omissions.first.map { "; \($0)" } ?? ""
            throw BatchError.nothingFound(sources: sources + listings, reason: reason)
        }
        plan.deal(into: shards)
        return plan
    }

    private mutating func addFound(
        _ sources: [String],
        _ recipe: BatchUnit.Recipe,
        jobs: Int,
        _ seen: inout [String: String],
        _ progress: @escaping ProgressHandler
    ) async throws {
        let findings = try RecordingSearch().run(sources, progress: progress)
        omissions += findings.unreadable
        var recordings = findings.recordings.makeIterator()
        let total = findings.recordings.count
        var done = 0
        try await forEachOrdered(
            workers: jobs,
            window: jobs * 16,
            next: { recordings.next() },
            makeWorker: {},
            transform: { _, found -> (FoundRecording, RecordingIdentity?, LeftOut?) in
                if let unusable = found.leftOut { return (found, nil, unusable) }
                do throws(FileError) {
                    return (found, try RecordingIdentity(of: FilePath(found.path)), nil)
                } catch {
                    return (found, nil, LeftOut(path: found.path, reason: "\(error)"))
                }
            },
            deliver: { found, identity, unusable in
                done += 1
                if done % 256 == 0 { progress(WorkProgress("planning", done, of: total, .files)) }
                if let identity { add(BatchUnit(found.path, identity, format: found.format, recipe), &seen) }
                if let unusable { omissions.append(unusable) }
            }
        )
    }

    /// More than any recording has: 1 PiB.
    private static let largestFile: Int64 = 1 << 50

    private mutating func addListed(_ path: String, _ recipe: BatchUnit.Recipe, _ seen: inout [String: String]) throws {
        try BatchManifest.forEachLine(of: FilePath(path)) { number, bytes in
            let found: String
            do {
                let value = try JSONValue.parse(bytes)
                let files = value["files"]?.array?.compactMap { pair -> (name: String, byteCount: Int)? in
                    guard let pair = pair.array, pair.count == 2, let name = pair[0].string,
                        let count = pair[1].integer, (0...Self.largestFile).contains(count)
                    else { return nil }
                    return (name, Int(count))
                }
                if let url = value["url"]?.string, let files, !files.isEmpty,
                    files.count == value["files"]?.array?.count,
                    files.reduce(0.0, { $0 + Double($1.byteCount) }) <= Double(Self.largestFile)
                {
                    add(BatchUnit(url, RecordingIdentity(listed: files), format: nil, recipe), &seen)
                    return
                }
                found = String(value.text().prefix(80))
            } catch {
                found = "\(error)"
            }
            throw BatchError.manifest(
                path: path,
                line: number,
                expected: "\"url\", and \"files\" as pairs of name and size, at most \(Self.largestFile) bytes",
                found: found
            )
        }
    }

    private mutating func add(_ unit: BatchUnit, _ seen: inout [String: String]) {
        if let first = seen[unit.id] {
            doubles.append(LeftOut(path: unit.input, reason: "the same as \(first)"))
        } else {
            seen[unit.id] = unit.input
            units.append(unit)
        }
    }

    /// Gives each unit, the costliest first, to the shard that has least to do.
    private mutating func deal(into shards: Int) {
        guard shards > 1 else { return }
        var heap = ShardHeap(count: shards)
        let order = units.indices.sorted {
            (units[$1].seconds, units[$0].id) < (units[$0].seconds, units[$1].id)
        }
        for index in order { units[index].shard = heap.give(units[index].seconds) }
    }
}

/// Shards by how much they have to do: a binary heap, the least on top; of equals the one with the lower number.
private struct ShardHeap {
    private var loads: [(seconds: Double, shard: Int)]

    init(count: Int) { loads = (0..<count).map { (0, $0) } }

    mutating func give(_ seconds: Double) -> Int {
        let shard = loads[0].shard
        loads[0].seconds += seconds
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < loads.count && loads[child] < loads[least] {
                least = child
            }
            guard least != place else { return shard }
            loads.swapAt(place, least)
            place = least
        }
    }
}

/// Why a manifest or a target cannot be used.
package enum BatchError: Error, Sendable, CustomStringConvertible {
    /// A field of a line.
    case field(name: String, expected: String, found: String)
    /// A line whose id is not that of what it says.
    case edited(id: String, expected: String)
    /// A place in a manifest.
    case manifest(path: String, line: Int?, expected: String, found: String)
    /// Nothing is at a path, or nothing that can be opened.
    case absent(path: String, expected: String)
    case unknown(ids: [String])
    case nothingFound(sources: [String], reason: String)
    /// A program that is needed to read a recording is not on this machine; another one may have it.
    case missingProgram(Problem)

    static func line(_ field: String, _ expected: String, _ found: JSONValue?) -> BatchError {
        .field(name: field, expected: expected, found: found.map { String($0.text().prefix(80)) } ?? "nothing")
    }

    package var description: String {
        switch self {
        case .field(let name, let expected, let found):
            "\(name.isEmpty ? "the line" : "\"\(name)\""): expected \(expected), found \(found)"
        case .edited(let id, let expected):
            "\"id\": expected \(expected), which is that of the line's name, identity, to and options, found \(id)"
        case .manifest(let path, let line, let expected, let found):
            "\(path)\(line.map { ":\($0)" } ?? ""): expected \(expected), found \(found)"
        case .absent(let path, let expected): "\(path): expected \(expected), found none that can be opened"
        case .unknown(let ids):
            "--only: expected ids of the manifest, found \(ids.prefix(3).joined(separator: ", "))"
                + (ids.count > 3 ? " and \(ids.count - 3) more" : "")
        case .nothingFound(let sources, let reason):
            "\(sources.someNames): expected recordings, found none\(reason)"
        case .missingProgram(let problem): problem.description
        }
    }
}
