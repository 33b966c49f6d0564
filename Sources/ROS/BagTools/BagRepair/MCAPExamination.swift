import Bags
import SystemPackage

/// The faults of an .mcap file that writing it anew mends, by what `check` finds in it.
struct MCAPExamination {
    /// The first thing that is wrong; empty where nothing is.
    private(set) var complaint = ""
    /// Messages that a walk over the file meets.
    private(set) var messageCount = 0

    var isSound: Bool { complaint.isEmpty }

    /// - Parameter findings: The findings of `check` in the file's bag; nil to read the file now.
    init(_ path: FilePath, _ findings: [BagFinding]? = nil) throws(BagError) {
        var found = findings ?? []
        if findings == nil {
            let report = try BagChecker.check(path)
            found = report.findings
            messageCount = report.messageCount
        }
        let name = path.lastComponent?.string ?? ""
        let mended = found.first { finding in
            // A file without index is legal, but rosbag2 cannot play it in time order: it gets one.
            (finding.severity == .error && finding.kind.isMendedInFile || finding.kind == .mcapNoIndex)
                && finding.files.contains(name)
        }
        guard let mended else { return }
        complaint = mended.places.first { $0.file == name }?.description ?? mended.kind.rawValue
    }
}
