import Files
import Recording

/// Finds the files of frames that are in no list: the frame was recorded, and its pose is lost.
struct LostFrames {
    /// What is lost to the output.
    private(set) var lost = Diagnostics()
    /// Files that lines explain which did not give a frame: these are counted as lost by themselves.
    private(set) var explained = Diagnostics()

    /// - Parameter refusedLines: Lines of the list that give no frame and do not say which.
    init(
        _ files: any SessionFiles,
        _ recipe: PayloadRecipe,
        _ table: FrameTable,
        _ names: FrameNames,
        refusedLines: Int
    ) throws {
        guard !recipe.numberedFiles.isEmpty else { return }
        var known: [Int] = []
        known.reserveCapacity(table.count)
        try table.forEach { known.append($0.index) }
        known.sort()
        var orphans: [(number: Int, file: String)] = []
        for (prefix, suffix) in recipe.numberedFiles {
            let (folder, start) = NumberedFile.split(prefix)
            var found: [(number: Int, file: String)] = []
            files.forEachName(inFolder: folder) { name in
                if let number = NumberedFile.number(of: name, start, suffix), !known.containsSorted(number) {
                    found.append((number, folder == "." ? name : "\(folder)/\(name)"))
                }
                return true
            }
            orphans += found.sorted { ($0.number, $0.file) < ($1.number, $1.file) }
        }
        if let listFile = recipe.listFile { orphans.removeAll { files.entry(listFile($0.number)) != .nothing } }
        guard !orphans.isEmpty else { return }
        var first: [Int: String] = [:]
        for orphan in orphans where first[orphan.number] == nil { first[orphan.number] = orphan.file }
        let refused = recipe.listFile == nil ? refusedLines : 0
        if first.count <= refused {
            for orphan in orphans { explained.record(Self.problem(.orphanFile, orphan.file, names.file)) }
            return
        }
        for (place, frame) in first.sorted(by: { $0.key < $1.key }).enumerated() where place < first.count - refused {
            let place = recipe.listFile?(frame.key) ?? "a frame with its number in \(names.file)"
            lost.record(Problem(.lostFrame, file: frame.value, expected: place, found: "none"))
        }
    }

    private static func problem(_ kind: ProblemKind, _ file: String, _ list: String) -> Problem {
        Problem(kind, file: file, expected: "a frame with its number in \(list)", found: "none")
    }
}
