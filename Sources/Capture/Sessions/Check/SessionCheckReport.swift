/// How bad a finding is.
package enum FindingSeverity: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Worth knowing, and as it should be.
    case note
    /// Nothing is lost, but something is not as a recording should be.
    case warning
    /// Something of the recording is lost or wrong.
    case error

    package static func < (left: FindingSeverity, right: FindingSeverity) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// The findings of a check of a whole session, and the data that it examined.
package struct SessionCheckReport: Sendable {
    /// All findings of one kind.
    package struct Finding: Sendable {
        package var severity: FindingSeverity
        package var kind: ProblemKind
        package var count: Int
        /// The first places, at most ``SessionCheck/placesPerKind``, in the order of the session.
        package var places: [Problem]

        /// An explanation of what happened, in words.
        package var explanation: String { kind.explanation }
        /// The advice on how to resolve the finding.
        package var advice: String { kind.advice }
    }

    package var path: String
    package var summary: SessionSummary
    package var examined: ExaminedSession
    /// Errors first, then warnings, then notes; in each by the kind's name.
    package var findings: [Finding]

    init(path: String, summary: SessionSummary, examined: ExaminedSession, diagnostics: Diagnostics) {
        self.path = path
        self.summary = summary
        self.examined = examined
        findings =
            diagnostics.entries.map { entry in
                Finding(
                    severity: entry.kind.findingSeverity,
                    kind: entry.kind,
                    count: entry.count,
                    places: entry.examples
                )
            }
            .sorted { ($1.severity, $0.kind.rawValue) < ($0.severity, $1.kind.rawValue) }
    }

    /// True if nothing is lost or wrong; there may be warnings.
    package var isSound: Bool { count(of: .error) == 0 }

    /// How many findings of a severity there are, of all kinds together.
    package func count(of severity: FindingSeverity) -> Int {
        findings.reduce(0) { $0 + ($1.severity == severity ? $1.count : 0) }
    }

    /// How many findings of a kind there are.
    package func count(of kind: ProblemKind) -> Int {
        findings.first { $0.kind == kind }?.count ?? 0
    }
}

/// How much of a session was looked at: lines read, payloads decoded.
package struct ExaminedSession: Hashable, Sendable {
    /// Lines of each stream that is there, blank ones aside.
    package var frameLines = 0
    package var motionLines = 0
    package var locationLines = 0
    package var observationLines = 0
    /// Frames that a replay would see.
    package var frames = 0
    /// Images that were decoded as a whole.
    package var images = 0
    package var depthMaps = 0
    package var confidenceMaps = 0
    package var relativeDepthMaps = 0
    package var tiles = 0

    package init() {}

    mutating func add(_ other: ExaminedSession) {
        frameLines += other.frameLines
        motionLines += other.motionLines
        locationLines += other.locationLines
        observationLines += other.observationLines
        frames += other.frames
        images += other.images
        depthMaps += other.depthMaps
        confidenceMaps += other.confidenceMaps
        relativeDepthMaps += other.relativeDepthMaps
        tiles += other.tiles
    }
}
