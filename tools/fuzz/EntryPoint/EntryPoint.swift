import FuzzTargets
import Glibc
import SystemPackage

/// What tools/fuzz/run builds: lists the targets, unpacks and packs inputs, and is libFuzzer for one target.
///
/// - `fuzz` lists the targets.
/// - `fuzz TARGET --seeds FOLDER` writes its seeds, and its dictionary beside the folder.
/// - `fuzz TARGET --unpack FILE FOLDER` writes the inputs that a text keeps.
/// - `fuzz TARGET --pack FOLDER FILE BYTES` keeps the smallest of a folder that are no seeds, so many bytes in all.
/// - `fuzz TARGET --mend FILE INPUT...` adds inputs to those that a text keeps.
/// - `fuzz TARGET` with libFuzzer's own options and folders runs it.
@main
enum EntryPoint {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else { return print(names.joined(separator: "\n")) }
        if getenv(inherited) != nil { exit(run(arguments[...])) }
        guard let target = chosen else {
            stop("expected one of \(names.joined(separator: ", ")), found \(arguments[1])", status: 64)
        }
        do {
            switch arguments.dropFirst(2).first {
            case "--seeds" where arguments.count == 4: try writeSeeds(of: target, into: FilePath(arguments[3]))
            case "--unpack" where arguments.count == 5:
                let prefix = FilePath(arguments[3]).lastComponent?.string ?? ""
                try write(try kept(arguments[3]), into: FilePath(arguments[4]), prefix: prefix + "-")
            case "--pack" where arguments.count == 6:
                let seeds = Set(target.seeds())
                let found = try inputs(in: arguments[3]).filter { !seeds.contains($0) }
                let chosen = KeptInputs.chosen(from: found, limit: Int(arguments[5]) ?? 0)
                try write(KeptInputs.text(of: chosen), to: FilePath(arguments[4]))
            case "--mend" where arguments.count > 4:
                var inputs = access(arguments[3], F_OK) == 0 ? try kept(arguments[3]) : []
                for input in try arguments[4...].map({ try read(FilePath($0)) }) where !inputs.contains(input) {
                    inputs.append(input)
                }
                try write(KeptInputs.text(of: inputs), to: FilePath(arguments[3]))
            default:
                setenv(inherited, target.name, 1)
                exit(run(arguments[..<1] + arguments[2...]))
            }
        } catch {
            stop("\(error)", status: 74)
        }
    }

    private static var names: [String] { FuzzTarget.all.map(\.name) }

    private static func run(_ arguments: ArraySlice<String>) -> CInt {
        // Of options that come again libFuzzer takes the last.
        let length = chosen.map { ["-max_len=\($0.maximumBytes)"] } ?? []
        // libFuzzer keeps pointers to its arguments: they are never freed.
        var vector = (arguments.prefix(1) + length + arguments.dropFirst()).map { strdup($0) } + [nil]
        var count = CInt(vector.count - 1)
        return vector.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return runDriver(&count, &start) { start, count in
                chosen?.run(UnsafeRawBufferPointer(start: start, count: count))
                return 0
            }
        }
    }

    private static func writeSeeds(of target: FuzzTarget, into folder: FilePath) throws {
        try write(target.seeds(), into: folder, prefix: "")
        try write(Array(target.dictionaryText.utf8), to: FilePath(folder.string + ".dictionary"))
    }

    private static func write(_ inputs: [[UInt8]], into folder: FilePath, prefix: String) throws {
        for (index, input) in inputs.enumerated() { try write(input, to: folder.appending("\(prefix)\(index)")) }
    }

    private static func write(_ bytes: [UInt8], to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path,
            .writeOnly,
            options: [.create, .truncate],
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    private static func read(_ path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes = [UInt8](repeating: 0, count: Int(try file.seek(offset: 0, from: .end)))
            let count = try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
            return Array(bytes.prefix(count))
        }
    }

    private static func kept(_ path: String) throws -> [[UInt8]] {
        guard let inputs = KeptInputs.inputs(in: try read(FilePath(path))) else {
            stop("\(path): no list of inputs", status: 65)
        }
        return inputs
    }

    /// Every file of a folder, which has no folders in it.
    private static func inputs(in folder: String) throws -> [[UInt8]] {
        guard let directory = opendir(folder) else { stop("\(folder): no folder", status: 66) }
        defer { closedir(directory) }
        var found: [[UInt8]] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { found.append(try read(FilePath(folder).appending(name))) }
        }
        return found
    }

    private static func stop(_ message: String, status: CInt) -> Never {
        let text = Array("fuzz: \(message)\n".utf8)
        _ = Glibc.write(2, text, text.count)
        exit(status)
    }
}

/// A merge starts this program again and again, with libFuzzer's options only: it names the target here.
private let inherited = "MAPEVERYTHING_FUZZ_TARGET"

/// What libFuzzer runs: its callback is a C function, which can capture nothing.
private let chosen: FuzzTarget? = {
    let name = getenv(inherited).map { String(cString: $0) } ?? CommandLine.arguments.dropFirst().first
    return FuzzTarget.all.first { $0.name == name }
}()

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
