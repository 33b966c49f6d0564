import Recording

/// Finds payload files that no line of frames.jsonl names: left by a crash between file and line, or by an older run.
enum OrphanSearch {
    static func run(files: any SessionFiles, frameCount: Int, supersededLines: Set<Int>) -> Diagnostics {
        var known = Set<Int>(minimumCapacity: frameCount)
        if var reader = (try? files.stream(FrameLine.file)).map({ LineReader($0) }) {
            while let line = try? reader.next() {
                guard case .text = line else { continue }
                let index = reader.withLine { bytes in FrameLine.index(of: bytes) }
                if let index { known.insert(index) }
            }
        }
        var diagnostics = Diagnostics()
        for name in names(files: files, known: known) { diagnostics.record(problem(name)) }
        return diagnostics
    }

    /// The payloads of frames that are not known, folder by folder, sorted in each.
    static func names(files: any SessionFiles, known: Set<Int>) -> [String] {
        var orphans: [String] = []
        for (folder, ending) in [
            ("rgb", ".jpg"), ("depth", ".bin"), ("confidence", ".bin"), ("relative_depth", ".bin"),
        ] {
            var names: [String] = []
            files.forEachName(inFolder: folder) { name in
                guard name.hasSuffix(ending), let index = Int(name.dropLast(ending.count)) else { return true }
                if !known.contains(index) { names.append("\(folder)/\(name)") }
                return true
            }
            orphans += names.sorted()
        }
        return orphans
    }

    static func problem(_ file: String) -> Problem {
        Problem(.orphanFile, file: file, expected: "a line in frames.jsonl with its number", found: "none")
    }
}
