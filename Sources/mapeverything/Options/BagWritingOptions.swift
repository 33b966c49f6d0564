import ArgumentParser
import Bags

/// How a bag is written; the same for `bag`, `record` and `replay --save-local`.
struct BagWritingOptions: ParsableArguments {
    @Option(help: "File format of the bag: sqlite3 (.db3) or mcap.") var storage = BagOptions.Storage.sqlite3

    @Option(help: "Write the bag as this distribution's recorder does; any: in a form that all of them read.")
    var rosDistro = BagOptions.Distribution.any

    @Option(help: "Compression: none, zstd, or lz4 (with --storage mcap only).")
    var compression = BagOptions.Compression.none

    @Option(help: "What zstd compresses with --storage sqlite3: each file as a whole, or each message. Default: file.")
    var compressionMode: BagOptions.CompressionMode?

    @Option(help: .value("size", "Start a new bag file at about this size: 64MB, 64MiB or a number of MB."))
    var chunkSizeMb = ByteSize("64MB")

    @Option(help: "Start a new bag file after this many seconds of messages. Default: no limit.")
    var chunkSeconds: Double?

    @Option(help: "Encoding of the messages: cdr, or rosbridge_json (publish operations, as in the app's bags).")
    var serialization = BagOptions.Serialization.cdr

    @Option(help: "fast, or resilient: a kill loses half a second. Default: fast; record and replay: resilient.")
    var durability: BagOptions.Durability?

    @OptionGroup var force: ForceOptions

    func options(durability preset: BagOptions.Durability, customData: [String: String]) throws -> BagOptions {
        let chunkBytes = try chunkSizeMb.bytes("--chunk-size-mb", plain: .megabytes, in: 100_000...1_000_000_000_000)
        let seconds = chunkSeconds ?? 1
        try UsageError.require(seconds > 0 && seconds.isFinite, "--chunk-seconds", "seconds above 0", seconds)
        let options = BagOptions(
            storage: storage,
            serialization: serialization,
            durability: durability ?? preset,
            distribution: rosDistro,
            compression: compression,
            compressionMode: compressionMode,
            maximumChunkBytes: chunkBytes,
            maximumChunkSeconds: chunkSeconds,
            force: force.isGiven,
            customData: customData
        )
        if let conflict = options.conflict {
            throw UsageError("--\(conflict.option.rawValue)", expected: conflict.expected, found: conflict.found)
        }
        return options
    }
}

extension BagOptions.Storage: ExpressibleByArgument {}
extension BagOptions.Distribution: ExpressibleByArgument {}
extension BagOptions.Compression: ExpressibleByArgument {}
extension BagOptions.CompressionMode: ExpressibleByArgument {}
extension BagOptions.Serialization: ExpressibleByArgument {}
extension BagOptions.Durability: ExpressibleByArgument {}

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
