/// Why a depth network cannot be loaded, or gives no depth for an image.
package enum DepthNetworkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An option has a value that it cannot have.
    case option(name: String, expected: String, found: String)
    /// ONNX Runtime is not installed; with the places that were searched.
    case noRuntime(searched: [String])
    /// A file was named or found as the library of ONNX Runtime, and is none.
    case notRuntime(path: String, found: String)
    /// The library is too old.
    case runtimeVersion(path: String, found: String)
    /// The file of the model cannot be read, is no regular file, or is too large.
    case file(path: String, expected: String, found: String)
    /// ONNX Runtime does not accept the file as a model; with its message.
    case notModel(path: String, runtime: String, message: String)
    /// The model has other inputs, outputs or metadata than a depth network.
    case interface(path: String, expected: String, found: String)
    /// The image has no pixels, or not as many as its size says.
    case image(expected: String, found: String)
    /// The network has run, and its output is no depth.
    case output(path: String, expected: String, found: String)
    /// ONNX Runtime could not run the network; with its message.
    case run(path: String, message: String)

    /// True if the library is missing, and not the model wrong.
    package var isRuntime: Bool {
        switch self {
        case .noRuntime, .notRuntime, .runtimeVersion: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .option(let name, let expected, let found):
            "\(name): expected \(expected), found \(found)"
        case .noRuntime(let searched):
            "ONNX Runtime: expected libonnxruntime.so, found none: install it with `pip install onnxruntime`, or give "
                + "its path by --onnxruntime or ONNXRUNTIME_LIBRARY; searched: \(searched.joined(separator: "; "))"
        case .notRuntime(let path, let found):
            "\(path): expected the library of ONNX Runtime, found \(found)"
        case .runtimeVersion(let path, let found):
            "\(path): expected ONNX Runtime 1.\(ONNXRuntime.interfaceVersion) or newer, found \(found)"
        case .file(let path, let expected, let found), .interface(let path, let expected, let found),
            .output(let path, let expected, let found):
            "\(path): expected \(expected), found \(found)"
        case .notModel(let path, let runtime, let message):
            "\(path): expected a model that ONNX Runtime \(runtime) can load, found: \(message)"
        case .image(let expected, let found):
            "image: expected \(expected), found \(found)"
        case .run(let path, let message):
            "\(path): expected a run without error, found: \(message)"
        }
    }
}

/// Text of a model or library in a message: one line without control characters, not too long.
func shown(_ text: some StringProtocol, atMost count: Int) -> String {
    var line = ""
    for scalar in text.unicodeScalars.prefix(count) {
        line.unicodeScalars.append(scalar.properties.generalCategory == .control ? "?" : scalar)
    }
    return text.unicodeScalars.dropFirst(count).isEmpty ? line : line + "..."
}
