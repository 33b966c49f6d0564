import Foundation
import SystemPackage
import TestSupport
import Testing

/// Small files of others that once were judged wrongly, and what is right of each.
///
/// Those of `RecorderHabitTests` and `HumbleBagTests` are not repeated; `fixes_above_sea_level` is judged with a geoid of the test's own
/// in `EarthTests`.
@Suite(.serialized, .enabled(if: Captures.have("field-cases"), Comment(rawValue: Captures.absence)))
struct FieldCaseTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// A command line, in which `{}` is the case and `>` a path to write to; what it says and does not say.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var arguments: [String]
        var status: Int32
        var said: [String]
        var unsaid: [String] = []

        var testDescription: String { ([name] + arguments).joined(separator: " ") }

        init(_ name: String, _ line: String, _ status: Int32, _ said: [String], not unsaid: [String] = []) {
            (self.name, self.status, self.said, self.unsaid) = (name, status, said, unsaid)
            arguments = line.split(separator: " ").map(String.init)
        }
    }

    static let cases = [
        Case("action_feedback.db3", "check {}", 0, ["message.service", "sound"]),
        Case("bag.zip", "check {}", 66, ["an archive of a bag (my_bag/my_bag_0.mcap)"]),
        Case("two.zip", "bag {} -o >", 66, ["expected one session, found 2", "two.zip/b", "Name one of them"]),
        Case("jazzy_zero_cache", "check {}", 0, ["10 decoded", "sound"]),
        Case("lfs_pointer.mcap", "check {}", 1, ["bag.not-fetched", "git lfs pull"], not: ["repair"]),
        Case("lfs_pointer_db3", "check {}", 1, ["bag.not-fetched", "git lfs pull"], not: ["repair"]),
        Case("mixed_protobuf_cdr.mcap", "check {}", 1, ["bag.mixed-formats", "found cdr, protobuf"]),
        Case("mixed_protobuf_cdr.mcap", "convert {} -o >", 1, ["5 of 10 messages written", "left out: /annotations"]),
        Case("ros1.mcap", "check {}", 0, ["found \"ros1\""], not: ["message.decode"]),
        Case(
            "unknown_schema.mcap",
            "check {}",
            0,
            ["message.unknown-type: /thing: the type of the messages is not known (5 times)", "--msg-path"]
        ),
        Case("turtlesim_subset", "check {}", 0, ["1723 decoded", "sound"]),
        Case("one_message_at_time_zero", "check {}", 0, ["message.far-time"]),
        Case("one_message_at_time_zero", "convert {} -o > --duration 3", 0, ["20 of 21 messages written"]),
        Case("p01_windows_paths", "check {}", 0, ["3 images, 3 depth maps"]),
        Case("p02_absolute_paths", "check {}", 0, ["3 images, 3 depth maps", "found depth/frame_00001.png"]),
        Case(
            "stray_cut_last_line",
            "check {}",
            1,
            ["`mapeverything trim "],
            not: ["mapeverything repair"]
        ),
        Case("stray_cut_last_line", "trim {} -o >", 0, ["9 in = 9 kept", "skipped: frame with an impossible value"]),
        Case("stray_middle_only", "check {}", 1, ["1000 frames, 4 images", "emptyFrame"]),
        Case("transforms_no_files", "check {}", 1, ["found none of 30"]),
        Case("transforms_other_ending", "check {}", 0, ["8 images", "found images/frame_00001.jpg"]),
        Case("transforms_pictures_in_other_folder", "check {}", 0, ["8 images", "found My Dataset/frame_00001.jpg"]),
        Case("transforms_scale_unknown", "check {}", 0, ["usable"], not: ["poseJump"]),
        Case("transforms_known_distortion", "check {}", 0, ["lensDistortion"]),
        Case("transforms_distortion_per_frame", "check {}", 0, ["lensDistortion"]),
    ]

    @Test(arguments: cases)
    func isRight(wanted: Case) async throws {
        let path = Captures.path("field-cases/\(wanted.name)").string
        let arguments = wanted.arguments.map { $0 == "{}" ? path : $0 == ">" ? folder("out") : $0 }
        let outcome = try await Command.run(arguments)
        #expect(outcome.status == wanted.status, "\(outcome)")
        for text in wanted.said { #expect(outcome.everything.contains(text), "\(text): \(outcome)") }
        for text in wanted.unsaid { #expect(!outcome.everything.contains(text), "\(text): \(outcome)") }
    }

    /// The pictures of a list in any order are written in the order of their own numbers.
    @Test func aShuffledListIsWrittenByNumber() async throws {
        let path = Captures.path("field-cases/transforms_shuffled_list").string
        try await Command.succeed(["export", path, "--to", "colmap", "-o", folder("colmap")])
        func pictures(_ folder: String) throws -> [Data] {
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
                try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))
            }
        }
        let own = try pictures(path + "/images")
        #expect(own.count == 16)
        #expect(try pictures(folder("colmap") + "/images") == own)
    }

    /// What the lens does is written where the format has a place for it.
    @Test(arguments: ["transforms_known_distortion", "transforms_distortion_per_frame"])
    func lensesAreKept(name: String) async throws {
        let path = Captures.path("field-cases/\(name)").string
        for (format, file) in [("colmap", "sparse/0/cameras.txt"), ("nerfstudio", "transforms.json")] {
            try await Command.succeed(["export", path, "--to", format, "-o", folder(format)])
            let text = try String(contentsOfFile: "\(folder(format))/\(file)", encoding: .utf8)
            for number in ["-0.01301", "0.0227891", "-0.00104525", "-0.00103153"] {
                #expect(text.contains(number), "\(format): \(number)")
            }
            if format == "colmap" { #expect(text.contains(" OPENCV 64 48 ")) }
        }
        try await Command.succeed(["bag", path, "-o", folder("bag")])
        let info = try await Command.succeed([
            "inspect", folder("bag"), "--echo", "/mapping/camera/camera_info", "-n", "1",
        ])
        #expect(info.contains("-0.00104525") && info.contains("plumb_bob"), "\(info)")
    }
}
