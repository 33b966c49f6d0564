import Glibc
package import Platform
import SystemPackage

extension OutputKind {
    /// A folder with a bag of ours and nothing else.
    package static let bag = OutputKind(name: "a bag of mapeverything's", type: .directory) { path in
        guard let names = try? directoryEntries(path), names.allSatisfy({ isBagFile(path.appending($0)) }) else {
            return false
        }
        let files = names.filter { !$0.hasPrefix(metadataFileName) }
        // There is nothing to lose.
        if files.isEmpty { return true }
        let data = (try? BagMetadataFile.read(in: path))?.customData ?? [:]
        if data.keys.contains(where: { $0.hasPrefix("mapeverything.") }) { return true }
        let chunks = files.filter { [".db3", ".mcap", packedSuffix].contains(where: $0.hasSuffix) }
        return !chunks.isEmpty && chunks.allSatisfy { isOurChunk(path.appending($0)) }
    }

    /// One .mcap file of ours.
    package static let loneBag: OutputKind = {
        var kind = OutputKind(name: "an .mcap file of mapeverything's", type: .regular, isOurs: isOurMCAP)
        kind.working = [partSuffix, asideSuffix].map { OutputKind.WorkingName($0, isLeftover: isLeftover) }
        return kind
    }()

    /// True for an .mcap file that a run has left that is over.
    private static func isLeftover(_ path: FilePath) -> Bool {
        guard FileType(notFollowing: path) == .regular, isOurMCAP(path) else { return false }
        let descriptor = open(path.string, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return !RunLock.isHeld(descriptor)
    }

    /// True if the header names us as the library (MCAP, 5.1), and for an empty file.
    private static func isOurMCAP(_ path: FilePath) -> Bool {
        guard let head = try? RegularFile.head(of: path, byteCount: 64) else { return false }
        return head.isEmpty || head.starts(with: MCAPFormat.magic) && head.contains(Array("mapeverything".utf8))
    }

    /// The same for a file of a bag that does not say where it comes from, as those of Humble: a .db3 of ours counts one change
    /// (SQLite file format, 1.3.7), one that was recorded as many as it had commits.
    private static func isOurChunk(_ path: FilePath) -> Bool {
        if path.extension == "mcap" { return isOurMCAP(path) }
        guard path.extension == "db3" else { return false }
        let count = try? RegularFile.part(of: path, at: 24, byteCount: 4)
        return count == [0, 0, 0, 1] || count == []
    }

    /// True if an entry is one that bag writers leave: metadata.yaml, storage files and their companions.
    private static func isBagFile(_ path: FilePath) -> Bool {
        guard let name = path.lastComponent?.string, FileType(notFollowing: path) == .regular else { return false }
        if name == metadataFileName || name == metadataFileName + DurableFiles.temporarySuffix { return true }
        let endings = ["", partSuffix, ".old", packedSuffix, "-wal", "-shm", "-journal"]
        let packings = ["", partSuffix, packedSuffix]
        return endings.contains { ending in
            packings.contains { name.hasSuffix(".db3" + $0 + ending) || name.hasSuffix(".mcap" + $0 + ending) }
        }
    }
}
