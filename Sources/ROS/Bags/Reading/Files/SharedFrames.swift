import Platform
package import SystemPackage

/// Files of a bag that go on in the Zstandard frame of an earlier one, as rosbag2 of Jazzy writes some
/// (``ZstandardEnding``).
package enum SharedFrames {
    /// True if a file is named as a compressed one and begins in the middle of a frame.
    package static func isHeadless(_ path: FilePath) -> Bool {
        guard path.lastComponent?.string.hasSuffix(BagFileSelection.packedSuffix) == true, FileKind(of: path) == .other
        else { return false }
        return ending(of: path) != .cut
    }

    /// How a file ends that begins with a frame, or in the middle of one.
    static func ending(of path: FilePath) -> ZstandardEnding {
        (try? ZstandardEnding(of: path, isInFrame: FileKind(of: path) != .zstd)) ?? .cut
    }

    /// The files that lead to a headless one: the first has a frame header, and the frame of each goes on in the next.
    struct Chain {
        var files: [FilePath]
        /// True if it may go on from another file as well, which its content did not rule out.
        var isAmbiguous = false
    }

    /// Finds the files beside a headless one that lead to it; nil where there are none.
    ///
    /// A file goes on in one file at most, and with several threads only the content tells in which: what is decompressed
    /// behind another file has wrong bytes wherever it repeats some of before.
    ///
    /// - Parameter limit: How large a file may become.
    static func chain(to path: FilePath, limit: Int) -> Chain? {
        let parent = path.removingLastComponent()
        let directory = parent.isEmpty ? FilePath(".") : parent
        let names = ((try? directoryEntries(directory)) ?? []).filter {
            $0.hasSuffix(BagFileSelection.packedSuffix) && FileKind.isStorageName($0)
        }
        var open: [Chain] = []
        for name in FileKind.inOrderOfNumbers(names) {
            let file = directory.appending(name)
            guard FileType(of: file) == .regular else { continue }
            var chain = Chain(files: [])
            if FileKind(of: file) != .zstd {
                guard isHeadless(file), let place = place(of: file, in: open, limit) else { continue }
                chain = open.remove(at: place.index)
                chain.isAmbiguous = chain.isAmbiguous || place.isAmbiguous
            }
            if name == path.lastComponent?.string { return chain.files.isEmpty ? nil : chain }
            guard ending(of: file) == .unterminated else { continue }
            chain.files.append(file)
            open.append(chain)
        }
        return nil
    }

    /// Which chain a file goes on from: the only one, or the last one behind which its content is sound.
    private static func place(of file: FilePath, in open: [Chain], _ limit: Int) -> (index: Int, isAmbiguous: Bool)? {
        guard open.count > 1 else { return open.isEmpty ? nil : (0, false) }
        let sound = open.indices.reversed().filter { isSound(file, goingOnFrom: open[$0].files, limit) }
        return sound.first.map { ($0, sound.count > 1) }
    }

    private static func isSound(_ file: FilePath, goingOnFrom previous: [FilePath], _ limit: Int) -> Bool {
        guard let plain = try? NamelessFile() else { return false }
        do {
            try ZstandardFile.decompress(
                file,
                to: plain.descriptorPath,
                limit: limit,
                keepsPart: true,
                goingOnFrom: previous
            )
        } catch {
            guard (error as? CompressionError)?.isCut == true else { return false }
        }
        let isSound = try? plain.withName { name in
            switch FileKind(of: name) {
            case .sqlite:
                let check = try SQLiteDatabase(opening: name, access: .immutable).prepare("PRAGMA integrity_check(1)")
                return try check.step() && check.text(at: 0) == "ok"
            case .mcap:
                var walk = try MCAPWalk(MCAPFileSource(opening: name))
                while let item = try walk.next() { if !item.problems.isEmpty { return false } }
                return walk.problems.list.isEmpty
            default: return false
            }
        }
        return isSound ?? false
    }
}
