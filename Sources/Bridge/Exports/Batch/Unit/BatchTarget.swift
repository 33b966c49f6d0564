import Bags
import Glibc
package import Platform
package import SystemPackage
import Text

/// The folder that holds the folders of all units, and in `.batch` what runs need: locks, folders that are being filled, and
/// why units failed.
package struct BatchTarget: Sendable {
    package let path: FilePath
    private var state: FilePath { path.appending(".batch") }
    private var locks: FilePath { state.appending("locks") }
    private var staging: FilePath { state.appending("staging") }
    private var failures: FilePath { state.appending("failures") }

    package init(_ path: FilePath) { self.path = path }

    package func folder(of unit: BatchUnit) -> FilePath { path.appending(unit.folder) }

    /// True if the unit's folder exists as a whole.
    package func isDone(_ unit: BatchUnit, reads: Bool = false) -> Bool {
        let folder = folder(of: unit)
        guard let success = UnitSuccess(in: folder), success.id == unit.id else { return false }
        return success.isWhole(in: folder, reads: reads)
    }

    /// Makes the folders that are not there yet.
    package func prepare() throws(FileError) {
        for folder in [path, state, locks, staging, failures] {
            guard mkdir(folder.string, 0o755) != 0, errno != EEXIST else { continue }
            throw FileError(path: folder, operation: "create", errno: Errno(rawValue: errno))
        }
    }

    /// Passes the whole results and the names of their folders, by these names.
    func forEachResult(_ body: (_ folder: String, UnitSuccess) throws -> Void) throws {
        for name in try directoryEntries(path) where !name.hasPrefix(".") {
            let folder = path.appending(name)
            guard let success = UnitSuccess(in: folder), success.isWhole(in: folder) else { continue }
            try body(name, success)
        }
    }

    // MARK: - One run of a unit at a time

    /// Takes the lock of a unit, which ends with the value and with the process; nil while another run has it.
    ///
    /// It only spares work: where it has no effect, as on some network file systems, two runs of a unit fill folders of
    /// their own, and one of them becomes the unit's.
    func lock(_ unit: BatchUnit) throws(FileError) -> UnitLock? {
        let path = locks.appending(unit.id)
        let descriptor = open(path.string, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(path: path, operation: "create", errno: Errno(rawValue: errno)) }
        let lock = UnitLock(descriptor: descriptor)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            if errno != EINTR { break }
        }
        return lock
    }

    // MARK: - Folders that are being filled

    /// Makes a folder that no other run fills; its name says of whom it is.
    func makeStaging(_ unit: BatchUnit) throws(FileError) -> FilePath {
        let folder = staging.appending("\(unit.id).\(ProcessMark.own.text).\(UInt32.random(in: 0 ... .max))")
        guard mkdir(folder.string, 0o755) == 0 else {
            throw FileError(path: folder, operation: "create", errno: Errno(rawValue: errno))
        }
        return folder
    }

    /// Removes what runs have left that died on this machine, also where another one has finished the unit.
    func removeRemains() {
        for name in (try? directoryEntries(staging)) ?? [] {
            let parts = name.split(separator: ".").map { String($0) }
            guard parts.count == 3, let mark = ProcessMark(parts[1]) else { continue }
            if mark.isOver { FileTree.remove(staging.appending(name)) }
        }
    }

    /// Gives a filled folder its name.
    ///
    /// - Returns: false where the name is taken.
    func show(_ staged: FilePath, as unit: BatchUnit) throws(FileError) -> Bool {
        let folder = folder(of: unit)
        guard rename(staged.string, folder.string) != 0 else {
            try Flush.folder(path)
            return true
        }
        guard [ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) else {
            throw FileError(path: folder, operation: "rename to", errno: Errno(rawValue: errno))
        }
        return false
    }

    // MARK: - Failures

    /// Why the unit failed last; nil where it did not.
    package func failure(of unit: BatchUnit) -> UnitFailure? {
        let path = failures.appending(unit.id + ".json")
        guard case .file(let count) = FileEntry(at: path.string), count < 1 << 20,
            let bytes = try? OutputFile.contents(of: path), let value = try? JSONValue.parse(bytes)
        else { return nil }
        return UnitFailure(json: value)
    }

    /// Keeps why a unit failed, as far as the target can be written at all.
    func note(_ failure: UnitFailure, of unit: BatchUnit) {
        let text = failure.json(unit).text(style: .pretty) + "\n"
        let path = failures.appending(unit.id + ".json")
        try? DurableFiles.replace(path, with: Array(text.utf8), synchronized: false)
    }

    func forgetFailure(of unit: BatchUnit) { unlink(failures.appending(unit.id + ".json").string) }
}

/// Holds a file's lock (flock(2)) as long as it lives.
final class UnitLock: Sendable {
    private let descriptor: Int32

    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

/// A process as the name of a folder says it: machine, number and start, so that another one with the number is told from it.
private struct ProcessMark: Hashable {
    let machine: String
    let process: pid_t
    let start: String

    static let own = ProcessMark(machine: machineName, process: getpid(), start: startTime(of: getpid()) ?? "0")

    private init(machine: String, process: pid_t, start: String) {
        (self.machine, self.process, self.start) = (machine, process, start)
    }

    init?(_ text: String) {
        let parts = text.split(separator: "_").map { String($0) }
        guard parts.count == 3, let process = pid_t(parts[1]) else { return nil }
        self.init(machine: parts[0], process: process, start: parts[2])
    }

    var text: String { "\(machine)_\(process)_\(start)" }

    /// True if the process ran on this machine and has ended.
    var isOver: Bool { machine == Self.machineName && start != "0" && Self.startTime(of: process) != start }

    private static let machineName: String = {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(text.map { ($0.isLetter || $0.isNumber) && $0.isASCII ? $0 : "-" })
    }()

    /// The 22nd field of proc(5)'s stat: ticks since the machine was started; the second has a name in parentheses.
    private static func startTime(of process: pid_t) -> String? {
        guard let file = fopen("/proc/\(process)/stat", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].split(separator: " ")
        return fields.count > 20 ? String(fields[20]) : nil
    }
}
