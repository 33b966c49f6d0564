import Glibc
import Perception
import Recording
import SystemPackage
import TestSupport
import Testing

/// What is no depth network is refused with a reason, and never ends the process.
@Suite("Refused depth networks") struct DepthRefusalTests {
    private static let image = "expected one input N x 3 x H x W of float32, found "
    private static let depth = "expected one output N x H x W, N x 1 x H x W or H x W of float32, found "

    @Test(
        "models that do not fit are named with what they have",
        .enabled(if: DepthModels.isAvailable, Comment(rawValue: DepthModels.absence)),
        arguments: [
            ("four_channels", image + "\"image\" 1x4x8x8 float32"),
            ("batch_of_two", image + "\"image\" 2x3x8x8 float32"),
            ("two_inputs", image + "\"image\" 1x3x28x42 float32, \"other\" 1x3x28x42 float32"),
            ("huge", image + "\"image\" 1x3x1099511627776x1099511627776 float32"),
            ("int64", depth + "\"depth\" ?x?x? int64"),
            ("three_channels", depth + "\"depth\" ?x3x?x? float32"),
            ("bad_mean", "expected metadata \"mean\" of three numbers 0 to 1, found \"123.7,116.3,103.5\""),
            ("empty", "expected the file of an ONNX model, found an empty file"),
            ("missing", "expected the file of an ONNX model, found No such file or directory"),
        ]
    )
    func interface(name: String, reason: String) {
        let error = #expect(throws: DepthNetworkError.self) { try DepthModels.network(name) }
        #expect(error?.description == "\(DepthModels.path(name)): \(reason)")
    }

    @Test(
        "what ONNX Runtime cannot load is said with its words",
        .enabled(if: DepthModels.isAvailable, Comment(rawValue: DepthModels.absence)),
        arguments: ["truncated", "text", "new_opset"]
    )
    func noModels(name: String) throws {
        let error = #expect(throws: DepthNetworkError.self) { try DepthModels.network(name) }
        guard case .notModel(let path, let runtime, let message) = try #require(error) else {
            Issue.record("\(error?.description ?? "")")
            return
        }
        #expect(path == DepthModels.path(name) && runtime.hasPrefix("1."))
        #expect(!message.isEmpty && !message.contains(path) && !message.contains("\n"))
    }

    @Test(
        "outputs that are no depth, and runs that fail",
        .enabled(if: DepthModels.isAvailable, Comment(rawValue: DepthModels.absence)),
        arguments: [
            ("nan", "expected finite depth, found 203056 of 203056 values that are not finite"),
            ("some_nan", "expected finite depth, found "),
            ("constant", "expected depth that varies over the image, found 0.5 for all of 203056 values"),
            ("wrong_shape", "expected a run without error, found: Non-zero status code"),
        ]
    )
    func outputs(name: String, reason: String) throws {
        let network = try DepthModels.network(name)
        let image = DepthModels.image(width: 64, height: 48)
        let error = #expect(throws: DepthNetworkError.self) { try network.run(image) }
        let description = try #require(error).description
        #expect(description.hasPrefix("\(DepthModels.path(name)): \(reason)"))
    }

    @Test(
        "images that are none",
        .enabled(if: DepthModels.isAvailable, Comment(rawValue: DepthModels.absence)),
        arguments: [(0, 4, 0), (-3, 4, 36), (2, 2, 11), (2, 2, 15), (.max, .max, 3), (1 << 40, 1, 3)]
    )
    func images(width: Int, height: Int, byteCount: Int) throws {
        let network = try DepthModels.network("mean")
        let image = RGBImage(width: width, height: height, pixels: [UInt8](repeating: 9, count: byteCount))
        let error = #expect(throws: DepthNetworkError.self) { try network.run(image) }
        #expect(try #require(error).description.hasPrefix("image: expected "))
    }

    @Test("limits", .enabled(if: DepthModels.isAvailable, Comment(rawValue: DepthModels.absence)))
    func limits() throws {
        var options = DepthModels.options("mean")
        options.memoryLimitBytes = 20
        #expect(throws: DepthNetworkError.self) { try DepthNetwork(options) }
        options.memoryLimitBytes = 2_000_000
        let network = try DepthNetwork(options)
        let error = #expect(throws: DepthNetworkError.self) {
            try network.run(DepthModels.image(width: 4, height: 3))
        }
        let reason = "expected an input of at most 2000000 bytes, found 518 x 392 pixels, 2436672 bytes"
        #expect(try #require(error).description == "\(DepthModels.path("mean")): \(reason)")
    }

    @Test("options that cannot be")
    func options() {
        var options = DepthNetworkOptions(modelPath: "a.onnx")
        for side in [Int.min, -1, 0, 13, 8193, .max] {
            options.longestSide = side
            let error = #expect(throws: DepthNetworkError.self) { try DepthNetwork(options) }
            #expect(error?.description == "longest side: expected 14 to 8192 pixels, found \(side)")
        }
        options.memoryLimitBytes = -1
        let error = #expect(throws: DepthNetworkError.self) { try DepthNetwork(options) }
        #expect(error?.description == "memory limit: expected a number of bytes above 0, found -1")
    }

    @Test("files that are no regular ones are not waited for")
    func files() throws {
        let directory = try TemporaryDirectory()
        let (folder, pipe) = (directory.path.string, directory.appending("pipe").string)
        try #require(mkfifo(pipe, 0o600) == 0)
        for (path, found) in [(folder, "a folder"), (pipe, "a named pipe"), ("/dev/null", "something")] {
            let error = #expect(throws: DepthNetworkError.self) {
                try DepthNetwork(DepthNetworkOptions(modelPath: path))
            }
            let reason = "\(path): expected the file of an ONNX model, found \(found)"
            #expect(try #require(error).description.hasPrefix(reason))
        }
    }

    @Test("libraries that are not ONNX Runtime")
    func libraries() throws {
        // Any regular file is let through to where the library is opened.
        var options = DepthNetworkOptions(modelPath: "/proc/self/exe")
        let found = [
            "/no/such/file": "No such file or directory", "/etc": "a folder without libonnxruntime.so",
            "/dev/null": "something that is no regular file",
            "no-such-library.so": "cannot open shared object file: No such file or directory",
            "libm.so.6": "a library without OrtGetApiBase",
        ]
        for (path, reason) in found {
            options.runtimePath = path
            let error = #expect(throws: DepthNetworkError.self) { try DepthNetwork(options) }
            #expect(error?.description == "\(path): expected the library of ONNX Runtime, found \(reason)")
        }
        options.runtimePath = "/etc/passwd"
        let error = #expect(throws: DepthNetworkError.self) { try DepthNetwork(options) }
        #expect(try #require(error).description.hasPrefix("/etc/passwd: expected the library of ONNX Runtime, found "))
        let none = DepthNetworkError.noRuntime(searched: ["here", "there"]).description
        #expect(none.contains("pip install onnxruntime") && none.hasSuffix("searched: here; there"))
    }
}
