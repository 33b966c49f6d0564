import Glibc

/// A new folder of its own for what a measurement writes; nothing else is ever removed.
struct ScratchFolder {
    let path: String

    /// Makes the folder inside of the one that `--scratch` names, else in memory.
    init(_ arguments: Arguments) throws(BenchError) {
        let parent = arguments.string("--scratch") ?? "/dev/shm"
        try makeDirectory(parent)
        var template = Array("\(parent)/mapeverything-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchError("--scratch: expected a folder that can be written, found \(parent)")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Removes the folder with all that was written into it.
    func remove() {
        _ = try? run(["rm", "-rf", "--one-file-system", path])
    }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }
}
