import Foundation
import SystemPackage
import TestSupport
import Testing

/// Captures made by others, beside the repository.
enum SharedCaptures {
    static var isAvailable: Bool { SharedData.has("data") }

    static func path(_ path: String) -> String { SharedData.path("data/" + path).string }

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: self.path(path))))
    }
}

func write(_ bytes: [UInt8], to path: FilePath) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path.string))
}

func readFile(_ path: FilePath) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
}
