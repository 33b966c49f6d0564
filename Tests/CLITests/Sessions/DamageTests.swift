import Foundation
import Testing

/// Damaged and hostile sessions: what can be read is published, what cannot is counted, nothing hangs or crashes.
@Suite(.serialized) struct DamageTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    struct Damage: Sendable, CustomTestStringConvertible {
        var name: String
        /// How many poses are left of 40.
        var poses = 40
        /// Whether anything was lost, as --strict sees it.
        var isLoss = true
        var apply: @Sendable (Session) throws -> Void
        var testDescription: String { name }
    }

    /// A copy of a session, to be damaged.
    struct Session: Sendable {
        var path: String

        func write(_ bytes: [UInt8], to name: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }

        func read(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
        }

        func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

        /// Replaces a line of frames.jsonl, counted from 0, by what the closure makes of it.
        func edit(_ index: Int, _ change: (String) -> String) throws {
            var lines = String(decoding: try read("frames.jsonl"), as: UTF8.self).split(separator: "\n").map(
                String.init
            )
            lines[index] = change(lines[index])
            try write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "frames.jsonl")
        }

        /// Gives a field of a line another value.
        func set(_ key: String, _ value: String, line: Int) throws {
            try edit(line) { text in
                guard let start = text.firstRange(of: "\"\(key)\":")?.upperBound else { return text }
                let isArray = text[start] == "["
                let end = text[start...].firstIndex { isArray ? $0 == "]" : $0 == "," || $0 == "}" } ?? text.endIndex
                return text[..<start] + value + text[(isArray ? text.index(after: end) : end)...]
            }
        }
    }

    static let damages = [
        Damage(name: "a line that is cut", poses: 39) { try $0.edit(39) { String($0.prefix(100)) } },
        Damage(name: "bytes that are no text", poses: 39) { try $0.edit(7) { _ in "\u{0}\u{1}\u{7F}{{{" } },
        Damage(name: "a line nested without end", poses: 39) {
            try $0.edit(7) { _ in String(repeating: "[", count: 100_000) }
        },
        Damage(name: "a line of ten megabytes", poses: 39) {
            try $0.edit(7) { _ in "{\"frame_index\":\"" + String(repeating: "x", count: 10_000_000) + "\"}" }
        },
        Damage(name: "NaN as time", poses: 39) { try $0.set("timestamp", "NaN", line: 5) },
        Damage(name: "1e300 as time", poses: 39) { try $0.set("timestamp", "1e300", line: 5) },
        Damage(name: "a matrix that is no rotation", poses: 39) {
            try $0.set("camera_transform", "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]", line: 5)
        },
        Damage(name: "absurd numbers in a matrix", poses: 39) {
            try $0.set("camera_transform", "[1,0,0,0,0,1,0,0,0,0,1,0,1e308,1e308,1e308,1]", line: 5)
        },
        Damage(name: "a depth map of the wrong size") { try $0.write([1, 2, 3], to: "depth/000000.bin") },
        Damage(name: "no depth map") { try $0.remove("depth/000000.bin") },
        Damage(name: "an image that is cut") { session in
            let bytes = try session.read("rgb/000000.jpg")
            try session.write(Array(bytes.prefix(bytes.count / 2)), to: "rgb/000000.jpg")
        },
        Damage(name: "an image of 65,535 times 65,535") { session in
            var bytes = try session.read("rgb/000000.jpg")
            guard let frame = bytes.indices.dropLast(9).first(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
            else { throw CocoaError(.coderValueNotFound) }
            bytes.replaceSubrange((frame + 5)..<(frame + 9), with: [0xFF, 0xFF, 0xFF, 0xFF])
            try session.write(bytes, to: "rgb/000000.jpg")
        },
        Damage(name: "an image that is none") { try $0.write(Array("hello".utf8), to: "rgb/000000.jpg") },
        Damage(name: "no images") { try $0.remove("rgb") },
        Damage(name: "a pipe in place of a depth map") { session in
            try session.remove("depth/000000.bin")
            guard mkfifo("\(session.path)/depth/000000.bin", 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        },
        Damage(name: "an endless file in place of an image") { session in
            try session.remove("rgb/000000.jpg")
            try FileManager.default.createSymbolicLink(
                atPath: "\(session.path)/rgb/000000.jpg",
                withDestinationPath: "/dev/zero"
            )
        },
        Damage(name: "metadata that is none", isLoss: false) {
            try $0.write(Array("{\"a\":".utf8), to: "metadata.json")
        },
        Damage(name: "an IMU file that is none") { try $0.write([0xFF, 0x0A, 0x7B, 0x0A], to: "imu.jsonl") },
        Damage(name: "impossible fixes") { session in
            let line = #"{"timestamp":4321.5,"unix_time":1e300,"latitude":999,"longitude":1e308,"altitude":NaN}"#
            try session.write(Array((line + "\n").utf8), to: "gps.jsonl")
        },
    ]

    @Test(arguments: damages)
    func damageIsCountedAndTheRestIsPublished(damage: Damage) async throws {
        let session = Session(path: folder("session"))
        try FileManager.default.copyItem(atPath: try await Samples.plain.value, toPath: session.path)
        try damage.apply(session)
        let inspection = try await Command.run(["inspect", session.path, "--profile", "full"])
        #expect(inspection.status == 0 && inspection.errors.isEmpty, "\(inspection)")
        let bag = folder("bag")
        let outcome = try await Command.run(["bag", session.path, "-o", bag, "--profile", "full", "--strict"])
        #expect(outcome.status == (damage.isLoss ? 1 : 0), "\(outcome)")
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("skipped: ") == damage.isLoss, "\(outcome)")
        let written: BagInspection = try await Command.json(["inspect", bag, "--json"])
        #expect(written.count("/mapping/pose") == damage.poses)
        let first = try #require(written.first_stamp_ns), last = try #require(written.last_stamp_ns)
        #expect(last - first < 5_000_000_000 && first > 1_700_000_000_000_000_000)
    }

    @Test(
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: ["dotdot", "absolute", "claims", "bomb", "cut", "link", "tarclaims"]
    )
    func hostileArchivesDoNoHarm(kind: String) async throws {
        let archive = folder("packed." + (["link", "tarclaims"].contains(kind) ? "tar" : "zip"))
        try await Peer.run("hostile_archive.py", [try await Samples.plain.value, archive, kind])
        let isWhole = ["claims", "bomb", "link"].contains(kind)
        let bag = folder("bag")
        let (measured, outcome) = try await Measured.run(["bag", archive, "-o", bag, "--profile", "record", "--strict"])
        #expect(measured.peak_kilobytes < 96 << 10, "\(outcome)")
        #expect(measured.status == (isWhole ? 1 : 65), "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: bag) == isWhole)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/evil.txt"))
        #expect(!FileManager.default.fileExists(atPath: folder("evil.txt")))
        guard isWhole else { return }
        #expect(outcome.output.contains("\nskipped: "), "\(outcome)")
        let written: BagInspection = try await Command.json(["inspect", bag, "--json"])
        #expect(written.count("/mapping/pose") == 40)
    }
}
