import Glibc
package import SystemPackage

/// Real captures and bags of other programs, which are no part of the repository: tests that need one skip without it.
package enum Captures {
    package static let absence = "needs real captures (MAPEVERYTHING_CAPTURES=FOLDER)"

    /// From MAPEVERYTHING_CAPTURES, else `shared/data` beside the repository.
    package static let root: FilePath = {
        if let named = getenv("MAPEVERYTHING_CAPTURES") { return FilePath(String(cString: named)) }
        return Checkout.root.removingLastComponent().appending("shared").appending("data")
    }()

    /// A file or folder of theirs, such as `bags-rosbag2`.
    package static func path(_ relative: String) -> FilePath { root.appending(FilePath(relative).components) }

    /// Whether all of these are there.
    package static func have(_ relative: String...) -> Bool {
        relative.allSatisfy { access(path($0).string, R_OK) == 0 }
    }
}
