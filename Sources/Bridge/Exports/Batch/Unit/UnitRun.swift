import Bags
import Glibc
package import Platform
import SystemPackage
import Text

/// Runs units, each in a program of its own: what ends one by a crash or for want of memory ends no other.
package struct UnitRun: Sendable {
    private let target: BatchTarget
    private let program: ExternalProgram
    private let version: String
    /// Worker threads of a unit's command.
    private let threads: Int
    /// After these a unit's command is ended; nil for twenty minutes and twenty times what it is expected to take.
    private let timeoutSeconds: Double?
    /// Where the recording lies, if it was brought from elsewhere.
    private let input: String?

    /// - Parameter program: what has `batch unit`: this program itself.
    package init(
        _ target: BatchTarget,
        program: ExternalProgram,
        version: String,
        threads: Int,
        timeoutSeconds: Double?,
        input: String? = nil
    ) {
        (self.target, self.program, self.version) = (target, program, version)
        (self.threads, self.timeoutSeconds, self.input) = (threads, timeoutSeconds, input)
    }

    /// Does a unit, if it is not done; waits for nothing but its command.
    package func run(_ unit: BatchUnit) -> UnitOutcome {
        if target.isDone(unit) {
            // A run may have failed when all was in place, and only not known to be on the disk.
            target.forgetFailure(of: unit)
            return .done(isNew: false)
        }
        do throws(UnitError) {
            return try locked(unit)
        } catch {
            switch error {
            case .busy: return .busy
            case .failed(let failure):
                target.note(failure, of: unit)
                return .failed(failure)
            }
        }
    }

    /// Removes what killed runs have left in the target.
    func removeRemains() { target.removeRemains() }

    private enum UnitError: Error {
        case busy
        case failed(UnitFailure)
    }

    /// Runs a body whose errors are failures of the target.
    private func writing<Value>(_ body: () throws(FileError) -> Value) throws(UnitError) -> Value {
        do throws(FileError) { return try body() } catch { throw .failed(.target(error)) }
    }

    private func locked(_ unit: BatchUnit) throws(UnitError) -> UnitOutcome {
        guard let lock = try writing({ () throws(FileError) in try target.lock(unit) }) else { throw .busy }
        defer { withExtendedLifetime(lock) {} }
        if target.isDone(unit) { return .done(isNew: false) }
        try refuseTaken(unit)
        try checkIdentity(unit, changed: "changed since it was planned")
        let folder = try writing { () throws(FileError) in try target.makeStaging(unit) }
        defer { FileTree.remove(folder) }
        let (facts, report) = try runCommand(unit, in: folder)
        let files = try writing { () throws(FileError) in try settle(folder) }
        guard files.contains(where: { $0.name != RecordingExtent.thumbnail }) else {
            throw .failed(.again("the command ended well and wrote nothing"))
        }
        try checkIdentity(unit, changed: "changed while it was read")
        let success = UnitSuccess(unit, version: version, facts: facts, report: report, files: files)
        try writing { () throws(FileError) in try success.write(in: folder) }
        // Another machine may have done it meanwhile.
        if try !writing({ () throws(FileError) in try target.show(folder, as: unit) }), !target.isDone(unit) {
            try refuseTaken(unit)
        }
        target.forgetFailure(of: unit)
        return .done(isNew: true)
    }

    /// Throws if anything but a whole result has the unit's name: it was not made by this run, and stays.
    private func refuseTaken(_ unit: BatchUnit) throws(UnitError) {
        let folder = target.folder(of: unit)
        guard FileType(of: folder) != nil else { return }
        let reason = "\(folder): expected nothing or the whole result of the unit, found something else: move it away"
        throw .failed(UnitFailure(kind: .again, status: 73, error: reason))
    }

    private var source: (BatchUnit) -> String { { input ?? $0.input } }

    private func checkIdentity(_ unit: BatchUnit, changed: String) throws(UnitError) {
        let path = source(unit)
        let scheme = unit.identity.split(separator: ":").first.flatMap {
            RecordingIdentity.Scheme(rawValue: String($0))
        }
        guard let scheme else {
            throw .failed(.never("\"identity\": expected content:… or names:…, found \(unit.identity)"))
        }
        let found: RecordingIdentity
        do throws(FileError) {
            found = try RecordingIdentity(of: FilePath(path), scheme)
        } catch {
            throw .failed(.again("\(path): expected the recording, found: \(error)"))
        }
        guard found.text == unit.identity else {
            throw .failed(
                .never("\(path): it \(changed) (\(found.text.prefix(20)), not \(unit.identity.prefix(20))): plan again")
            )
        }
    }

    private func runCommand(_ unit: BatchUnit, in folder: FilePath) throws(UnitError) -> (JSONValue, JSONValue?) {
        let facts = folder.appending(".facts.json")
        // The output of a check is its report.
        let isReport = unit.product.isReport
        let report = folder.appending(isReport ? unit.output : ".report.json")
        var arguments = [
            "batch", "unit", "--parent", "\(getpid())", "--memory", "\(unit.memoryBytes)", "--facts", facts.string,
            "--thumbnail", folder.appending(RecordingExtent.thumbnail).string, "--", source(unit),
        ]
        arguments += unit.product.arguments(input: source(unit), output: folder.appending(unit.output).string)
        arguments += unit.options + ["--progress", "off"]
        if unit.product.takesWorkers { arguments += ["-j", "\(threads)"] }
        if !isReport { arguments += ["--report", report.string] }
        let seconds = timeoutSeconds ?? 1200 + 20 * unit.seconds
        let outcome: ExternalProgram.Outcome
        do throws(FileError) {
            outcome = try program.run(arguments, seconds: seconds)
        } catch {
            let reason = error.errno == .timedOut ? "it took more than \(Int(seconds)) s and was ended" : "\(error)"
            throw .failed(.again(reason))
        }
        guard unit.product.isDone(outcome.status) else { throw .failed(failure(outcome, unit)) }
        let told = (try json(facts) ?? .null, try json(report))
        // They are no part of the result; where the command failed the whole folder goes.
        try writing { () throws(FileError) in
            try DurableFiles.remove(facts)
            if !isReport { try DurableFiles.remove(report) }
        }
        return told
    }

    /// The value in a file that the command has written; nil where there is none.
    private func json(_ path: FilePath) throws(UnitError) -> JSONValue? {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try OutputFile.contents(of: path)
        } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw .failed(.again("\(error)"))
        }
        return try? JSONValue.parse(bytes)
    }

    /// The last error that the command has printed, or how it ended.
    private func failure(_ outcome: ExternalProgram.Outcome, _ unit: BatchUnit) -> UnitFailure {
        let mark = "mapeverything: "
        let line = outcome.output.split(whereSeparator: \.isNewline).last { $0.hasPrefix(mark) }
        var error = line.map { String($0.dropFirst(mark.count).prefix(1000)) } ?? outcome.description
        if outcome.status > 128 {
            error = "ended by signal \(outcome.status - 128), with memory limited to \(unit.memoryBytes >> 20) MiB"
        }
        return UnitFailure(command: Int(outcome.status), error: error)
    }

    /// Waits until all files are on the disk, and says what they are, by name.
    private func settle(_ folder: FilePath) throws(FileError) -> [UnitSuccess.File] {
        var names: [(String, Int)] = []
        try FileListing.list(folder, limit: 5_000_000) { names.append(($0, $1)) }
        var files: [UnitSuccess.File] = []
        for (name, bytes) in names.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
            let path = folder.pushing(FilePath(name))
            try Flush.file(path)
            files.append(UnitSuccess.File(name: name, bytes: bytes, sha256: try FileHash.read(path).digest))
        }
        try Flush.folder(folder)
        return files
    }
}
