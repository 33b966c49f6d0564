package import Recording
package import SystemPackage

/// A session with other poses, such as those of a map, in a folder of its own; everything else stays as it is.
package struct CorrectedSession: Sendable {
    /// What became of the lines of frames.jsonl.
    package struct Counts: Hashable, Sendable {
        /// Lines that have a pose of their own.
        package var corrected = 0
        /// Lines, of limited tracking, that were moved as the nearest corrected line before them, or the first one.
        package var moved = 0
        /// Lines that do not read, which are as they were.
        package var unreadable = 0
    }

    private let path: String
    /// By line, ascending: the corrected world from the recorded one.
    private let corrections: [(line: Int, motion: Transform)]

    /// - Parameter corrections: By line of frames.jsonl, from 1: the corrected world from the recorded one.
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
        let next = corrections.firstIndex(sortedWhere: { $0.line > line })
        guard let first = corrections.first else { return nil }
        let nearest = next > 0 ? corrections[next - 1] : first
        if nearest.line == line { counts.corrected += 1 } else { counts.moved += 1 }
        return nearest.motion
    }

    private static func replacing(_ pose: Transform, in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        func text(_ numbers: [Double]) -> [UInt8] {
            Array("[\(numbers.map { "\($0)" }.joined(separator: ","))]".utf8)
        }
        // Pitch, yaw and roll as ARKit has them: yaw about y first, then pitch about x, then roll about z.
        let (c0, c1, c2) = pose.rotation.columns
        let angles = [arcSine(-c2.y), arcTangent(c2.x, c2.z), arcTangent(c0.y, c1.y)]
        return JSONEditing.replacing(
            ["camera_transform": text(pose.columnMajor), "camera_euler_angles": text(angles)],
            in: bytes
        )
    }
}
