import FuzzTargets
import Glibc
import SystemPackage
import TestSupport
import Testing

/// The targets of tools/fuzz without its sanitizer, from the inputs that are kept.
///
/// Each has a process of its own, as it may break.
@Suite("Fuzzing")
struct KeptInputTests {
    @Test("nothing that is kept breaks anything, and nor do mutations of it", arguments: FuzzEffort.targets)
    func pass(_ name: String) async throws {
        let directory = try TemporaryDirectory()
        let result = await #expect(processExitsWith: .success) {
            [name = name as String, folder = directory.path.string as String] in
            let target = try #require(FuzzTarget.all.first { $0.name == name })
            try FuzzPass(in: folder).run(target, kept: try KeptFiles.inputs(of: name))
        }
        if result != nil { return }
        let input = String(decoding: KeptInputs.text(of: [try bytes(directory.appending("input"))]), as: UTF8.self)
        let said = String(decoding: try bytes(directory.appending("said")).prefix(2_000), as: UTF8.self)
        Issue.record("\(name) is broken by \(input)\(said)")
    }

    @Test("an input that breaks something is noticed, and is there afterwards")
    func broken() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .failure) { [folder = directory.path.string as String] in
            let target = FuzzTarget(name: "broken", seeds: { [[1], [7], [2]] }) { input in
                if input.first == 7 { exit(EXIT_FAILURE) }
            }
            try FuzzPass(in: folder).run(target, kept: [])
        }
        #expect(try bytes(directory.appending("input")) == [7])
    }

    @Test("every target has a file of kept inputs, the smallest first, and all are small together")
    func files() throws {
        var byteCount = 0
        for file in try KeptFiles.names() {
            let text = try bytes(KeptFiles.folder.appending(file))
            byteCount += text.count
            let inputs = try #require(KeptInputs.inputs(in: text), "\(file)")
            #expect(KeptInputs.text(of: inputs) == text && Set(inputs).count == inputs.count, "\(file)")
            if file.hasSuffix(KeptFiles.mended) { continue }
            #expect(KeptInputs.chosen(from: inputs, limit: .max) == inputs, "\(file)")
        }
        #expect(byteCount < 3_000_000)
        let names = Set(FuzzTarget.all.map(\.name))
        #expect(names.count == FuzzTarget.all.count)
        let kept = try KeptFiles.names().map { $0.replacing(KeptFiles.mended, with: "").replacing(".txt", with: "") }
        #expect(Set(kept) == names)
    }

    @Test("inputs are the same after they were written and read")
    func text() {
        let every = (0...255).map { UInt8($0) }
        let inputs: [[UInt8]] = [[], [0], [0x5C, 0x6E], Array("{\"a\": 1}\n\r\t".utf8), every, [0, 0x30, 0x31]]
        #expect(KeptInputs.inputs(in: KeptInputs.text(of: inputs)) == inputs)
        #expect(KeptInputs.text(of: [[0, 0x30, 0x5C, 0x0A, 0xFF, 0x20]]) == Array("\\00\\\\\\n\\xff \n".utf8))
        for text in ["no end", "\\", "\\a\n", "\\x1\n", "\\xg0\n"] {
            #expect(KeptInputs.inputs(in: Array(text.utf8)) == nil, "\(text)")
        }
        #expect(KeptInputs.chosen(from: [[3, 3], [2], [1], [2], [1, 1, 1]], limit: 4) == [[1], [2], [3, 3]])
    }
}

/// The files in tools/fuzz/Corpora: TARGET.txt is what coverage chose, TARGET.mended.txt what broke something once.
enum KeptFiles {
    static let folder = Checkout.path("tools/fuzz/Corpora")
    static let mended = ".mended.txt"

    static func names() throws -> [String] {
        let directory = try #require(opendir(folder.string))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    static func inputs(of target: String) throws -> [[UInt8]] {
        try [".txt", mended].flatMap { ending in
            let file = folder.appending(target + ending)
            guard access(file.string, R_OK) == 0 else { return [[UInt8]]() }
            return try #require(KeptInputs.inputs(in: try bytes(file)), "\(file)")
        }
    }
}

/// A whole file.
private func bytes(_ path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
        var bytes = [UInt8](repeating: 0, count: Int(try file.seek(offset: 0, from: .end)))
        let count = try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
        return Array(bytes.prefix(count))
    }
}
