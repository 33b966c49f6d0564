import Glibc
import Platform
package import Recording
package import SystemPackage

/// A session in a new folder, which gets its name when it is complete: hard links to the files of the original, or copies.
struct SessionCopy {
    let files: any SessionFiles
    let archive: FilePath

    /// - Parameter fill: Fills the folder; what was begun is removed when it fails.
    func write(to output: FilePath, _ fill: (FilePath) throws -> Void) throws {
        let input = (files as? FolderFiles)?.root ?? archive
        try OutputClaim(output.string, .newFolder).check(outside: [input.string])
        let folder = try OutputFolder(creating: output)
        do {
            try fill(folder.staging)
            try folder.show()
        } catch {
            folder.discard()
            throw error
        }
    }

    /// Takes the files over that the body wants.
    func copyFiles(to folder: FilePath, where isWanted: (String) -> Bool) throws {
        var failure: (any Error)?
        files.forEachFile(inFolder: "") { file in
            guard failure == nil, isWanted(file) else { return }
            do {
                try copy(file, to: folder.appending(FilePath(file).components))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// A hard link where the file system allows it, otherwise a copy.
    private func copy(_ file: String, to destination: FilePath) throws {
        try RepairFiles.makeFolder(destination.removingLastComponent())
        if let folder = files as? FolderFiles {
            let source = folder.root.appending(FilePath(file).components)
            if linkat(AT_FDCWD, source.string, AT_FDCWD, destination.string, AT_SYMLINK_FOLLOW) == 0 { return }
        }
        var stream = try files.stream(file)
        try RepairFiles.write(to: destination) { writer in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let count = try stream.read(into: buffer)
                if count == 0 { return }
                try writer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        if let time = files.modificationTimeNanoseconds(of: file) { RepairFiles.setTime(time, of: destination) }
    }

    /// When files were written is evidence of the wall clock, which must not become the time of the copy.
    ///
    /// - Parameter hasOwnMetadata: True if metadata.json was written anew without a file of the original's.
    func keepTimes(_ folder: FilePath, hasOwnMetadata: Bool = false) {
        let whole = FolderFiles.modificationTimeNanoseconds(at: archive.string)
        let frames = files.modificationTimeNanoseconds(of: FrameLine.file) ?? whole
        let metadata = files.modificationTimeNanoseconds(of: RecordedMetadata.file) ?? frames
        if let frames { RepairFiles.setTime(frames, of: folder.appending(FrameLine.file)) }
        if let time = hasOwnMetadata ? frames : metadata {
            RepairFiles.setTime(time, of: folder.appending(RecordedMetadata.file))
        }
    }
}

/// A session with other poses, such as those of a map, in a folder of its own; everything else stays as it is.
package struct CorrectedSession: Sendable {
    /// The numbers of lines of frames.jsonl by their outcome.
    package struct Counts: Hashable, Sendable {
        /// Lines that have a pose of their own.
        package var corrected = 0
        /// Lines, of limited tracking, that were moved as the nearest corrected line before them, or the first one.
        package var moved = 0
        /// Lines that do not read, which are as they were.
        package var unreadable = 0
    }

    private let path: String
    /// The corrected world from the recorded one, by line, ascending.
    private let corrections: [(line: Int, motion: Transform)]

    /// - Parameter corrections: The corrected world from the recorded one, by line of frames.jsonl, from 1.
    package init(path: String, corrections: [Int: Transform]) {
        self.path = path
        self.corrections = corrections.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// - Throws: a ``SessionError`` or ``Problem`` when nothing can be read, a ``SessionRepairError`` when nothing can be
    ///   written; a folder that was begun is removed.
    package func write(to output: FilePath) throws -> Counts {
        let files = try SessionFormats.nativeFiles(at: path)
        let copy = SessionCopy(files: files, archive: FilePath(path))
        var counts = Counts()
        try copy.write(to: output) { folder in
            try copy.copyFiles(to: folder) { $0 != FrameLine.file }
            let mending = LineMending(file: FrameLine.file) { bytes, line in
                guard let frame = try? FrameLine.parse(bytes, line: line).frame else {
                    counts.unreadable += 1
                    return .kept
                }
                guard let motion = motion(line, &counts) else { return .kept }
                return .changed(Self.replacing(motion * frame.worldFromCamera, in: bytes), [])
            }
            try RepairFiles.write(mending, files, to: folder.appending(FrameLine.file))
            copy.keepTimes(folder)
        }
        return counts
    }

    private func motion(_ line: Int, _ counts: inout Counts) -> Transform? {
        let next = corrections.sortedIndex(where: { $0.line > line })
        guard let first = corrections.first else { return nil }
        let nearest = next > 0 ? corrections[next - 1] : first
        if nearest.line == line { counts.corrected += 1 } else { counts.moved += 1 }
        return nearest.motion
    }

    private static func replacing(_ pose: Transform, in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        func text(_ numbers: [Double]) -> [UInt8] {
            Array("[\(numbers.map { "\($0)" }.joined(separator: ","))]".utf8)
        }
        let angles = NativeLines.eulerAngles(pose.rotation)
        return JSONEditing.replacing(
            ["camera_transform": text(pose.columnMajor), "camera_euler_angles": text(angles)],
            in: bytes
        )
    }
}
