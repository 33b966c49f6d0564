import Foundation
import TestSupport
import Testing

/// Pages of what is odd, short, far away or hostile: each is a page or a refusal, and says what is odd.
@Suite(.serialized) struct ReportInputTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func sample() async throws -> String {
        let path = folder("room")
        try await Binary.succeed(["sample", "-o", path, "--duration", "4", "--fps", "5", "--size", "160x120", "--gps"])
        return path
    }

    private func report(_ path: String) async throws -> String {
        let page = folder("page-\(UInt32.random(in: 0...UInt32.max)).html")
        try await Binary.succeed(["report", path, "-o", page])
        return try String(contentsOfFile: page, encoding: .utf8)
    }

    enum Change: String, CaseIterable, Sendable {
        case oneFrame
        case limited
        case far
        case noNumber
        case oneTime
        case gaps

        /// What the page must have.
        var words: String {
            switch self {
            case .oneFrame: "<dd>1</dd>"
            case .limited: "There is no pose to be trusted."
            case .far: "Map from above"
            case .noNumber: "camera_transform is no rigid motion"
            case .oneTime: "all frames are at one time"
            case .gaps: "the first 500 are the red bands"
            }
        }

        func apply(_ lines: [[String: Any]]) -> [[String: Any]] {
            var lines = lines
            switch self {
            case .oneFrame: return Array(lines.prefix(1))
            case .limited: for index in lines.indices { lines[index]["tracking_state"] = "limited" }
            case .far: Self.move(&lines) { [900_000 * Double($0 % 2), 0, -40_000 * Double($0)] }
            case .noNumber: Self.move(&lines) { $0 % 3 == 0 ? [1e300, 0, 0] : [0.1 * Double($0), 0, 0] }
            case .oneTime: for index in lines.indices { lines[index]["timestamp"] = lines[0]["timestamp"] }
            case .gaps:
                // Three near each other, then a gap, two thousand times.
                let first = lines[0]
                let start = first["timestamp"] as? Double ?? 0
                lines = (0..<8000).map { index in
                    var line = first
                    (line["frame_index"], line["has_depth"]) = (index, false)
                    line["timestamp"] = start + Double(index / 4) + 0.02 * Double(index % 4)
                    return line
                }
            }
            return lines
        }

        private static func move(_ lines: inout [[String: Any]], to place: (Int) -> [Double]) {
            for index in lines.indices {
                guard let old = lines[index]["camera_transform"] as? [Double] else { continue }
                lines[index]["camera_transform"] = Array(old[..<12]) + place(index) + [1]
            }
        }
    }

    @Test("sessions", arguments: Change.allCases)
    func sessions(change: Change) async throws {
        let path = try await sample()
        let file = path + "/frames.jsonl"
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        let changed = try change.apply(lines).map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
        }
        try (changed.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let html = try await report(path)
        #expect(html.contains(change.words), "\(change)")
        let wrong = html.firstMatch(of: /\s(?:[xyrd]|cx|cy|width|height)="[^"]*(?:nan|inf)/)
        #expect(wrong == nil && html.utf8.count < 3_000_000)
    }

    @Test("of a phone that lies still the page says what is left of the biases")
    func still() async throws {
        let path = try await sample()
        let file = path + "/imu.jsonl"
        var lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        for (index, sign) in lines.indices.map({ ($0, [1.0, -1, -1, 1][$0 % 4]) }) {
            // In rad/s and g: 0.573, -1.146 and 0.286 deg/s, and 0.098 m/s² along gravity, with a tremble of no mean.
            lines[index]["rotation_rate"] = [0.01 + 0.001 * sign, -0.02, 0.005]
            let gravity = lines[index]["gravity"] as? [Double] ?? []
            lines[index]["user_acceleration"] = gravity.map { $0 * 0.01 }
        }
        let changed = try lines.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
        try (changed.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let html = try await report(path)
        #expect(html.contains("bias is 0.573, -1.146, 0.286 deg/s") && html.contains("0.098 m/s\u{B2} off gravity"))
        #expect(!html.contains("never lies still"))
    }

    @Test("an archive of a session gives the same page as its folder")
    func archives() async throws {
        let path = try await sample()
        try await Binary.succeed(["report", path, "-o", folder("folder.html")])
        let zip = folder("room.zip")
        let script = "import shutil,sys; shutil.make_archive(sys.argv[1][:-4],'zip',sys.argv[2],'room')"
        guard Peer.isAvailable else { return }
        _ = try await PeerPython.runAside(["-c", script, zip, folder.path]).outputOfSuccess()
        try await Binary.succeed(["report", zip, "-o", folder("zip.html")])
        let texts = try ["folder", "zip"].map { try String(contentsOfFile: folder("\($0).html"), encoding: .utf8) }
        // How much there is on disk is not the same.
        let size = /<dt>size<\/dt><dd>[^<]*<\/dd>/
        #expect(
            texts[0].replacing(size, with: "") == texts[1].replacing("room.zip", with: "room").replacing(size, with: "")
        )
    }

    @Test("bags", .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), arguments: ["sqlite3", "mcap"])
    func bags(storage: String) async throws {
        let names: [String] = try await Peer.json("odd_bags.py", [folder.path, storage])
        #expect(names.count >= 8)
        for name in names {
            let outcome = try await Binary.run(["report", folder(name), "-o", folder(name + ".html")])
            guard name != "empty" else {
                outcome.expectError(65, naming: "expected messages, found none")
                continue
            }
            #expect(outcome.status == 0, "\(name): \(outcome.everything)")
            let html = try String(contentsOfFile: folder(name + ".html"), encoding: .utf8)
            #expect(!html.contains("<i>") && !html.contains("\u{1B}") && !html.contains("\u{202E}"), "\(name)")
            #expect(html.utf8.count < 1_000_000, "\(name): \(html.utf8.count)")
            if name == "names" { #expect(html.contains("map&lt;i&gt;&quot;&#39;")) }
            if name == "unknown" { #expect(html.contains("not on this page: /unknown")) }
        }
    }
}
