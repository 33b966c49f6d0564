import CCycloneDDS
import Glibc

/// Cyclone DDS, loaded at run time; it stays loaded for the rest of the process.
package struct CycloneLibrary: Sendable {
    let dds: MedDDS
    /// The file that the dynamic loader found.
    package let path: String

    /// The names by which it is looked for: Debian's, that of releases and that of ROS 2's own packages.
    private static let names = ["libddsc.so.0debian", "libddsc.so.0", "libddsc.so"]

    /// Loads the file named by `MAPEVERYTHING_DDSC`, else the first library of version 0.10 that is found by name.
    package static func load(_ environment: [String: String]) throws(DDSError) -> CycloneLibrary {
        if let path = environment["MAPEVERYTHING_DDSC"], !path.isEmpty {
            do throws(Absence) {
                return try CycloneLibrary(path)
            } catch {
                throw .noLibrary(tried: ["\(path): \(error.reason)"])
            }
        }
        var tried: [String] = []
        for name in names {
            let library: CycloneLibrary
            do throws(Absence) {
                library = try CycloneLibrary(name)
            } catch {
                tried.append("\(name): \(error.reason)")
                continue
            }
            // There is no function for the version; the file is named by it.
            let file = library.path.split(separator: "/").last ?? ""
            guard file.hasSuffix(".so.0.10") || file.contains(".so.0.10.") else {
                throw .otherVersion(path: library.path, found: String(file))
            }
            return library
        }
        throw .noLibrary(tried: tried)
    }

    private struct Absence: Error {
        var reason: String
    }

    private init(_ name: String) throws(Absence) {
        guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "no library"
            throw Absence(reason: String(reason.dropFirst(reason.hasPrefix("\(name): ") ? name.count + 2 : 0)))
        }
        guard med_has_layouts(library) else {
            dlclose(library)
            throw Absence(reason: "a library that is not of version 0.10")
        }
        var missing: UnsafePointer<CChar>?
        let loaded = med_load(library, &missing)
        if let missing {
            let name = String(cString: missing)
            dlclose(library)
            throw Absence(reason: "a library without \(name)")
        }
        dds = loaded
        var found = med_origin()
        var path = name
        if let symbol = dlsym(library, "dds_create_domain"), med_dladdr(symbol, &found) != 0, let file = found.file {
            let resolved = realpath(file, nil)
            path = String(cString: resolved ?? UnsafeMutablePointer(mutating: file))
            free(resolved)
        }
        self.path = path
    }

    /// Throws what a negative result stands for.
    @discardableResult
    func check(_ result: Int32, _ what: String) throws(DDSError) -> Int32 {
        guard result < 0 else { return result }
        throw .failed(what: what, reason: reason(result))
    }

    /// Errors that the library has written to its log since this was asked last, and lines of its trace that say that a participant has
    /// no address that can be used.
    func log() -> [String] {
        let text = String(unsafeUninitializedCapacity: Int(med_log_room)) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { med_take_log(dds, $0.baseAddress) }
        }
        return text.split(separator: "\n").map { String($0) }
    }

    func reason(_ result: Int32) -> String {
        med_dds_strretcode(dds, result).map { String(cString: $0) } ?? "error \(result)"
    }
}
