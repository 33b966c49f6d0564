import Glibc

/// Where the library of ONNX Runtime may be.
enum RuntimeSearch {
    /// A place to search, and the files or names that are to be tried there.
    struct Place {
        var name: String
        var candidates: [String]
    }

    /// The variables of the environment that the search knows, where they are set.
    static var environment: [String: String] {
        var values: [String: String] = [:]
        for name in ["ONNXRUNTIME_LIBRARY", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME"] {
            values[name] = getenv(name).map { String(cString: $0) }
        }
        return values
    }

    /// All places in the order in which they are searched: the dynamic loader, then the Python environments.
    static func places(_ environment: [String: String]) -> [Place] {
        var places = ["libonnxruntime.so", "libonnxruntime.so.1"].map {
            Place(name: "\($0) of the dynamic loader", candidates: [$0])
        }
        var packages: [(root: String, pattern: String)] = []
        for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
            guard let root = environment[variable], !root.isEmpty else { continue }
            packages.append((root, "/lib/python3*/site-packages"))
        }
        if let home = environment["HOME"], !home.isEmpty {
            packages.append((home, "/.local/lib/python3*/site-packages"))
        }
        packages.append(("/usr/local", "/lib/python3*/dist-packages"))
        packages.append(("/usr/local", "/lib/python3*/site-packages"))
        packages.append(("/usr", "/lib/python3/dist-packages"))
        for (root, packagePattern) in packages {
            let pattern = packagePattern + "/onnxruntime/capi/libonnxruntime.so*"
            places.append(Place(name: root + pattern, candidates: matches(in: root, pattern)))
        }
        return places
    }

    /// The library that a path names.
    ///
    /// A file, or the first in a folder of the Python package, of a Python environment or of a release. A name without
    /// slash that is no file is left to the dynamic loader.
    static func library(at path: String) throws(DepthNetworkError) -> String {
        var information = stat()
        guard stat(path, &information) == 0 else {
            if !path.contains("/") { return path }
            throw .notRuntime(path: path, found: String(cString: strerror(errno)))
        }
        let local = path.contains("/") ? path : "./" + path
        switch information.st_mode & S_IFMT {
        case S_IFREG: return local
        case S_IFDIR: break
        // The dynamic loader would wait for the writer of a named pipe.
        default: throw .notRuntime(path: path, found: "something that is no regular file")
        }
        let folders = ["", "/capi", "/onnxruntime/capi", "/lib", "/lib/python3*/site-packages/onnxruntime/capi"]
        let found = folders.lazy.compactMap { matches(in: local, $0 + "/libonnxruntime.so*").first }.first
        guard let found else { throw .notRuntime(path: path, found: "a folder without libonnxruntime.so") }
        return found
    }

    /// The regular files below a folder that match a pattern of the shell, sorted by name.
    private static func matches(in root: String, _ pattern: String) -> [String] {
        // The characters of the folder stand for themselves.
        var whole = ""
        for character in root {
            if "*?[\\".contains(character) { whole.append("\\") }
            whole.append(character)
        }
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(whole + pattern, 0, nil, &found) == 0 else { return [] }
        let paths = (0..<Int(found.gl_pathc)).compactMap { index in
            found.gl_pathv?[index].map { String(cString: $0) }
        }
        return paths.filter { path in
            var information = stat()
            return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
        }
    }
}
