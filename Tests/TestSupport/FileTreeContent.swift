import Foundation
package import SystemPackage

/// All files below a folder, by their names relative to it.
package struct FileTreeContent {
    package var files: [String: [UInt8]] = [:]

    package init(_ root: FilePath) throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: root.string) {
            let file = root.string + "/" + path
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
            files[path] = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        }
    }
}
