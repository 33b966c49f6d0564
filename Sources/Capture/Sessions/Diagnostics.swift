import Platform
package import Recording

/// Problems that did not stop the run: each kind is counted, the first few of each are kept by name.
package struct Diagnostics: Sendable {
    package struct Entry: Sendable {
        package var kind: ProblemKind
        package var count: Int
        /// The first ones, in the order in which they were met.
        package var examples: [Problem]

        /// What happened, in words, and how often.
        package var sentence: String { kind.explanation + (count > 1 ? " (\(count) times)" : "") }
    }

    /// How many problems of a kind are kept with their place; the others are only counted.
    package static let examplesPerKind = 5

    private var byKind: [ProblemKind: Entry] = [:]

    package init() {}

    package mutating func record(_ problem: Problem, count: Int = 1) {
        var entry = byKind[problem.kind] ?? Entry(kind: problem.kind, count: 0, examples: [])
        entry.count += count
        if entry.examples.count < Self.examplesPerKind { entry.examples.append(problem) }
        byKind[problem.kind] = entry
    }

    package mutating func append(_ other: Diagnostics) {
        for entry in other.entries {
            var mine = byKind[entry.kind] ?? Entry(kind: entry.kind, count: 0, examples: [])
            mine.count += entry.count
            mine.examples += entry.examples.prefix(max(0, Self.examplesPerKind - mine.examples.count))
            byKind[entry.kind] = mine
        }
    }

    /// Sorted by the kind's name.
    package var entries: [Entry] { byKind.values.sorted { $0.kind < $1.kind } }

    package var isEmpty: Bool { byKind.isEmpty }

    package func count(of kind: ProblemKind) -> Int { byKind[kind]?.count ?? 0 }

    /// How many problems cost the output something.
    package var lostCount: Int {
        byKind.values.reduce(0) { $0 + ($1.kind.severity == .lost ? $1.count : 0) }
    }
}

/// The names of a recording for its frames and their values: problems name the place in its own words.
package struct FrameNames: Sendable {
    /// The file that all frames are listed in, or the pattern of their files where each has its own.
    package var file: String
    package var time = "timestamp"
    package var transform = "camera_transform"
    package var intrinsics = "camera_intrinsics"
    package var tracking = "tracking_state"
    package var orientation = "device_orientation"
    package var depthSize = "depth_resolution"
    /// The file of a frame where each has its own.
    package var ownFile: (@Sendable (FrameReference) -> String)?

    /// The file and the line that say what is known of a frame.
    package func place(of frame: FrameReference) -> (file: String, line: Int?) {
        if let ownFile { return (ownFile(frame), nil) }
        return (file, frame.line)
    }

    /// `line 12`, or the frame's own file.
    package func text(_ frame: FrameReference) -> String { ownFile.map { $0(frame) } ?? "line \(frame.line)" }

    /// Something wrong with a frame, at its place.
    package func problem(
        _ kind: ProblemKind,
        _ frame: FrameReference,
        _ field: KeyPath<FrameNames, String>? = nil,
        expected: String,
        found: String
    ) -> Problem {
        let (file, line) = place(of: frame)
        let key = field.map { self[keyPath: $0] }
        return Problem(kind, file: file, line: line, field: key, expected: expected, found: found)
    }
}

/// Why a session cannot be read at all.
package enum SessionError: Error, Sendable, CustomStringConvertible {
    /// Nothing is at the path.
    case notFound(path: String)
    /// The path cannot be opened or read.
    case unreadable(path: String, reason: String)
    /// Something is there, but it is no session.
    case notASession(path: String, found: String)
    /// An archive holds more than one session.
    case ambiguous(path: String, sessions: [String])
    /// An app exported a surface without the frames that it was made of.
    case meshExport(path: String, file: String)
    /// A recording of another app, which only its own app writes.
    case onlyNativeIsRepaired(path: String, format: String)
    /// The list of frames is there, but no line of it is a usable frame.
    case noUsableFrame(path: String, file: String, lines: Int, first: Problem?)
    /// The archive itself is damaged or hostile.
    case badArchive(path: String, reason: String)

    package var description: String {
        switch self {
        case .notFound(let path):
            "session: \(path): expected a session folder or archive, found nothing at this path"
        case .unreadable(let path, let reason):
            "session: \(path): expected a readable session, found: \(reason)"
        case .notASession(let path, let found):
            "session: \(path): expected a folder, .zip or .tar with frames.jsonl or the files of another app's "
                + "recording (docs/sessions.md), found \(found)"
        case .ambiguous(let path, let sessions) where sessions.count == 1:
            "session: \(path): expected a session, found a folder that holds one: \(sessions[0])"
        case .ambiguous(let path, let sessions):
            "session: \(path): expected one session, found \(sessions.count): "
                + sessions.prefix(5).map { "\(path)/\($0)" }.someNames(of: sessions.count)
        case .meshExport(let path, let file):
            "session: \(path): expected a recording with its frames, found an exported mesh or cloud (\(file)); "
                + "export the frames: 3D Scanner App: Share, All Data; Polycam: developer mode before the "
                + "capture, then Export, Raw Data; Record3D: EXR + JPG sequence or .r3d; "
                + "of ARKitScenes fetch lowres_wide.traj, lowres_depth, confidence, lowres_wide and lowres_wide_intrinsics"
        case .onlyNativeIsRepaired(let path, let format):
            "session: \(path): expected a session of the native format, found a recording of \(format): only its own "
                + "app writes that, and what is damaged in it is passed over when it is read"
        case .noUsableFrame(let path, let file, let lines, let first):
            "session: \(path): \(file): expected at least one usable frame, found "
                + (lines == 0 ? "no line" : "\(lines) lines and none usable")
                + (first.map { " (first problem: \($0))" } ?? "")
        case .badArchive(let path, let reason):
            "session: \(path): expected a sound archive, found: \(reason)"
        }
    }
}
