import Glibc
package import SystemPackage

/// A kind of thing that is written at a path, and how one that is there is known to be of this kind and made by us.
package struct OutputKind: Sendable {
    /// A file or a folder that a run makes beside the path, before the thing gets its name.
    package struct WorkingName: Sendable {
        package let suffix: String
        /// True for one that a run has left that is over: it is replaced.
        let isLeftover: @Sendable (FilePath) -> Bool

        package init(_ suffix: String, isLeftover: @escaping @Sendable (FilePath) -> Bool) {
            (self.suffix, self.isLeftover) = (suffix, isLeftover)
        }

        /// The folder of an ``OutputFolder``.
        package static let folder = WorkingName(OutputFolder.suffix) { UnfinishedFolder.isLeftover($0) }
    }

    /// With its article, as errors name it.
    package let name: String
    package let type: FileType
    package var working: [WorkingName] = []
    /// True for streams that the process has, pipes and devices too, which are written as they are.
    package var takesStreams = false
    /// True for a folder that is not replaced, but gets more in it.
    package var isAddedTo = false
    /// True for one that a run may replace; it has the type.
    package let isOurs: @Sendable (FilePath) -> Bool

    package init(name: String, type: FileType, isOurs: @escaping @Sendable (FilePath) -> Bool) {
        (self.name, self.type, self.isOurs) = (name, type, isOurs)
    }

    /// A kind of file that its first bytes tell; an empty one is one, too.
    ///
    /// - Parameter isMarked: true if the name of this program is among the first bytes of one that it made.
    package init(name: String, starts: [String], isMarked: Bool = false) {
        self.init(name: name, starts: starts.map { Array($0.utf8) }, isMarked: isMarked)
    }

    package init(name: String, starts: [[UInt8]], isMarked: Bool = false) {
        self.init(name: name, type: .regular) { path in
            guard let head = try? RegularFile.head(of: path, byteCount: 1024) else { return false }
            if head.isEmpty { return true }
            return starts.contains { head.starts(with: $0) }
                && (!isMarked || head.contains(Array("mapeverything".utf8)))
        }
    }

    /// The same of a thing that is made in a folder beside the path first.
    package var madeInFolder: OutputKind {
        var kind = self
        kind.working.append(.folder)
        return kind
    }

    /// A folder that must be new.
    package static let newFolder = OutputKind(name: "a folder", type: .directory) { _ in false }.madeInFolder

    /// A folder that a command has made, as a file in it says, and that is as it was made.
    ///
    /// The file is one of the last that is written. What was added or changed later has a younger ctime, which no copying tool can
    /// set; a folder that holds such a file is not replaced.
    ///
    /// - Parameter marks: what the file says among its first 64 KiB.
    package static func madeFolder(_ name: String, by file: String, saying marks: [String]) -> OutputKind {
        OutputKind(name: name, type: .directory) { path in
            let mark = path.appending(file)
            guard let head = try? RegularFile.head(of: mark, byteCount: 1 << 16),
                let times = FileTimes(of: mark), times.changed - times.written <= FileTimes.second,
                // The last that a run does in the folder comes after it.
                let folder = FileTimes(of: path), times.changed <= folder.written + FileTimes.second
            else { return false }
            let text = String(decoding: head, as: UTF8.self)
            return marks.allSatisfy { text.contains($0) } && !holdsYounger(path, than: times.changed + FileTimes.second)
        }.madeInFolder
    }

    private static func holdsYounger(_ folder: FilePath, than limit: Int64, depth: Int = 0) -> Bool {
        guard depth < 64, let names = try? directoryEntries(folder) else { return true }
        return names.contains { name in
            let path = folder.appending(name)
            guard let times = FileTimes(of: path), times.changed <= limit else { return true }
            return times.isFolder && holdsYounger(path, than: limit, depth: depth + 1)
        }
    }

    /// A folder that more is put into.
    package static let sharedFolder: OutputKind = {
        var kind = OutputKind(name: "a folder", type: .directory) { _ in true }
        kind.isAddedTo = true
        return kind
    }()

    /// A file that must be new.
    package static let newFile = OutputKind(name: "a file", type: .regular) { _ in false }

    package static let page = OutputKind(
        name: "an HTML page of ours",
        starts: ["<!doctype html", "<!DOCTYPE html"],
        isMarked: true
    )
    package static let json = OutputKind(name: "a map of tags of ours", starts: ["{"], isMarked: true)
    package static let picture = OutputKind(name: "an SVG picture", starts: ["<svg", "<?xml"])
    package static let graph = OutputKind(name: "a pose graph", starts: ["VERTEX_SE3"])

    /// A line of numbers for each pose; comments may stand before them.
    package static let trajectory = OutputKind(name: "a trajectory", type: .regular) { path in
        guard let head = try? RegularFile.head(of: path, byteCount: 4096) else { return false }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        guard let line = lines.first else { return head.isEmpty || head.starts(with: "#".utf8) }
        let numbers = line.split(separator: " ")
        // The 8 of TUM, the 12 of KITTI.
        return [8, 12].contains(numbers.count) && numbers.allSatisfy { Double($0) != nil }
    }
}

/// When a file was written, and when anything about it changed, in nanoseconds of Unix time; links are not followed.
private struct FileTimes {
    static let second: Int64 = 1_000_000_000

    let written: Int64
    let changed: Int64
    let isFolder: Bool

    init?(of path: FilePath) {
        var information = stat()
        guard lstat(path.string, &information) == 0 else { return nil }
        func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* Self.second &+ Int64(time.tv_nsec) }
        (written, changed) = (nanoseconds(information.st_mtim), nanoseconds(information.st_ctim))
        isFolder = information.st_mode & S_IFMT == S_IFDIR
    }
}
