import Platform
import Recording

/// Finds the files of frames that are in no list: the frame was recorded, and its pose is lost.
struct LostFrames {
    /// The frames that are lost to the output.
    private(set) var lost = Diagnostics()
    /// Files that lines explain which did not give a frame: these are counted as lost by themselves.
    private(set) var explained = Diagnostics()

    init(_ files: any SessionFiles, _ recipe: PayloadRecipe, _ table: FrameTable, _ list: FrameList) throws {
        let names = list.summary.frameNames
        // Lines that gave no frame explain files that no frame has.
        let refusedLines = list.refusedLineCount
        if let kind = recipe.unnamedFiles {
            try findUnnamed(files, recipe, table, names, kind, max(0, list.lineCount - table.count))
        }
        guard !recipe.numberedFiles.isEmpty else { return }
        var known: [Int] = []
        known.reserveCapacity(table.count)
        try table.forEach { known.append($0.index) }
        known.sort()
        var orphans: [(number: Int, file: String)] = []
        for (prefix, suffix) in recipe.numberedFiles {
            let (folder, start) = NumberedFile.split(prefix)
            let found = files.names(inFolder: folder) { name -> (number: Int, file: String)? in
                guard let number = NumberedFile.number(of: name, start, suffix), !known.containsSorted(number) else {
                    return nil
                }
                return (number, folder == "." ? name : "\(folder)/\(name)")
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

    /// Finds files beside those of the frames that no frame names, of which one that was lost may have been.
    private mutating func findUnnamed(
        _ files: any SessionFiles,
        _ recipe: PayloadRecipe,
        _ table: FrameTable,
        _ names: FrameNames,
        _ kind: ProblemKind,
        _ refusedLines: Int
    ) throws {
        var named = FormsOfNames()
        try table.forEach { frame in
            named.add(recipe.imageNames?(frame) ?? [])
            named.add(recipe.depth?.names(frame) ?? [])
            named.add(recipe.confidence?.names(frame) ?? [])
        }
        let orphans = named.others(in: files)
        let expected = "a frame in \(names.file) that names it"
        // A frame has a file of each kind at most, and those of a kind have one form.
        let most = orphans.max { $0.count < $1.count } ?? []
        guard kind == .lostFrame, most.count > refusedLines else {
            for file in orphans.joined() {
                explained.record(Problem(.orphanFile, file: file, expected: expected, found: "none"))
            }
            return
        }
        for file in most.dropLast(refusedLines) {
            lost.record(Problem(kind, file: file, expected: expected, found: "none"))
        }
    }

    private static func problem(_ kind: ProblemKind, _ file: String, _ list: String) -> Problem {
        Problem(kind, file: file, expected: "a frame with its number in \(list)", found: "none")
    }
}

/// The names of the files of frames, and their forms: what stands before and behind the number.
private struct FormsOfNames {
    private var hashes: [UInt64] = []
    private var forms: [(prefix: String, suffix: String)] = []

    /// More forms are none: such files have no names in common.
    private static let maximumForms = 16

    mutating func add(_ names: [String]) {
        for name in names {
            hashes.append(FolderListing.hash(name[...]))
            guard forms.count <= Self.maximumForms else { continue }
            // The number of `000012.float32` is not that of its ending.
            let end = name.lastIndex(of: ".") ?? name.endIndex
            let parts = PathColumn.parts(String(name[..<end]))
            let form = (prefix: parts.prefix, suffix: parts.suffix + name[end...])
            guard parts.number != nil, !forms.contains(where: { $0 == form }) else { continue }
            forms.append(form)
        }
    }

    /// The files of each form that are none of the names, by their numbers.
    func others(in files: any SessionFiles) -> [[String]] {
        guard forms.count <= Self.maximumForms else { return [] }
        let known = hashes.sorted()
        return forms.map { form in
            let (folder, start) = NumberedFile.split(form.prefix)
            let found = files.names(inFolder: folder) { name -> (number: Int, file: String)? in
                let path = folder == "." ? name : "\(folder)/\(name)"
                guard let number = NumberedFile.number(of: name, start, form.suffix),
                    !known.containsSorted(FolderListing.hash(path[...]))
                else { return nil }
                return (number, path)
            }
            return found.sorted { ($0.number, $0.file) < ($1.number, $1.file) }.map(\.file)
        }
    }
}
