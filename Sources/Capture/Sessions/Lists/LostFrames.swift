import Platform
import Recording

/// Finds the files of frames that are in no list: the frame was recorded, and its pose is lost.
struct LostFrames {
    /// The frames that are lost to the output.
    private(set) var lost = Diagnostics()
    /// Files that lines explain which did not give a frame: these are counted as lost by themselves.
    private(set) var explained = Diagnostics()

    /// - Parameter payloads: What frames have, and what they lack.
    init(
        _ files: any SessionFiles,
        _ recipe: PayloadRecipe,
        _ table: FrameTable,
        _ list: FrameList,
        _ payloads: [PayloadKind: PayloadAccount]
    ) throws {
        let names = list.summary.frameNames
        // Lines that gave no frame explain files that no frame has.
        let refusedLines = list.refusedLineCount
        if let kind = recipe.unnamedFiles {
            try findUnnamed(files, recipe, table, names, payloads, kind, max(0, list.lineCount - table.count))
        }
        guard !recipe.numberedFiles.isEmpty else { return }
        var known: [Int] = []
        known.reserveCapacity(table.count)
        try table.forEach { known.append($0.index) }
        known.sort()
        var orphans: [(number: Int, file: String)] = []
        for (prefix, suffix) in recipe.numberedFiles {
            orphans += Self.numbered(files, prefix, suffix) { number, _ in !known.containsSorted(number) }
        }
        if let listFile = recipe.listFile { orphans.removeAll { files.entry(listFile($0.number)) != .nothing } }
        guard !orphans.isEmpty else { return }
        var first: [Int: String] = [:]
        for orphan in orphans where first[orphan.number] == nil { first[orphan.number] = orphan.file }
        let refused = recipe.listFile == nil ? refusedLines : 0
        if first.count <= refused {
            let expected = "a frame with its number in \(names.file)"
            for orphan in orphans { explained.record(Self.problem(.orphanFile, orphan.file, expected)) }
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
        _ payloads: [PayloadKind: PayloadAccount],
        _ kind: ProblemKind,
        _ refusedLines: Int
    ) throws {
        var named: [PayloadKind: FormsOfNames] = [:]
        try table.forEach { frame in
            named[.images, default: FormsOfNames()].add(recipe.imageNames?(frame) ?? [])
            named[.depth, default: FormsOfNames()].add(recipe.depth?.names(frame) ?? [])
            named[.confidence, default: FormsOfNames()].add(recipe.confidence?.names(frame) ?? [])
        }
        let expected = "a frame in \(names.file) that names it"
        var lostOnes: [String] = []
        for kind in named.keys.sorted() {
            let others = named[kind]?.others(in: files) ?? []
            for file in others { explained.record(Self.problem(.orphanFile, file, expected)) }
            // A path that leads nowhere is that of a frame that is there.
            let ones = others.dropLast((payloads[kind]?.missing ?? 0) + refusedLines)
            if ones.count > lostOnes.count { lostOnes = Array(ones) }
        }
        guard kind == .lostFrame, !lostOnes.isEmpty else { return }
        explained = Diagnostics()
        for file in lostOnes { lost.record(Self.problem(kind, file, expected)) }
    }

    /// The files whose names are a number between two fixed texts, by their numbers.
    fileprivate static func numbered(
        _ files: any SessionFiles,
        _ prefix: String,
        _ suffix: String,
        where isWanted: (_ number: Int, _ file: String) -> Bool
    ) -> [(number: Int, file: String)] {
        let (folder, start) = NumberedFile.split(prefix)
        let found = files.names(inFolder: folder) { name -> (number: Int, file: String)? in
            guard let number = NumberedFile.number(of: name, start, suffix) else { return nil }
            let file = folder == "." ? name : "\(folder)/\(name)"
            return isWanted(number, file) ? (number, file) : nil
        }
        return found.sorted { ($0.number, $0.file) < ($1.number, $1.file) }
    }

    private static func problem(_ kind: ProblemKind, _ file: String, _ expected: String) -> Problem {
        Problem(kind, file: file, expected: expected, found: "none")
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

    /// The files of the forms that are none of the names, by their numbers.
    func others(in files: any SessionFiles) -> [String] {
        guard forms.count <= Self.maximumForms else { return [] }
        let known = hashes.sorted()
        return forms.flatMap { form in
            LostFrames.numbered(files, form.prefix, form.suffix) { _, file in
                !known.containsSorted(FolderListing.hash(file[...]))
            }.map(\.file)
        }
    }
}
