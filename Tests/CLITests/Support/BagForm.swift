import Testing

/// A form of bag that `bag` and `convert` write.
struct BagForm: Sendable, CustomTestStringConvertible {
    var name: String
    var options: [String]
    /// The distributions whose rules for metadata.yaml the form has to satisfy.
    var readers = ["humble", "iron", "jazzy"]

    var testDescription: String { name }
    var isMCAP: Bool { options.contains("mcap") }
    var isJSON: Bool { options.contains("rosbridge_json") }
    /// Whether files or messages of SQLite are packed, which the judges do not unpack.
    var isPacked: Bool { options.contains("zstd") && !isMCAP }

    static let any = BagForm(name: "any", options: [])
    static let mcap = BagForm(name: "mcap", options: ["--storage", "mcap"])
    static let json = BagForm(name: "rosbridge_json", options: ["--serialization", "rosbridge_json"])

    static let all: [BagForm] =
        ["sqlite3", "mcap"].flatMap { storage in
            distributions.map { distribution, readers in
                let options = ["--storage", storage, "--ros-distro", distribution]
                return BagForm(name: "\(storage) of \(distribution)", options: options, readers: readers)
            }
        }
        + [
            json,
            BagForm(name: "files of zstd", options: ["--compression", "zstd"]),
            BagForm(name: "messages of zstd", options: ["--compression", "zstd", "--compression-mode", "message"]),
            BagForm(name: "mcap of lz4", options: mcap.options + ["--compression", "lz4"]),
            BagForm(name: "mcap of zstd", options: mcap.options + ["--compression", "zstd"]),
        ]

    /// Each with those that read what its own recorder writes.
    private static let distributions = [
        ("any", ["humble", "iron", "jazzy"]), ("humble", ["humble", "iron", "jazzy"]), ("iron", ["iron", "jazzy"]),
        ("jazzy", ["jazzy"]), ("kilted", ["jazzy"]), ("rolling", ["jazzy"]),
    ]
}
