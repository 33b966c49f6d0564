import Testing

/// Two worlds and one bridge: no line in Package.swift can break the boundaries between the groups.
@Suite("Layers")
struct LayerTests {
    /// The groups whose libraries those of a group may import, besides their own.
    private static let groupArrows: [String: Set<String>] = [
        "Base": ["System"], "Capture": ["Base", "System"], "ROS": ["Base", "System"],
        "Network": ["Base", "ROS", "System"],
        "Bridge": ["Base", "Capture", "Network", "ROS"],
    ]

    /// What a library depends on is written in Package.swift alone, and the compiler holds it to that.
    @Test("a library imports those of its own group and of groups beneath", arguments: groupArrows.keys.sorted())
    func imports(group: String) throws {
        let groups = try Manifest.groups()
        #expect(Set(groups.values) == Set(Self.groupArrows.keys))
        let ours = Set(try Manifest.targets())
        for target in groups.filter({ $0.value == group }).map(\.key) {
            let files = try Manifest.files(of: target)
            #expect(!files.isEmpty)
            for file in files {
                for module in Self.imports(of: file) where ours.contains(module) {
                    let other = groups[module] ?? "System"
                    let isBeneath = Self.groupArrows[group]?.contains(other) == true
                    #expect(other == group || isBeneath, "\(file) imports \(module)")
                }
            }
        }
    }

    @Test("the WebSocket core imports nothing, JSON only the C library")
    func noImports() throws {
        let core = try Manifest.files(of: "WebSocket").filter { !$0.path.hasSuffix("/ZlibStreams.swift") }
        let json = try Manifest.files(of: "Text").filter { $0.path.contains("/JSONText/") }
        #expect(core.count > 10 && json.count > 5)
        for file in core { #expect(Self.imports(of: file) == [], "\(file)") }
        for file in json { #expect(Self.imports(of: file).allSatisfy { $0 == "Glibc" }, "\(file)") }
    }

    @Test("there are at most twenty libraries")
    func fewLibraries() throws {
        #expect((10...20).contains(try Manifest.groups().count))
    }

    @Test("the page of a library says in a few lines what it is for, and which of its files to read first")
    func libraryPages() throws {
        for (library, group) in try Manifest.groups() {
            let folder = "Sources/\(group)/\(library)"
            let page = try Repository.file("\(folder)/README.md")
            #expect(page.text.hasPrefix("# \(library)\n") && page.lines.count <= 9, "\(page)")
            let start = try #require(page.lines.last { $0.hasPrefix("Begin with ") }, "\(page)")
            let files = start.matches(of: /`([\w\/+]+\.swift)`/).map { String($0.output.1) }
            #expect(!files.isEmpty, "\(page)")
            for file in files { #expect(Repository.exists("\(folder)/\(file)"), "\(page): \(file)") }
        }
    }

    @Test("the code of the capture world does not speak of ROS")
    func captureWorldKnowsNoROS() throws {
        try expectNo(["ROS", "ros2", "Rosb", "rosb"], in: "Capture")
    }

    @Test("the code of the ROS world does not speak of phones", arguments: ["ROS", "Network"])
    func rosWorldKnowsNoPhone(group: String) throws {
        try expectNo(["ARKit", "arkit", "CoreMotion", "iPhone", "iphone", "lidar", "LiDAR"], in: group)
    }

    @Test("records and videos of a session are read by FrameWalk alone")
    func oneWalk() throws {
        let sources = try Repository.files("Sources", endings: [".swift"])
        let walked = sources.filter { !$0.path.contains("Capture/Sessions/") }
        #expect(walked.count > 500 && walked.count < sources.count)
        // What a session of another world gives is no reading.
        let gives = "func records(_ request: RecordRequest) throws -> any RecordCursor {"
        let reads = [".records(", "makeVideoPass", "RecordCursor"]
        for file in walked {
            for (number, line) in file.code.enumerated()
            where reads.contains(where: { line.contains($0) }) && !line.hasSuffix(gives) {
                Issue.record("\(file):\(number + 1): \(line)")
            }
        }
        let opens = sources.contains { $0.path.hasSuffix("Frames/FrameWalk.swift") && $0.text.contains(".records(") }
        #expect(opens)
    }

    @Test("no folder has many more than fifteen files")
    func folders() throws {
        var counts: [String: Int] = [:]
        for file in try Repository.files("Sources") + Repository.files("Tests") where file.path.hasSuffix(".swift") {
            counts[file.path.split(separator: "/").dropLast().joined(separator: "/"), default: 0] += 1
        }
        #expect(counts.count > 60)
        for (folder, count) in counts { #expect(count <= 16, "\(folder): \(count) files") }
    }

    private func expectNo(_ words: [String], in group: String) throws {
        let files = try Repository.files("Sources/\(group)", endings: [".swift"])
        #expect(!files.isEmpty)
        for file in files {
            for word in words where file.text.contains(word) {
                for (number, line) in file.code.enumerated() where line.contains(word) {
                    Issue.record("\(file):\(number + 1): \(word): \(line)")
                }
            }
        }
    }

    private static func imports(of file: Repository.File) -> [String] {
        file.code.filter { $0.contains("import ") }.compactMap { line in
            line.firstMatch(
                of:
                    /^\s*(?:(?:package|internal|private|fileprivate|public|@\w+)\s+)*import\s+(?:(?:struct|enum|class|func|protocol|typealias|let|var)\s+)?(\w+)/
            )
            .map { String($0.output.1) }
        }
    }
}

/// Package.swift, as far as names go.
enum Manifest {
    /// Every target, in the order of the manifest.
    static func targets() throws -> [String] {
        let text = SwiftManifestText.withoutComments(try Repository.file("Package.swift").text)
        var found: [(Substring.Index, String)] = []
        for match in text.matches(of: /\blibrary\(\s*"(\w+)"/) {
            found.append((match.range.lowerBound, String(match.output.1)))
        }
        for match in text.matches(of: /\btests\(\s*"(\w+)"/) {
            found.append((match.range.lowerBound, "\(match.output.1)Tests"))
        }
        for match in text.matches(of: /\bsystemLibrary\(\s*"(\w+)"/) {
            found.append((match.range.lowerBound, String(match.output.1)))
        }
        for match in text.matches(of: /\.(?:systemLibrary|target|executableTarget|testTarget)\(\s*name:\s*"(\w+)"/) {
            found.append((match.range.lowerBound, String(match.output.1)))
        }
        return found.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The groups of the libraries.
    static func groups() throws -> [String: String] {
        let text = SwiftManifestText.withoutComments(try Repository.file("Package.swift").text)
        let pairs = text.matches(of: /\blibrary\(\s*"(\w+)",\s*in: "(\w+)"/)
            .map { (String($0.output.1), String($0.output.2)) }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The sources of a library.
    static func files(of target: String) throws -> [Repository.File] {
        guard let group = try groups()[target] else { return [] }
        return try Repository.files("Sources/\(group)/\(target)", endings: [".swift"])
    }
}

private enum SwiftManifestText {
    static func withoutComments(_ text: String) -> Substring {
        Substring(
            text.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
                .joined(separator: "\n")
        )
    }
}
