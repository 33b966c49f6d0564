import Foundation
import SystemPackage
import TestSupport
import Testing

func write(_ bytes: [UInt8], to path: FilePath) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path.string))
}

func readFile(_ path: FilePath) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
}
