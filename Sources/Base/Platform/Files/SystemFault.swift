import Glibc
import Synchronization
package import SystemPackage

/// A call that the system refused for a reason of its own: a device that does not answer, no descriptor or memory left.
///
/// It says nothing of the file, which may be there and whole. Readers take such a file for damaged or absent and go on, so
/// that a check or a rescue sees as much as it can. But what was made meanwhile may lack a part, and the next run may get it:
/// so it is kept here that this happened, and a command asks before its output gets its name and before it ends well.
package struct SystemFault: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: FilePath
    package let operation: String
    package let errno: Errno

    package var description: String { "\(path): expected to \(operation) it, found: \(errno.description)" }

    private final class Note: Sendable {
        let fault: SystemFault

        init(_ fault: SystemFault) { self.fault = fault }
    }

    private static let isWatched = Atomic(false)
    private static let first = AtomicLazyReference<Note>()

    /// What is no property of a file: another time the same call may succeed.
    private static let reasons: Set<Errno> = [
        .ioError, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .interrupted, .noSpace, .diskQuotaExceeded,
        .staleNFSFileHandle,
    ]

    /// Asked for once by a command; a process that does many things, as tests do, has no one output that would be doubtful.
    package static func watch() { isWatched.store(true, ordering: .relaxed) }

    /// Keeps a failed call, if it is the first that failed for such a reason.
    package static func note(_ path: FilePath, _ operation: String, _ errno: Errno) {
        guard reasons.contains(errno), isWatched.load(ordering: .relaxed), first.load() == nil else { return }
        _ = first.storeIfNil(Note(SystemFault(path: path, operation: operation, errno: errno)))
    }

    /// - Throws: the first one since ``watch()``.
    package static func check() throws(SystemFault) {
        if let note = first.load() { throw note.fault }
    }
}
