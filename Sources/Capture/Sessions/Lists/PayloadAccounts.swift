import Platform
import Recording

/// The kinds of files that frames have.
package enum PayloadKind: String, Hashable, Sendable, CaseIterable, Comparable {
    case images
    case depth
    case confidence

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The problem of a frame that has lost its file.
    var loss: ProblemKind {
        switch self {
        case .images: .missingImage
        case .depth: .missingDepth
        case .confidence: .missingConfidence
        }
    }
}

/// How many frames should have a file of one kind, and how many have one: counted over the whole recording.
package struct PayloadAccount: Hashable, Sendable {
    /// The promise of a format or a list about one kind of file.
    package enum Promise: Hashable, Sendable {
        /// Frames may have one.
        case free
        /// All frames have one, or none has.
        case allOrNone
        /// At least one frame has one.
        case any
        /// Each frame has one: of a list that names files, each for which it names one.
        case each
    }

    package var promise = Promise.free
    /// Frames that may have one; of a list that names files, those for which it names one.
    package var possible = 0
    /// Frames that have one.
    package var found = 0
    /// True if missing files stand among the problems of the opened session already.
    package var isSaid = false

    package init(_ promise: Promise = .free) { self.promise = promise }

    /// Counts a frame that may have one.
    mutating func count(_ isThere: Bool) {
        possible += 1
        if isThere { found += 1 }
    }

    /// Of confidence, where the layout may have it and no depth has any.
    var confidenceProblem: Problem? {
        guard promise != .each, possible > 0, found == 0 else { return nil }
        let expected = "confidence of \(possible) depth maps"
        return Problem(.noConfidence, file: PayloadKind.confidence.rawValue, expected: expected, found: "none")
    }

    /// Counts files that are there and hold nothing as lost.
    mutating func hollow() { (promise, possible, found) = (.each, found, 0) }

    /// True if a frame without one has lost it.
    package var isExpectedOfEach: Bool { promise == .each || promise == .allOrNone && found > 0 }

    /// Frames that have lost theirs.
    package var missing: Int {
        isExpectedOfEach || promise == .any && found == 0 ? max(0, possible - found) : 0
    }

    /// True if the recording should have such files, and has none at all.
    package var isAbsent: Bool { found == 0 && missing > 0 }

    /// Frames that have one, or should have.
    package var expected: Int { found + missing }

    /// `12`, `29 of 30`, `none of 30`.
    package var text: String {
        if missing == 0 { return "\(found)" }
        return "\(found == 0 ? "none" : "\(found)") of \(expected)"
    }
}

extension SessionSummary {
    /// The files that frames have lost, beyond those counted when the session was opened: they are counted by
    /// name where the frames are read.
    package var uncountedLosses: [(kind: PayloadKind, account: PayloadAccount)] {
        payloads.filter { !$0.value.isSaid && $0.value.missing > 0 }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Why there is nothing of a kind.
    package func absence(of kind: PayloadKind) -> String {
        let account = payloads[kind] ?? PayloadAccount()
        return "the session has no \(kind.rawValue)" + (account.isAbsent ? ": \(account.text) is there" : "")
    }
}

extension SessionSummary {
    /// Which payloads there are, by the names in their folders and all frames of the list: how many frames should have
    /// one, how many have, and the size of depth by a map that reads.
    ///
    /// A kind of file that should be there and is not there at all is one problem; files that single frames lack are counted where
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
            let isHollow = payloads[kind].map { $0.found > 0 && !walk.has(kind) } ?? false
            if isHollow { payloads[kind]?.hollow() }
            guard let account = payloads[kind], account.isAbsent, !account.isSaid else { continue }
            payloads[kind]?.isSaid = true
            // A video that is there and does not read has been named.
            if kind == .images, imageAbsence != nil { continue }
            let found = isHollow ? "\(account.possible) that hold nothing" : account.text
            let problem = Problem(.streamMissing, file: kind.rawValue, expected: walk.expected(kind), found: found)
            diagnostics.record(problem)
        }
        if let problem = payloads[.confidence]?.confidenceProblem { diagnostics.record(problem) }
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
        guard let source = recipe.depth, count(.depth, source.names(frame)) else {
            // Confidence is that of depth, which is lost then.
            if let names = recipe.confidence?.names(frame), !names.isEmpty, listing.contains(anyOf: names) {
                accounts[.depth]?.promise = .each
            }
            return
        }
        if firstDepth.count < 8 { firstDepth.append(frame) } else { depth.add(frame) }
        if let source = recipe.confidence { _ = count(.confidence, source.names(frame)) }
    }

    /// True if there is anything to read of a kind.
    func has(_ kind: PayloadKind) -> Bool { filled.contains(kind) }

    /// The expected files, in words.
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

    /// True if the frame has a file of the kind.
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
