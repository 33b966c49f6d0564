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
    /// What an app exported is a surface without the frames that it was made of.
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
            "session: \(path): expected one session, found "
                + sessions.map { "\(path)/\($0)" }.joined(separator: ", ")
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
