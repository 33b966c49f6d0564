package import SystemPackage

/// What a repair did to a session: what was mended, what is lost, and what is left.
package struct SessionRepairReport: Sendable {
    /// Lines of one stream.
    package struct Stream: Hashable, Sendable {
        package var file: String
        package var keptLines: Int
        package var leftOutLines: Int
    }

    /// What became of metadata.json.
    package enum Metadata: String, Sendable {
        case kept
        /// Its frameCount was wrong.
        case corrected
        /// It was missing, did not read, or belonged to another session, and was made up from the frames.
        case written
    }

    /// Where the mended session is; `nil` if there was nothing to mend, and nothing was written.
    package var output: FilePath?
    /// Of a repair in place: the folder of the session that holds everything that was left out.
    package var setAside: String?
    /// Everything that was wrong with the session and no longer is.
    package var mended: Diagnostics
    /// The streams that lost lines or were changed; the others are as they were.
    package var streams: [Stream]
    /// Payloads that were left out: how many, and the first of them.
    package var leftOutFileCount: Int
    package var leftOutFiles: [String]
    package var metadata: Metadata
    /// The session as it is now; its findings are what could not be mended.
    package var check: SessionCheckReport
}

/// Why a session cannot be repaired.
package enum SessionRepairError: Error, Sendable, CustomStringConvertible {
    /// Something is where the repaired session should be.
    case exists(path: FilePath)
    /// The repaired session would lie inside of the original.
    case insideSession(path: FilePath)
    /// An archive is never changed.
    case archiveInPlace(path: String)
    /// The system refused something.
    case failed(path: FilePath, operation: String, reason: Errno)

    package var description: String {
        switch self {
        case .exists(let path): "repair: \(path): expected nothing at this path, found a file or folder"
        case .insideSession(let path): "repair: \(path): expected a path outside of the session, found one inside"
        case .archiveInPlace(let path): "repair: \(path): expected a folder to repair in place, found an archive"
        case .failed(let path, let operation, let reason): "repair: \(path): cannot \(operation): \(reason)"
        }
    }
}
