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
    /// frames.jsonl is there, but no line of it is a usable frame.
    case noUsableFrame(path: String, lines: Int, first: Problem?)
    /// The archive itself is damaged or hostile.
    case badArchive(path: String, reason: String)

    package var description: String {
        switch self {
        case .notFound(let path):
            "session: \(path): expected a session folder or archive, found nothing at this path"
        case .unreadable(let path, let reason):
            "session: \(path): expected a readable session, found: \(reason)"
        case .notASession(let path, let found):
            "session: \(path): expected a folder, .zip or .tar with frames.jsonl, found \(found)"
        case .ambiguous(let path, let sessions) where sessions.count == 1:
            "session: \(path): expected a session, found a folder that holds one: \(sessions[0])"
        case .ambiguous(let path, let sessions):
            "session: \(path): expected one session, found \(sessions.joined(separator: ", "))"
        case .noUsableFrame(let path, let lines, let first):
            "session: \(path): frames.jsonl: expected at least one usable frame, found "
                + (lines == 0 ? "no line" : "\(lines) lines and none usable")
                + (first.map { " (first problem: \($0))" } ?? "")
        case .badArchive(let path, let reason):
            "session: \(path): expected a sound archive, found: \(reason)"
        }
    }
}
