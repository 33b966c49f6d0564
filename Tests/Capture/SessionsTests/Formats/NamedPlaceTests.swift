import Recording
import Sessions
import TestSupport
import Testing

/// Lists whose paths are those of another machine, or whose files have been moved.
@Suite struct NamedPlaceTests {
    private func lay(
        _ image: @escaping (String) -> String,
        files: (String) -> String = { $0 },
        saysCamera: Bool = true
    ) async throws -> Relaid {
        var layout = TransformsTests.Layout()
        layout.saysCamera = saysCamera
        if !saysCamera { layout.top = "\"camera_angle_x\": 1.2," }
        var relaid = layout.lay(try await RelaidTruth.standard.value)
        let text = String(decoding: try #require(relaid.files["transforms.json"]), as: UTF8.self)
        let edited = text.replacing(/"(\.\/)?((images|depth)\/[^"]*)"/) { "\"\(image(String($0.2)))\"" }
        var moved = Relaid()
        for (name, bytes) in relaid.files where name != "transforms.json" { moved.files[files(name)] = bytes }
        moved.put(edited, "transforms.json")
        relaid = moved
        return relaid
    }

    private static func base(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    enum Written: String, CaseIterable, Sendable {
        case backslashes, absolute, drive, outside, elsewhere

        func path(_ path: String) -> String {
            let windows = path.replacing("/", with: #"\\"#)
            return switch self {
            case .backslashes: #".\\"# + windows
            case .absolute: "/disk/me/data/room/" + path
            case .drive: #"C:\\Users\\me\\room\\"# + windows
            case .outside: "../room/" + path
            case .elsewhere: "/tmp/" + NamedPlaceTests.base(path)
            }
        }
    }

    /// Pictures and depth are found by the ends of their paths, in their folders or beside the list, and this is said.
    @Test(arguments: Written.allCases)
    func foundByTheirEnds(_ written: Written) async throws {
        let session = try await lay(written.path).read()
        #expect(session.frames.count == 20 && session.frames.allSatisfy { $0.hasImage && $0.depthSize != nil })
        let isSaid = session.diagnostics.count(of: .foundElsewhere)
        #expect(isSaid == (written == .backslashes ? 0 : 2), "\(session.diagnostics.entries)")
        #expect(session.diagnostics.lostCount == 0)
    }

    @Test func besideTheList() async throws {
        let session = try await lay({ $0 }, files: Self.base).read()
        #expect(session.frames.allSatisfy { $0.hasImage && $0.depthSize != nil })
        let remark = try #require(session.diagnostics.entries.first { $0.kind == .foundElsewhere }?.examples.first)
        #expect(remark.field == "file_path" && remark.expected == "images/frame_00001.jpg")
        #expect(remark.found == "frame_00001.jpg")
        // The size of the picture comes from where the pictures are.
        let sized = try await lay({ $0 }, files: Self.base, saysCamera: false).read()
        #expect(sized.frames.count == 20 && sized.frames[0].intrinsics.width == 96)
    }

    /// Pictures that were coded anew, or lie in one folder of another name, are found, and this is said.
    @Test func codedAnewOrInAnotherFolder() async throws {
        let written = Written.absolute.path
        for (path, files, found) in [
            ({ written($0).replacing(".jpg", with: ".jpeg") }, { $0 }, "images/frame_00001.jpg"),
            ({ $0.replacing(".jpg", with: ".png") }, { $0 }, "images/frame_00001.jpg"),
            ({ $0 }, { $0.replacing("images/", with: "My Dataset/") }, "My Dataset/frame_00001.jpg"),
        ] as [((String) -> String, (String) -> String, String)] {
            let session = try await lay({ $0.hasPrefix("images") ? path($0) : $0 }, files: files).read()
            #expect(session.frames.count == 20 && session.frames.allSatisfy { $0.hasImage && $0.depthSize != nil })
            let remark = session.diagnostics.entries.first { $0.kind == .foundElsewhere }?.examples.first
            #expect(remark?.found == found && session.diagnostics.lostCount == 0, "\(session.diagnostics.entries)")
        }
        // Depth of the same names is no picture, and of two folders none is taken.
        let depth = try await lay({ $0 }, files: { $0.replacing("images/", with: "depth_viz/") }).read()
        #expect(depth.diagnostics.count(of: .streamMissing) == 1)
        var relaid = try await lay({ $0 }, files: { $0.replacing("images/", with: "a/") })
        for (name, bytes) in relaid.files where name.hasPrefix("a/") { relaid.files["b/" + Self.base(name)] = bytes }
        #expect(try relaid.read().diagnostics.count(of: .streamMissing) == 1)
    }

    /// A name that two frames would share is of one of them at most: nothing is taken by it.
    @Test func oneFileIsNotThatOfTwo() async throws {
        var count = 0
        let relaid = try await lay({ path in
            count += 1
            return "/data/\(count)/" + (path.hasPrefix("images") ? "frame_00001.jpg" : Self.base(path))
        })
        let session = try relaid.read()
        #expect(session.frames.count == 20 && session.frames.allSatisfy { !$0.hasImage && $0.depthSize != nil })
        let problem = try #require(session.diagnostics.entries.first { $0.kind == .streamMissing }?.examples.first)
        #expect(problem.file == "images" && problem.found == "none of 20")
    }

    /// What is not found is an error that names it.
    @Test func nothingIsThere() async throws {
        let session = try await lay(Written.absolute.path, files: { "elsewhere/" + $0 }).read()
        #expect(session.kinds == [.streamMissing: 2, .timesAssumed: 1])
        let examples = session.diagnostics.entries.flatMap(\.examples).filter { $0.kind == .streamMissing }
        #expect(examples.map(\.file) == ["images", "depth"] && examples.allSatisfy { $0.found == "none of 20" })
        #expect(examples[0].expected.contains("disk/me/data/room/images/frame_00001.jpg"))
    }
}
