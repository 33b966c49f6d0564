import COnnxRuntime
import Glibc

/// The library of ONNX Runtime, loaded at run time.
///
/// It stays loaded for the rest of the process, as it does not support to be unloaded.
struct ONNXRuntime: Sendable {
    /// The version of the C interface: that of release 1.16, which all later ones have as well.
    static let interfaceVersion = 16

    let functions: OrtFunctions
    /// The name of the release, "1.20.1".
    let release: String

    /// Loads the library at a path, or the first that is found.
    ///
    /// - Parameters:
    ///   - path: A file, or a folder of the Python package or of a release; nil searches.
    ///   - environment: See ``RuntimeSearch/environment``.
    static func load(
        path: String?,
        environment: [String: String] = RuntimeSearch.environment
    ) throws(DepthNetworkError) -> ONNXRuntime {
        let named = [path, environment["ONNXRUNTIME_LIBRARY"]].compactMap(\.self).first { !$0.isEmpty }
        if let named { return try ONNXRuntime(path: try RuntimeSearch.library(at: named)) }
        var searched: [String] = []
        for place in RuntimeSearch.places(environment) {
            var failures: [String] = []
            for candidate in place.candidates {
                do {
                    return try ONNXRuntime(path: candidate)
                } catch .notRuntime(_, let found) where !candidate.contains("/") {
                    // Which says nothing but that there is none.
                    if !found.hasPrefix("cannot open shared object file") { failures.append(found) }
                } catch {
                    failures.append(error.description)
                }
            }
            searched.append(([place.name] + failures).joined(separator: ": "))
        }
        throw .noRuntime(searched: searched)
    }

    /// Loads a file, or by a name without slash what the dynamic loader has of that name.
    init(path: String) throws(DepthNetworkError) {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "no library"
            let begin = reason.hasPrefix("\(path): ") ? path.count + 2 : 0
            throw .notRuntime(path: path, found: shown(reason.dropFirst(begin), atMost: 300))
        }
        var isKept = false
        defer { if !isKept { dlclose(library) } }
        guard let base = ort_api_base(dlsym(library, "OrtGetApiBase")) else {
            throw .notRuntime(path: path, found: "a library without OrtGetApiBase")
        }
        let release = ort_version_string(base).map { String(cString: $0) } ?? "a release without name"
        // Asked first, as the library prints a line where it does not have the version.
        let numbers = release.split(separator: ".", maxSplits: 2).map { Int($0) }
        if numbers.count >= 2, let major = numbers[0], let minor = numbers[1] {
            guard major > 1 || (major == 1 && minor >= Self.interfaceVersion) else {
                throw .runtimeVersion(path: path, found: shown(release, atMost: 40))
            }
        }
        let functions = ort_functions(base, UInt32(Self.interfaceVersion))
        guard functions.slots != nil else { throw .runtimeVersion(path: path, found: shown(release, atMost: 40)) }
        isKept = true
        self.functions = functions
        self.release = shown(release, atMost: 40)
    }

    /// Throws what a status says, and releases it.
    func check(_ status: OpaquePointer?) throws(RuntimeFailure) {
        guard let status else { return }
        defer { ort_release_status(functions, status) }
        let text = ort_error_message(functions, status).map { String(cString: $0) } ?? ""
        throw RuntimeFailure(ofLibrary: text)
    }

    /// What a function of the library makes, which the caller releases.
    func make(
        _ function: (OrtFunctions, UnsafeMutablePointer<OpaquePointer?>) -> OpaquePointer?
    ) throws(RuntimeFailure) -> OpaquePointer {
        var made: OpaquePointer?
        try check(function(functions, &made))
        guard let made else { throw RuntimeFailure(message: "nothing was made, and no error said") }
        return made
    }

    /// A text that a function of the library allocates; nil where it gives none.
    func text(
        _ function: (OrtFunctions, OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> OpaquePointer?
    ) throws(RuntimeFailure) -> String? {
        let allocator = try make { ort_default_allocator($0, $1) }
        var allocated: UnsafeMutablePointer<CChar>?
        try check(function(functions, allocator, &allocated))
        guard let allocated else { return nil }
        let text = String(cString: allocated)
        try check(ort_free(functions, allocator, allocated))
        return text
    }
}
