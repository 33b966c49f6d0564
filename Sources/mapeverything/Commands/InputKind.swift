import Bags
import Glibc
import Platform
import Sessions
import SystemPackage

/// The kind of an input, for commands that take both sessions and bags.
enum InputKind: String {
    case session, bag

    /// Decides by what is there, whether or not it is sound.
    ///
    /// - Throws: a ``NoInputError`` for what is neither.
    init(_ path: String) throws(NoInputError) {
        let likeness = SessionFormats.likeness(of: path)
        if likeness == .session {
            self = .session
        } else if BagReader.looksLikeBag(FilePath(path)) {
            self = .bag
        } else if likeness == .remains {
            self = .session
        } else {
            throw NoInputError(path: path, found: UnknownInput.describe(path))
        }
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
        return head.isEmpty ? "an empty file" : "a file that is none of these"
    }
}
