import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Files without a name")
struct NamelessFileTests {
    private let directory: TemporaryDirectory
    private static let text = Data("what is in it".utf8)

    init() throws { directory = try TemporaryDirectory() }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path.string)
    }

    /// Whether the file system can make one at all (O_TMPFILE); where it cannot, there is a name until the first use.
    private var canBeNameless: Bool {
        let descriptor = open(directory.path.string, O_RDWR | O_DIRECTORY | 0o20000000, 0o600)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    @Test("one is written and read through its descriptor, and seen in its folder only while it has a name")
    func content() throws {
        let file = try NamelessFile(in: directory.path)
        if canBeNameless { #expect(try names() == []) }
        let writer = try FileDescriptor.open(file.descriptorPath, .writeOnly)
        _ = try writer.closeAfter { try writer.writeAll(Self.text) }
        #expect(try read(file.descriptorPath) == Self.text)
        let named = try file.withName { path in
            #expect(try names() == [path.lastComponent?.string ?? ""])
            return try read(path)
        }
        #expect(named == Self.text)
        #expect(try names() == [])
        #expect(try read(file.descriptorPath) == Self.text)
    }

    @Test("a name is taken away where its use fails")
    func failure() throws {
        let file = try NamelessFile(in: directory.path)
        #expect(throws: Errno.interrupted) {
            try file.withName { (_: FilePath) throws -> Void in throw Errno.interrupted }
        }
        #expect(try names() == [])
    }

    @Test("a folder that is not there is named")
    func noFolder() throws {
        let missing = directory.appending("missing")
        #expect { try NamelessFile(in: missing) } throws: { ($0 as? FileError)?.path == missing }
    }

    private func read(_ path: FilePath) throws -> Data {
        let reader = try FileDescriptor.open(path, .readOnly)
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = try reader.closeAfter { try bytes.withUnsafeMutableBytes { try reader.read(into: $0) } }
        return Data(bytes.prefix(count))
    }
}
