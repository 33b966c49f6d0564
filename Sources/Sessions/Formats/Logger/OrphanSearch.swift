import Capture

/// Finds payload files that no line of frames.jsonl names: left by a crash between file and line, or by an older run.
enum OrphanSearch {
    static func run(files: any SessionFiles, frameCount: Int, supersededLines: Set<Int>) -> Diagnostics {
        var known = Set<Int>(minimumCapacity: frameCount)
        if var reader = (try? files.stream(FrameFields.file)).map({ LineReader($0) }) {
            while let line = try? reader.next() {
                guard case .text = line else { continue }
                let index = reader.withLine { bytes in FrameParser.index(bytes) }
                if let index { known.insert(index) }
            }
        }
        var diagnostics = Diagnostics()
        for (folder, ending) in [
            ("rgb", ".jpg"), ("depth", ".bin"), ("confidence", ".bin"), ("relative_depth", ".bin"),
        ] {
            var orphans: [String] = []
            files.forEachName(inFolder: folder) { name in
                guard name.hasSuffix(ending), let index = Int(name.dropLast(ending.count)) else { return true }
                if !known.contains(index) { orphans.append(name) }
                return true
            }
            for name in orphans.sorted() {
                diagnostics.record(
                    Problem(
                        .orphanFile,
                        file: "\(folder)/\(name)",
                        expected: "a line in frames.jsonl with its number",
                        found: "none"
                    )
                )
            }
        }
        return diagnostics
    }
}
