import Glibc

/// `fuzz` lists the targets, `fuzz TARGET --seeds FOLDER` writes its seeds and its dictionary, and `fuzz TARGET` with
/// libFuzzer's own options and folders runs it.
@main
enum EntryPoint {
    static func main() {
        let arguments = CommandLine.arguments
        let names = FuzzTarget.all.map(\.name)
        guard arguments.count > 1 else { return print(names.joined(separator: "\n")) }
        guard let target = chosen else {
            stop("expected one of \(names.joined(separator: ", ")), found \(arguments[1])", status: 64)
        }
        if arguments.count == 4, arguments[2] == "--seeds" { return writeSeeds(of: target, into: arguments[3]) }
        exit(run(arguments[..<1] + arguments[2...]))
    }

    private static func run(_ arguments: ArraySlice<String>) -> CInt {
        // libFuzzer keeps pointers to its arguments: they are never freed.
        var vector: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var count = CInt(vector.count - 1)
        return vector.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return runDriver(&count, &start) { start, count in
                chosen?.run(UnsafeRawBufferPointer(start: start, count: count))
                return 0
            }
        }
    }

    private static func writeSeeds(of target: FuzzTarget, into folder: String) {
        for (index, seed) in target.seeds().enumerated() { write(seed, to: "\(folder)/\(index)") }
        write(Array(target.dictionaryText.utf8), to: "\(folder).dictionary")
    }

    private static func write(_ bytes: [UInt8], to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard descriptor >= 0 else { stop("\(path): cannot be written", status: 73) }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ Glibc.write(descriptor, $0.baseAddress, $0.count) }) == bytes.count else {
            stop("\(path): cannot be written", status: 74)
        }
    }

    private static func stop(_ message: String, status: CInt) -> Never {
        let text = Array("fuzz: \(message)\n".utf8)
        _ = Glibc.write(2, text, text.count)
        exit(status)
    }
}

/// What libFuzzer runs: its callback is a C function, which can capture nothing.
private let chosen = FuzzTarget.all.first { $0.name == CommandLine.arguments.dropFirst().first }

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
