import Testing

/// Two worlds and one bridge: what Package.swift allows is held to a plan, so that one line there cannot tear it down.
@Suite("Layers")
struct LayerTests {
    /// The targets of this package that each target may import.
    private static let arrows: [String: Set<String>] = [
        "JSONText": [],
        "YAMLText": [],
        "Files": [],
        "Capture": [],
        "Codecs": ["Capture", "Files", "CTurboJPEG", "CZlib"],
        "Sessions": ["Capture", "Codecs", "Files", "JSONText"],
        "PointClouds": ["Capture"],
        "Synthetic": ["Capture", "Codecs"],
        "ROS": ["JSONText"],
        "DynamicMessages": ["ROS", "JSONText"],
        "Containers": ["Files", "CSQLite", "CZlib", "CZstd", "CLZ4"],
        "Bags": ["ROS", "Containers", "DynamicMessages", "Files", "JSONText", "YAMLText"],
        "BagConversion": ["Bags", "DynamicMessages", "ROS", "JSONText"],
        "BagCheck": ["Bags", "Containers", "DynamicMessages", "Files", "ROS", "JSONText", "YAMLText"],
        "BagRepair": ["BagCheck", "Bags", "Containers", "DynamicMessages", "Files", "ROS"],
        "Playback": ["ROS"],
        "BagPlayback": ["Bags", "BagConversion", "DynamicMessages", "JSONText", "Playback", "ROS"],
        "WebSocket": [],
        "WebSocketDeflate": ["WebSocket", "CZlib"],
        "Rosbridge": ["ROS", "JSONText", "WebSocket"],
        "Replay": ["Capture", "Codecs", "JSONText", "Sessions", "PointClouds", "Playback", "ROS", "YAMLText"],
    ]
    private static let captureWorld = ["Capture", "Codecs", "Sessions", "PointClouds", "Synthetic"]
    private static let rosWorld = [
        "ROS", "DynamicMessages", "Containers", "Bags", "BagConversion", "BagCheck", "BagRepair", "Playback",
        "BagPlayback", "WebSocket", "WebSocketDeflate", "Rosbridge",
    ]

    @Test("imports follow the arrows", arguments: arrows.keys.sorted())
    func imports(target: String) throws {
        let allowed = Self.arrows[target] ?? []
        let ours = Set(try Manifest.targets())
        let files = try Repository.files("Sources/\(target)", endings: [".swift"])
        #expect(!files.isEmpty)
        for file in files {
            for module in Self.imports(of: file) where ours.contains(module) {
                #expect(allowed.contains(module), "\(file) imports \(module)")
            }
        }
    }

    @Test("the WebSocket core imports nothing, JSON only the C library")
    func noImports() throws {
        for file in try Repository.files("Sources/WebSocket", endings: [".swift"]) {
            #expect(Self.imports(of: file) == [], "\(file)")
        }
        for file in try Repository.files("Sources/JSONText", endings: [".swift"]) {
            #expect(Self.imports(of: file).allSatisfy { $0 == "Glibc" }, "\(file)")
        }
    }

    @Test("the code of the capture world does not speak of ROS", arguments: captureWorld)
    func captureWorldKnowsNoROS(target: String) throws {
        try expectNo(["ROS", "ros2", "Rosb", "rosb"], in: target)
    }

    @Test("the code of the ROS world does not speak of phones", arguments: rosWorld)
    func rosWorldKnowsNoPhone(target: String) throws {
        try expectNo(["ARKit", "arkit", "CoreMotion", "iPhone", "iphone", "lidar", "LiDAR"], in: target)
    }

    private func expectNo(_ words: [String], in target: String) throws {
        for file in try Repository.files("Sources/\(target)", endings: [".swift"]) {
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
        for match in text.matches(of: /\.(?:systemLibrary|target|executableTarget|testTarget)\(\s*name:\s*"(\w+)"/) {
            found.append((match.range.lowerBound, String(match.output.1)))
        }
        return found.sorted { $0.0 < $1.0 }.map(\.1)
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
