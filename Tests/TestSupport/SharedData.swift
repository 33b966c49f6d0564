package import SystemPackage

/// The former name of ``Captures``, for tests that have not moved yet: `data/NAME` is the capture NAME.
package enum SharedData {
    package static func path(_ relative: String) -> FilePath { Captures.path(name(relative)) }
    package static func has(_ relative: String) -> Bool { Captures.have(name(relative)) }

    private static func name(_ relative: String) -> String {
        relative.hasPrefix("data/") ? String(relative.dropFirst(5)) : relative == "data" ? "" : relative
    }
}
