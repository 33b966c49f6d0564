import Bags
import Glibc
import Platform
import Sessions
import SystemPackage
import Text
import Translation

/// The kind of an input, for commands that take both sessions and bags.
enum InputKind: String {
    case session, bag

    /// Decides by what is there, whether or not it is sound.
    ///
    /// - Throws: a ``NoInputError`` for what is neither.
    init(_ path: String) throws(NoInputError) {
        let likeness = SessionFormats.likeness(of: path)
        if OpenedRecording.isBag(path, likeness) {
            self = .bag
        } else if likeness != .nothing {
            self = .session
        } else {
            throw NoInputError(path: path, found: UnknownInput.describe(path))
        }
    }
}

/// What a person names for a command that takes many: recordings and bags, and folders of them.
struct Recordings: Sendable {
    struct Input: Hashable, Sendable {
        let path: String
        let kind: InputKind
    }

    /// In the order of what was named, and below a folder in that of the paths.
    private(set) var inputs: [Input] = []
    /// What was named among others and is neither a recording nor a bag.
    private(set) var unknown: [NoInputError] = []
    /// What was found and cannot be used.
    var leftOut: [LeftOut] = []
    /// True if several were meant: named, or found below a folder.
    private(set) var areMany = false

    /// Finds the recordings and bags that are meant, unopened: a folder that is neither means all below it.
    ///
    /// - Throws: a ``NoInputError`` for a single path with nothing to use.
    static func below(_ paths: [String]) throws -> Recordings {
        var found = Recordings()
        found.areMany = paths.count > 1
        for path in paths {
            var findings: RecordingFindings?
            if case .other(.directory) = FileEntry(at: path) {
                findings = try RecordingSearch(orWhere: isBag).run([path])
            }
            do throws(NoInputError) {
                try found.add(path, findings)
            } catch {
                guard paths.count > 1 else { throw error }
                found.unknown.append(error)
            }
        }
        return found
    }

    private mutating func add(_ path: String, _ findings: RecordingFindings?) throws(NoInputError) {
        guard let findings else { return inputs.append(Input(path: path, kind: try InputKind(path))) }
        let recordings = findings.recordings.map { Input(path: $0.path, kind: .session) }
        let below = recordings + Self.bags(findings).map { Input(path: $0, kind: .bag) }
        // What lies alone in a folder is called by the folder's name, as by all other commands.
        let kind = Result { () throws(NoInputError) in try InputKind(path) }
        if below.count < 2, let kind = try? kind.get() {
            let isWhole = below.first.map { FilePath($0.path) == FilePath(path) } ?? true
            guard isWhole || kind == .bag || SessionFormats.likeness(of: path) == .session else {
                return addMany(below, findings)
            }
            return inputs.append(Input(path: path, kind: kind))
        }
        guard !below.isEmpty else { return inputs.append(Input(path: path, kind: try kind.get())) }
        addMany(below, findings)
    }

    private mutating func addMany(_ below: [Input], _ findings: RecordingFindings) {
        areMany = true
        leftOut += findings.unreadable
        let known = Set(inputs)
        inputs += below.filter { !known.contains($0) }
            .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Leaves out what was named and is nothing of the kind, but for names that lead nowhere: slips of the fingers.
    mutating func leaveOutUnknown() throws(NoInputError) {
        if let absent = unknown.first(where: { FileEntry(at: $0.path).isAbsent }) { throw absent }
        leftOut += unknown.map { LeftOut(path: $0.path, reason: $0.found) }
        unknown = []
    }

    /// Leaves out what is not wanted, without a word.
    mutating func leaveOut(_ paths: Set<String>) { inputs.removeAll { paths.contains($0.path) } }

    /// Leaves out the bags that were found beside recordings, of which they may be made; named ones stay.
    mutating func leaveOutBags(besides named: [String]) -> [LeftOut] {
        guard inputs.contains(where: { $0.kind == .session }) else { return [] }
        let bags = inputs.filter { $0.kind == .bag && !named.contains($0.path) }.map(\.path)
        leaveOut(Set(bags))
        return bags.map { LeftOut(path: $0, reason: "a bag beside recordings; name it to take it too") }
    }

    /// The bags that were found: of files without metadata.yaml one for each folder that holds nothing else, or else for each.
    private static func bags(_ findings: RecordingFindings) -> [String] {
        let all = findings.recordings.map(\.path) + findings.others
        let files = Set(findings.others.filter { FileType(of: FilePath($0)) == .regular })
        let whole = Set(files.map(folder)).filter { folder in
            !all.contains { path in
                let isInside = folder.isEmpty || path.hasPrefix(folder + "/")
                return isInside && !(files.contains(path) && Self.folder(path) == folder)
            }
        }
        var bags: [String] = []
        for bag in findings.others {
            let folder = folder(bag)
            let name = !files.contains(bag) || !whole.contains(folder) ? bag : folder.isEmpty ? "." : folder
            if !bags.contains(name) { bags.append(name) }
        }
        return bags
    }

    private static func folder(_ path: String) -> String { FilePath(path).removingLastComponent().string }

    @Sendable private static func isBag(_ path: String) -> Bool {
        if FileKind.isStorageName(path), FileType(of: FilePath(path)) == .regular { return true }
        return BagReader.looksLikeBag(FilePath(path).appending("metadata.yaml"))
    }
}

extension LeftOut: JSONRepresentable {
    var json: JSONValue { .of(["path": path, "reason": reason]) }
}

extension [LeftOut] {
    /// A line for each of the first five, below the sum; empty where nothing was left out.
    ///
    /// - Parameter count: how many were found, with these.
    func lines(found count: Int, twice doubles: [LeftOut] = []) -> [String] {
        guard !isEmpty || !doubles.isEmpty else { return [] }
        var sum = "\(count) found, \(self.count) left out"
        if !doubles.isEmpty { sum += ", \(doubles.count) found twice" }
        let more = [(self, "left out"), (doubles, "found twice")].flatMap { list, what in
            list.prefix(5).map { "\(what): \($0.path): \($0.reason)".asOneLine }
                + (list.count > 5 ? ["and \(list.count - 5) more \(what)"] : [])
        }
        return [sum] + more
    }
}

/// A path that is neither a session nor a bag.
struct NoInputError: Error, CustomStringConvertible {
    var path: String
    var found: String

    var description: String {
        "\(path): expected a session (a folder, .zip or .tar with frames.jsonl or the files of another app's recording) "
            + "or a bag (a folder with metadata.yaml, a .db3 or .mcap file), found \(found)"
    }
}

/// Says what a path is that is neither a session nor a bag, without reading more than its first bytes.
enum UnknownInput {
    private static let ros1Magic = Array("#ROSBAG V".utf8)

    static func describe(_ path: String) -> String {
        switch FileEntry(at: path) {
        case .nothing: "nothing at this path"
        case .other(.directory): folder(path)
        case .other(let type): type.rawValue
        case .file: file(path)
        }
    }

    private static func folder(_ path: String) -> String {
        guard let directory = opendir(path) else { return "a folder that cannot be opened" }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < 1000, let name = nextName(in: directory) { names.append(name) }
        if names.isEmpty { return "an empty folder" }
        return "a folder of " + names.sorted().prefix(6).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
    }

    private static func file(_ path: String) -> String {
        guard let head = try? RegularFile.head(of: FilePath(path), byteCount: 16) else {
            return "a file that cannot be opened"
        }
        if head.starts(with: ros1Magic) {
            return "a ROS 1 bag, which rosbags-convert (of the Python package rosbags) turns into one of ROS 2"
        }
        if head.starts(with: [0x1F, 0x8B]) {
            return "a gzip file (unpack it first: only plain .zip and .tar are read)"
        }
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return "a .zip (a bag in it is read once it is unpacked)" }
        if OpenedModel.isOne(path) { return "a file to look at with `mapeverything serve`" }
        return head.isEmpty ? "an empty file" : "a file that is none of these"
    }
}
