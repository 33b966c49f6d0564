import ArgumentParser
import Bags
import Platform

/// How a bag is written; the same for `bag`, `record` and `replay --save-local`.
struct BagWritingOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: .value(
            "format",
            "File format: sqlite3 (.db3) or mcap. Default: sqlite3; mcap where the output is NAME.mcap."
        )
    )
    var storage: BagOptions.Storage?

    @Option(
        help: .rare(
            "Write the bag as this distribution's recorder does; any: in a form that all of them read.",
            "distribution"
        )
    )
    var rosDistro = BagOptions.Distribution.any

    @Option(help: .value("form", "Compression: none, zstd, or lz4 (with --storage mcap only)."))
    var compression = BagOptions.Compression.none

    @Option(
        help: .rare(
            "What zstd compresses with --storage sqlite3: each file as a whole, or each message. Default: file.",
            "unit"
        )
    )
    var compressionMode: BagOptions.CompressionMode?

    @Option(
        name: [.customLong("max-bag-size"), .customLong("chunk-size-mb")],
        help: .value(
            "size",
            "Start a new file at about this size: 64MB, 64MiB or bytes (--chunk-size-mb: MB); 0: never."
        )
    )
    var maxBagSize = ByteSize("64MB")

    @Option(
        name: [.customLong("max-bag-duration"), .customLong("chunk-seconds")],
        help: .value("seconds", "Start a new file after this time of messages; 0: never. Default: never."),
        transform: Seconds.option("--max-bag-duration")
    )
    var maxBagDuration: Double?

    @Option(
        help: .rare(
            "Encoding of the messages: cdr, or rosbridge_json (publish operations, as in the app's bags).",
            "form"
        )
    )
    var serialization = BagOptions.Serialization.cdr

    @Option(
        help: .rare(
            "fast, or resilient: a kill loses half a second. Default: fast; record and replay: resilient.",
            "form"
        )
    )
    var durability: BagOptions.Durability?

    @OptionGroup var force: ForceOptions

    /// - Parameter output: where the bag will be; a name in .mcap is that of one file.
    func options(
        durability preset: BagOptions.Durability,
        customData: [String: String],
        output: String
    ) throws -> BagOptions {
        let isFile = output.lowercased().hasSuffix(".mcap")
        if isFile { try refuseForFile() }
        let seconds = maxBagDuration ?? 0
        var options = BagOptions(
            storage: isFile ? .mcap : storage ?? .sqlite3,
            serialization: serialization,
            durability: durability ?? preset,
            distribution: rosDistro,
            compression: compression,
            compressionMode: compressionMode,
            maximumChunkBytes: try maximumBytes(),
            maximumChunkSeconds: seconds > 0 ? seconds : nil,
            force: force.isGiven,
            customData: customData
        )
        options.isLoneFile = isFile
        if let conflict = options.conflict {
            throw UsageError("--\(conflict.option.rawValue)", expected: conflict.expected, found: conflict.found)
        }
        return options
    }

    /// The place of the bag: a folder, or one .mcap file.
    func claim(_ output: String, _ option: String = "--output") throws(UsageError) -> OutputClaim {
        let name = output.lowercased()
        if let ending = [".db3", ".bag", ".zstd", ".mcap.zst"].first(where: name.hasSuffix) {
            let folder = output.dropLast(ending.count)
            throw UsageError(
                option,
                expected: "a folder, or NAME.mcap for one file",
                found: "\(output); a bag of \(ending == ".bag" ? "ROS 2" : ".db3 files") is a folder, such as \(folder)"
            )
        }
        let kind = name.hasSuffix(".mcap") ? OutputKind.loneBag : .bag
        let named = option == "--output" ? nil : option
        return OutputClaim(output, kind, replaces: force.isGiven, option: named)
    }

    /// One file has one form and no limits.
    private func refuseForFile() throws {
        try UsageError.require(storage ?? .mcap == .mcap, "--storage", "mcap for an output NAME.mcap", "sqlite3")
        let limits = GivenOptions.onCommandLine.among(
            "--max-bag-size --chunk-size-mb --max-bag-duration --chunk-seconds"
        )
        if let limit = limits.first {
            throw UsageError(limit, expected: "a folder as output, as NAME.mcap is one file", found: "NAME.mcap")
        }
    }

    /// A number by itself means bytes, as for `ros2 bag`; under the older name it means megabytes.
    private func maximumBytes() throws -> Int? {
        let isOlder = GivenOptions.onCommandLine.contains("--chunk-size-mb")
        let name = isOlder ? "--chunk-size-mb" : "--max-bag-size"
        if maxBagSize == ByteSize("0") { return nil }
        return try maxBagSize.bytes(name, plain: isOlder ? .megabytes : .bytes, in: 100_000...1_000_000_000_000)
    }
}

extension BagOptions.Storage: Choice {}
extension BagOptions.Distribution: Choice {}
extension BagOptions.Compression: Choice {}
extension BagOptions.CompressionMode: Choice {}
extension BagOptions.Serialization: Choice {}
extension BagOptions.Durability: Choice {}

/// A size as a user writes it: `64MB` (10^6 bytes), `64MiB` (2^20), or a number in the unit that the option names.
struct ByteSize: ExpressibleByArgument, Equatable, CustomStringConvertible {
    /// The unit of a number that is written without one.
    enum Unit: Int {
        case bytes = 1
        case megabytes = 1_000_000

        fileprivate var name: String { self == .bytes ? "bytes" : "MB" }
    }

    private let text: String

    /// Takes any text; `bytes` refuses what is no size, and names the option.
    init(argument: String) { text = argument }

    init(_ text: String) { self.init(argument: text) }

    var description: String { text }

    /// The size in bytes, rounded to the nearest.
    ///
    /// - Throws: what says which sizes the option takes, for a text that is none and for one out of the range.
    func bytes(_ option: String, plain unit: Unit = .bytes, in range: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let bytes = bytes(plain: unit), range.contains(bytes) else {
            let bounds = "\(Self.text(of: range.lowerBound)) to \(Self.text(of: range.upperBound))"
            throw UsageError(
                option,
                expected: "a size from \(bounds): 64MB (10^6), 64MiB (2^20) or a number of \(unit.name)",
                found: text
            )
        }
        return bytes
    }

    private func bytes(plain unit: Unit) -> Int? {
        let letters = text.reversed().prefix { $0.isLetter }.reversed()
        let number = text.dropLast(letters.count).trimmingTrailingSpace
        // Digits and a point alone: what else a Double may be written as is no size.
        guard number.utf8.count <= 18, number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let value = Double(number), let factor = letters.isEmpty ? unit.rawValue : Self.factor(of: String(letters))
        else { return nil }
        let bytes = (value * Double(factor)).rounded()
        return bytes < 0x1p53 ? Int(bytes) : nil
    }

    private static func factor(of unit: String) -> Int? {
        switch unit.lowercased() {
        case "b": 1
        case "kb": 1_000
        case "mb": 1_000_000
        case "gb": 1_000_000_000
        case "kib": 1 << 10
        case "mib": 1 << 20
        case "gib": 1 << 30
        default: nil
        }
    }

    /// The size as it would be written.
    private static func text(of bytes: Int) -> String {
        let units = [
            (1_000_000_000, "GB"), (1 << 30, "GiB"), (1_000_000, "MB"), (1 << 20, "MiB"), (1_000, "kB"),
            (1 << 10, "KiB"),
        ]
        let unit = units.first { bytes > 0 && bytes.isMultiple(of: $0.0) } ?? (1, "B")
        return "\(bytes / unit.0)\(unit.1)"
    }
}

extension Substring {
    fileprivate var trimmingTrailingSpace: Substring { last == " " ? dropLast() : self }
}
