import Glibc
package import SystemPackage

/// The material beside the repository: real captures, bags made by others, and the programs that judge our output.
package enum SharedData {
    /// The repository that these tests belong to.
    package static let repository: FilePath = {
        // Tests/TestSupport/SharedData.swift is three levels below its root.
        var repository = FilePath(#filePath)
        for _ in 0..<3 { repository.removeLastComponent() }
        return repository
    }()

    /// The folder `shared` beside the repository.
    package static let root = repository.removingLastComponent().appending("shared")

    /// A path below it, such as `data/bags-rosbag2`.
    package static func path(_ relative: String) -> FilePath {
        root.appending(relative)
    }

    /// Whether a test that needs `relative` should run: it is there, or peers are required and the test has to fail.
    package static func has(_ relative: String) -> Bool {
        isRequired || access(path(relative).string, R_OK) == 0
    }

    /// Whether the environment asks that missing peers and data fail a test instead of skipping it.
    package static var isRequired: Bool {
        getenv("MAPEVERYTHING_REQUIRE_PEERS").map { String(cString: $0) == "1" } ?? false
    }
}
