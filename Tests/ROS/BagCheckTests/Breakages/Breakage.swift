import BagTools
import Testing

/// One way to break a good bag, and what the check should say of it.
struct Breakage: Sendable, CustomTestStringConvertible {
    /// What lies there to be broken.
    enum Base: String, Sendable {
        /// A .db3 bag of CDR, of two files.
        case cdr
        /// A .db3 bag of rosbridge JSON.
        case json
        /// An .mcap file of several chunks that the mcap package wrote, with an attachment and metadata.
        case mcap
    }

    var name: String
    var base: Base
    /// Python that breaks it; see BreakageProgram for what it may call.
    var code: String
    /// One of these has to be found, as an error or a warning.
    var kinds: [BagFindingKind]
    /// Whether it has to be an error.
    var isError = true
    /// Whether the peer finds it too; it looks into less than we do.
    var isFoundByPeer = true

    var testDescription: String { name }

    static let all: [Breakage] =
        MetadataBreakages.all + DatabaseBreakages.all + MessageBreakages.all + ContentBreakages.all + MCAPBreakages.all
}
