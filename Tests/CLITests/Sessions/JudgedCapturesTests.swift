import SystemPackage
import TestSupport
import Testing

/// Real captures as they would be if their writers had made usual mistakes, and maps of them beside Open3D's.
@Suite(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct JudgedCapturesTests {
    private static let captures = [
        "logger-chair", "logger-mixed-orientation", "logger-door-60fps", "logger-benchy", "3dsa-chair", "record3d-door",
        "stray-eyeq1", "ioslogger-walk",
    ]

    /// What a finding has to say of each mistake.
    private static let causes = [
        "opencv-axes": ["camera axes of OpenCV"], "inverse-poses": ["inverse poses"], "late-poses": ["frames late"],
        "flipped-depth": ["flipped depth"],
        "half-intrinsics": ["intrinsicsOfAnotherSize", "half the focal length"],
    ]
    /// Mistakes of which any finding will do, as others look the same in some scenes.
    private static let others = ["rolled-right", "transposed-depth", "mirrored-images"]
    private static let kinds: Set<String> = [
        "cloudsDisagree", "imagesOfOtherFrames", "depthTurned", "gravityDisagrees", "turnRatesDisagree",
        "anglesContradictPose", "intrinsicsOfAnotherSize",
    ]

    /// Errors that say that depth, poses or intrinsics are wrong: kind and places.
    private func contradictions(_ path: String) async throws -> [String] {
        let (result, _) = try await CheckResult.of(path)
        return result.findings.filter { $0.severity == "error" && Self.kinds.contains($0.kind) }
            .map { "\($0.kind): \($0.places.joined(separator: "; "))" }
    }

    @Test(
        "check names the cause of at least nine of ten usual mistakes, finds four of five others, and none in sound captures",
        .enabled(if: Captures.have("logger-chair", "3dsa-chair"), Comment(rawValue: Captures.absence))
    )
    func mistakes() async throws {
        var (count, otherCount) = (0, 0)
        var (unnamed, unseen): ([String], [String]) = ([], [])
        for capture in Self.captures {
            let path = Captures.path(capture).string
            let sound = try await contradictions(path)
            #expect(sound.isEmpty, "\(capture): \(sound)")
            let folder = try Scratch()
            let variants = try await Peer.run(
                "vary_recording.py",
                [path, folder("")] + Self.causes.keys.sorted() + Self.others
            )
            for variant in variants.split(separator: "\n").map({ String($0) }) {
                let mistake = FilePath(variant).lastComponent?.string ?? ""
                let found = try await contradictions(variant)
                guard let causes = Self.causes[mistake] else {
                    otherCount += 1
                    if found.isEmpty { unseen.append("\(capture) \(mistake)") }
                    continue
                }
                count += 1
                if !found.contains(where: { finding in causes.contains { finding.contains($0) } }) {
                    unnamed.append("\(capture) \(mistake): \(found)")
                }
            }
        }
        #expect(count == 38 && 10 * unnamed.count <= count, "\(unnamed)")
        #expect(otherCount == 22 && 5 * unseen.count <= otherCount, "\(unseen)")
    }

    /// Mistakes that only some recordings show: where the camera moved far enough, and scenes with edges.
    private static let shown: [(capture: String, mistake: String, said: String)] = [
        ("logger-chair", "doubled-depth", "2.0 times as long"), ("logger-chair", "late-images", "images 3 frames late"),
        ("logger-chair", "late-images-10", "images 10 frames late"), ("3dsa-chair", "half-depth", "0.5 times as long"),
        ("3dsa-chair", "late-10", "poses 10 frames late"), ("record3d-door", "in-feet", "0.305 times as long"),
        ("logger-mixed-orientation", "twice-as-far", "0.5 times as long"),
        ("logger-door-60fps", "half-as-far", "2.0 times as long"),
    ]

    @Test(
        "check names what other recordings cannot show",
        .enabled(if: Captures.have("logger-chair", "3dsa-chair")),
        arguments: shown
    )
    func shownByTheScene(capture: String, mistake: String, said: String) async throws {
        let folder = try Scratch()
        let variant = try await Peer.run("vary_recording.py", [Captures.path(capture).string, folder(""), mistake])
        let found = try await contradictions(variant.split(separator: "\n").first.map { String($0) } ?? "")
        #expect(found.contains { $0.contains(said) }, "\(found)")
    }

    @Test(
        "a map keeps what was scanned, as Open3D's of the same frames does",
        .serialized,
        .enabled(if: PeerPython.hasOpen3D, "needs Open3D, which tools/test installs"),
        .enabled(if: Captures.have("logger-chair", "3dsa-chair"), Comment(rawValue: Captures.absence)),
        arguments: ["logger-chair", "3dsa-chair", "logger-mixed-orientation", "stray-eyeq1", "logger-door-60fps"]
    )
    func maps(capture: String) async throws {
        let arguments = [Repository.path("tools/peers/judge_map.py"), Binary.path, Captures.path(capture).string]
        let verdict = try await PeerPython.runAside(arguments)
        #expect(verdict.status == 0, "\(verdict.everything)")
    }

    @Test(
        "who walks through a room fades, and thin things stay",
        .serialized,
        .enabled(if: PeerPython.hasOpen3D, "needs Open3D, which tools/test installs"),
        arguments: [["--walker"], ["--thin-things"]]
    )
    func carving(options: [String]) async throws {
        let folder = try Scratch()
        let shape = ["--duration", "18", "--fps", "3", "--size", "320x240"]
        try await Binary.succeed(["sample", "-o", folder("room")] + shape + options)
        let arguments = [Repository.path("tools/peers/judge_map.py"), Binary.path, folder("room")]
        let verdict = try await PeerPython.runAside(arguments)
        #expect(verdict.status == 0, "\(verdict.everything)")
    }
}
