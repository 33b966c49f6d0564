import Bags
import SystemPackage

/// How much is in a storage file, to choose among twins.
struct ChunkContentCount {
    private(set) var isSound = false
    private(set) var messageCount = 0

    init(_ path: FilePath, _ unpackLimit: UnpackLimit) {
        switch FileKind(of: path) {
        case .sqlite:
            let examination = SQLiteExamination(path)
            (isSound, messageCount) = (examination.isReadable, examination.messageCount)
        case .mcap:
            guard let examination = try? MCAPExamination(path) else { return }
            (isSound, messageCount) = (examination.isSound, examination.messageCount)
        case .zstd:
            let reader = try? BagReader(opening: path, tolerating: .unfinishedFiles, unpacking: unpackLimit)
            guard let summary = try? reader?.summary() else { return }
            (isSound, messageCount) = (true, summary.messageCount)
        case .empty, .other, nil: break
        }
    }
}
