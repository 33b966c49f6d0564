import Glibc
package import Recording

/// What the values of a network's output mean.
package enum DepthNetworkKind: String, Hashable, Sendable, CaseIterable {
    /// What the model's metadata says; without any, `inverse`.
    case auto
    /// Larger is nearer, without unit.
    case inverse
    /// Metres.
    case metric
    /// Larger is farther, without unit.
    case depth
}

/// Which depth network is to be loaded, and how.
package struct DepthNetworkOptions: Sendable {
    /// An .onnx file.
    package var modelPath: String
    /// The library of ONNX Runtime, or a folder that has it; nil searches.
    package var runtimePath: String?
    package var kind = DepthNetworkKind.auto
    /// The most bytes for the model's file, for an input, for an output, and for the arena from which ONNX Runtime
    /// takes the network's weights and all values in between.
    ///
    /// The arena is one for the process, with the limit of the network that was loaded first. Not bounded are what
    /// parsing the file takes, which is of the order of its size, and files beside it to which a model refers for
    /// weights.
    package var memoryLimitBytes = 4 << 30
    /// The longer side of the image in the network where the model does not fix it, in pixels; rounded down to a
    /// multiple of 14.
    package var longestSide = 518

    package init(modelPath: String) { self.modelPath = modelPath }
}

/// A network that gives the depth of single images, as Depth Anything; workers share it.
package final class DepthNetwork: Sendable {
    /// The name of the model's file.
    package let name: String
    private let path: String
    private let session: ModelSession
    private let interface: DepthInterface
    private let memoryLimitBytes: Int

    /// What the values of the output mean; never `auto`.
    package var kind: DepthNetworkKind { interface.kind }

    package init(_ options: DepthNetworkOptions) throws(DepthNetworkError) {
        let limit = options.memoryLimitBytes
        guard limit > 0 else {
            throw .option(name: "memory limit", expected: "a number of bytes above 0", found: "\(limit)")
        }
        guard (DepthInterface.patch...8192).contains(options.longestSide) else {
            throw .option(name: "longest side", expected: "14 to 8192 pixels", found: "\(options.longestSide)")
        }
        try Self.check(options.modelPath, memoryLimitBytes: limit)
        let runtime = try ONNXRuntime.load(path: options.runtimePath)
        do throws(RuntimeFailure) {
            session = try ModelSession(path: options.modelPath, runtime, memoryLimitBytes: limit)
        } catch {
            let begin = "Load model from \(options.modelPath) failed:"
            // Which the error says already.
            let isRepeated = error.message.hasPrefix(begin)
            let message = error.message.dropFirst(isRepeated ? begin.count : 0).drop { $0 == " " }
            throw .notModel(path: options.modelPath, runtime: runtime.release, message: String(message))
        }
        path = options.modelPath
        name = path.split(separator: "/").last.map { String($0) } ?? path
        interface = try DepthInterface(session, options)
        memoryLimitBytes = limit
    }

    /// Refuses what is no regular file, and what is too large, before anything of it is read.
    ///
    /// ONNX Runtime opens the path again, as a model may have its weights in files beside it.
    private static func check(_ path: String, memoryLimitBytes limit: Int) throws(DepthNetworkError) {
        func refused(_ found: String) -> DepthNetworkError {
            .file(path: path, expected: "the file of an ONNX model", found: found)
        }
        guard !path.utf8.contains(0) else { throw refused("a path with a zero byte") }
        // A named pipe does not wait for its writer then.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw refused(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw refused(String(cString: strerror(errno))) }
        switch information.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw refused("a folder")
        case S_IFIFO: throw refused("a named pipe")
        default: throw refused("something that is no regular file")
        }
        guard information.st_size > 0 else { throw refused("an empty file") }
        guard information.st_size <= limit else {
            throw .file(
                path: path,
                expected: "a model of at most \(limit) bytes",
                found: "\(information.st_size) bytes"
            )
        }
    }

    /// The size at which an image of a size enters the network.
    ///
    /// - Throws: where one of the sides is not positive, or the input is beyond the limit of memory.
    package func inputSize(for image: GridSize) throws(DepthNetworkError) -> GridSize {
        guard image.width > 0, image.height > 0 else {
            throw .image(expected: "at least one pixel", found: "\(image.width) x \(image.height)")
        }
        let size = interface.inputSize(image)
        // Both sides are at most 2^14.
        let byteCount = 3 * MemoryLayout<Float>.stride * size.count
        guard byteCount <= memoryLimitBytes else {
            throw .interface(
                path: path,
                expected: "an input of at most \(memoryLimitBytes) bytes",
                found: "\(size.width) x \(size.height) pixels, \(byteCount) bytes"
            )
        }
        return size
    }

    /// The depth of an image, on the grid of the network's output, which covers the same view.
    ///
    /// The same image gives the same values. Several threads may call this at once; each call takes one of them.
    package func run(_ image: RGBImage) throws(DepthNetworkError) -> RelativeDepthMap {
        let size = try inputSize(for: GridSize(width: image.width, height: image.height))
        let (area, isHuge) = image.width.multipliedReportingOverflow(by: image.height)
        guard !isHuge, image.pixels.count.isMultiple(of: 3), image.pixels.count / 3 == area else {
            throw .image(
                expected: "3 bytes for each of \(image.width) x \(image.height) pixels",
                found: "\(image.pixels.count) bytes"
            )
        }
        let input = ModelSession.Tensor(
            dimensions: [1, 3, Int64(size.height), Int64(size.width)],
            values: ImageTensor.planes(image, size, interface.normalisation)
        )
        let output: ModelSession.Tensor
        do throws(RuntimeFailure) {
            output = try session.run(input, named: interface.inputName, to: interface.outputName)
        } catch {
            throw .run(path: path, message: error.message)
        }
        return try depth(output)
    }

    private func depth(_ output: ModelSession.Tensor) throws(DepthNetworkError) -> RelativeDepthMap {
        var sides = output.dimensions[...]
        while sides.count > 2, sides.first == 1 { sides.removeFirst() }
        guard sides.count == 2, let height = sides.first.flatMap({ Int(exactly: $0) }), height > 0,
            let width = sides.last.flatMap({ Int(exactly: $0) }), width > 0
        else {
            throw .output(
                path: path,
                expected: "an output of one channel H x W",
                found: ModelPort.text(output.dimensions)
            )
        }
        let values = output.values
        let invalidCount = values.count { !$0.isFinite }
        guard invalidCount == 0 else {
            throw .output(
                path: path,
                expected: "finite depth",
                found: "\(invalidCount) of \(values.count) values that are not finite"
            )
        }
        guard let first = values.first, values.contains(where: { $0 != first }) else {
            throw .output(
                path: path,
                expected: "depth that varies over the image",
                found: "\(values.first ?? 0) for all of \(values.count) values"
            )
        }
        let kind: RelativeDepthMap.Kind = interface.kind == .inverse ? .inverseDepth : .depth
        return RelativeDepthMap(width: width, height: height, kind: kind, values: values)
    }
}
