import Recording

extension SessionSummary {
    /// Which payloads there are, by the names in their folders and all frames of the list: how many frames should have
    /// one, how many have, and the size of depth by a map that reads.
    ///
    /// Of what should be there and is not there at all, one problem is recorded; what single frames lack is counted where
    /// they are read.
    mutating func findPayloads(
        _ files: any SessionFiles,
        _ recipe: PayloadRecipe,
        _ table: FrameTable,
        _ diagnostics: inout Diagnostics
    ) throws {
        var walk = PayloadWalk(files, recipe)
        try table.forEach { walk.add($0) }
        payloads = walk.accounts
        (hasImages, hasDepth, hasConfidence) = (walk.has(.images), walk.has(.depth), walk.has(.confidence))
        if let video = recipe.video { imageSource = video.file.text }
        if hasDepth {
            framesThatMayHaveDepth = frameCount
            let loader = FrameListPayloads(files: files, recipe: recipe, summary: self)
            // The first one that reads; broken ones are counted where they are used.
            let sample = walk.firstDepth + walk.depth.items
            depthSize =
                sample.lazy.compactMap { loader.depthSize(of: $0) }.first ?? GridSize(width: 256, height: 192)
        }
        for kind in PayloadKind.allCases {
            guard let account = payloads[kind], account.isAbsent, !account.isSaid else { continue }
            payloads[kind]?.isSaid = true
            // A video that is there and does not read has been named.
            if kind == .images, imageAbsence != nil { continue }
            let expected = walk.expected(kind)
            diagnostics.record(Problem(.streamMissing, file: kind.rawValue, expected: expected, found: account.text))
        }
    }
}

/// Counts the payloads of frames.
private struct PayloadWalk {
    private(set) var accounts: [PayloadKind: PayloadAccount] = [:]
    /// Some frames with depth: the first ones, and others of the whole recording.
    private(set) var firstDepth: [FrameReference] = []
    private(set) var depth = SpreadSample<FrameReference>(limit: 8)

    private let files: any SessionFiles
    private let recipe: PayloadRecipe
    private var listing: FolderListing
    /// Kinds of which one file holds something.
    private var filled: Set<PayloadKind> = []
    /// The name that the first frame with a name would have.
    private var firstNames: [PayloadKind: String] = [:]

    init(_ files: any SessionFiles, _ recipe: PayloadRecipe) {
        self.files = files
        self.recipe = recipe
        listing = FolderListing(files)
        accounts[.images] = PayloadAccount(recipe.imagePromise)
        if let depth = recipe.depth { accounts[.depth] = PayloadAccount(depth.promise) }
        if let confidence = recipe.confidence { accounts[.confidence] = PayloadAccount(confidence.promise) }
    }

    mutating func add(_ frame: FrameReference) {
        if let video = recipe.video {
            // Rows without a picture are counted by the pairing.
            if video.pairing.sample(of: frame) != nil { countImage(true) }
        } else if let names = recipe.imageNames {
            _ = count(.images, names(frame))
        } else if frame.hasImage {
            countImage(false)
        }
        guard let source = recipe.depth, count(.depth, source.names(frame)) else { return }
        if firstDepth.count < 8 { firstDepth.append(frame) } else { depth.add(frame) }
        if let source = recipe.confidence { _ = count(.confidence, source.names(frame)) }
    }

    /// Whether there is anything to read of a kind.
    func has(_ kind: PayloadKind) -> Bool { filled.contains(kind) }

    /// What should be there, in words.
    func expected(_ kind: PayloadKind) -> String {
        let name = firstNames[kind] ?? (kind == .images ? recipe.videoName : nil) ?? "a file"
        let video = kind == .images && firstNames[kind] != nil ? recipe.videoName.map { "\($0), or " } ?? "" : ""
        switch accounts[kind]?.promise {
        case .any: return "some, such as \(name)"
        default: return "\(video)\(name)" + (firstNames[kind] == nil ? "" : " and the others")
        }
    }

    private mutating func countImage(_ isThere: Bool) {
        accounts[.images]?.count(isThere)
        if isThere { filled.insert(.images) }
    }

    /// Whether the frame has a file of the kind.
    private mutating func count(_ kind: PayloadKind, _ names: [String]) -> Bool {
        guard let first = names.first else { return false }
        if firstNames[kind] == nil { firstNames[kind] = first }
        let isThere = listing.contains(anyOf: names)
        accounts[kind]?.count(isThere)
        guard isThere else { return false }
        if !filled.contains(kind), names.contains(where: { files.size(of: $0) ?? 0 > 0 }) { filled.insert(kind) }
        return true
    }
}
