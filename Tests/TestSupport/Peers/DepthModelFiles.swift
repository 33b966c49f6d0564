import SystemPackage

/// The small depth networks that tools/peers/make_depth_models.py makes, once in a process.
package enum DepthModelFiles {
    /// `nil` where the Python peers are missing.
    package static let folder: String? = PeerPython.isAvailable ? (try? made.get())?.path.string : nil

    /// The Python environment that has ONNX Runtime.
    package static let runtime: String? = PeerPython.interpreter.map {
        FilePath($0).removingLastComponent().removingLastComponent().string
    }

    package static func path(_ name: String) -> String { "\(folder ?? "no-such-folder")/\(name).onnx" }

    private static let made = Result {
        let directory = try TemporaryDirectory()
        let script = Checkout.path("tools/peers/make_depth_models.py").string
        _ = try PeerPython.run([script, directory.path.string]).outputOfSuccess()
        return directory
    }
}
