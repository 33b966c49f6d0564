import Glibc
import Platform
import SystemPackage
import TestSupport
import Testing

/// A path that is no UTF-8 is read through a descriptor, and is told by its name.
@Suite struct ForeignPathTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("nobody reads of the descriptor; a command has a word that a shell takes")
    func told() throws {
        // ro\xFFom's
        let name: [UInt8] = Array("ro".utf8) + [0xFF] + Array("om's".utf8)
        let bytes = (Array("\(directory.path.string)/".utf8) + name + [0]).map { CChar(bitPattern: $0) }
        try #require(mkdir(bytes, 0o755) == 0)
        let path = bytes.withUnsafeBufferPointer { $0.baseAddress.map { ForeignPath.text($0) } ?? "" }
        try #require(path.hasPrefix("/proc/"))
        let read = "\(directory.path.string)/ro\u{FFFD}om's"
        #expect(ForeignPath.told("session \(path): \(path)/frames.jsonl") == "session \(read): \(read)/frames.jsonl")
        #expect(ForeignPath.name(of: FilePath(path)) == "ro\u{FFFD}om's")
        let word = ForeignPath.shellWord(path)
        #expect(word == "$'\(directory.path.string)/ro\\xFFom\\'s'")
        #expect(Advice.text("`mapeverything repair` helps", on: path) == "`mapeverything repair \(word)` helps")
    }

    @Test("other paths are as they were")
    func others() {
        for text in ["room", "/proc/self/fd/3", "/proc/1/fd/3: a place", "/proc/\(getpid())/fd/x", ""] {
            #expect(ForeignPath.told(text) == text)
        }
        #expect(ForeignPath.shellWord("my room") == "'my room'")
    }
}
