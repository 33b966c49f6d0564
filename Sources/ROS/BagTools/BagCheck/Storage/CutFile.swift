import Bags
import Platform
import Text

/// Says in a person's words how much can be read of a file that ends in the middle.
struct CutFile {
    /// What the words end with.
    static let ending = "can be read"

    let file: BagLayout.File
    let context: CheckContext

    /// - Parameter counted: What the check met in the file.
    func explain(counted: BagCheckReport.File?) {
        Self.explainMCAP(file.name, counted, context)
        let isUnreadable = context.findings.hasError(.databaseUnreadable, in: file.name)
        let isCut = !file.isCompressed && file.storage == .sqlite3 && SQLiteSalvage.missingBytes(file.path) > 0
        guard isUnreadable || isCut && context.findings.hasError(.databaseIntegrity, in: file.name) else { return }
        // What SQLite shows of such a file is not what is in it.
        context.lacksFile = true
        guard isCut else { return }
        let reader = try? BagReader(
            opening: file.path,
            tolerating: .everything,
            unpacking: context.options.unpackLimit
        )
        let words = Self.words(reader?.heldCount ?? 0, reader?.times)
        context.findings.explain(isUnreadable ? .databaseUnreadable : .databaseIntegrity, words)
    }

    /// The part of an .mcap, wherever it lies.
    static func explainMCAP(_ name: String, _ counted: BagCheckReport.File?, _ context: CheckContext) {
        guard context.findings.hasError(.mcapCut, in: name), context.findings.hasError(.mcapMagic, in: name) else {
            return
        }
        let times = counted.flatMap { file in TimeSpan(first: file.firstNanoseconds, last: file.lastNanoseconds) }
        context.findings.explain(.mcapCut, words(counted?.messageCount ?? 0, times))
    }

    private static func words(_ count: Int, _ times: TimeSpan?) -> String {
        let messages = count == 0 ? "no message" : "\(count) message\(count == 1 ? "" : "s")"
        let span = times.map { "\((Double($0.durationNanoseconds) / 1e9).text(decimals: 2)) s and " } ?? ""
        return "cut short: \(count == 0 ? "" : span)\(messages) \(ending)"
    }
}

extension TimeSpan {
    fileprivate init?(first: Int64?, last: Int64?) {
        guard let first, let last else { return nil }
        self.init(first: first, last: last)
    }
}
