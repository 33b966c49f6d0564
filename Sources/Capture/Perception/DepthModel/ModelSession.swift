import COnnxRuntime
import Glibc

/// A loaded model; any number of threads may run it at once.
final class ModelSession: Sendable {
    struct Tensor: Sendable {
        var dimensions: [Int64]
        /// Row-major.
        var values: [Float]
    }

    private let runtime: ONNXRuntime
    private let model: OrtModel
    private let outputLimitBytes: Int

    /// - Parameter memoryLimitBytes: See ``DepthNetworkOptions/memoryLimitBytes``.
    init(path: String, _ runtime: ONNXRuntime, memoryLimitBytes: Int) throws(RuntimeFailure) {
        self.runtime = runtime
        outputLimitBytes = memoryLimitBytes
        let env = try Self.makeEnvironment(runtime)
        do {
            let session = try Self.open(path, runtime, env, memoryLimitBytes: memoryLimitBytes)
            model = OrtModel(env: env, session: session)
        } catch {
            ort_release_env(runtime.functions, env)
            throw error
        }
    }

    deinit {
        ort_release_session(runtime.functions, model.session)
        ort_release_env(runtime.functions, model.env)
    }

    /// The environment, which all models of a process share.
    ///
    /// While its last holder lets go of it in another thread the library cannot make the next one, and says so of its logging.
    private static func makeEnvironment(_ runtime: ONNXRuntime) throws(RuntimeFailure) -> OpaquePointer {
        for _ in 0..<100 {
            do throws(RuntimeFailure) {
                return try runtime.make { ort_create_env($0, "depth", $1) }
            } catch {
                guard error.message.contains("LoggingManager") else { throw error }
                usleep(10_000)
            }
        }
        return try runtime.make { ort_create_env($0, "depth", $1) }
    }

    private static func open(
        _ path: String,
        _ runtime: ONNXRuntime,
        _ env: OpaquePointer,
        memoryLimitBytes: Int
    ) throws(RuntimeFailure) -> OpaquePointer {
        let functions = runtime.functions
        try runtime.check(ort_disable_telemetry(functions, env))
        try registerArena(runtime, env, memoryLimitBytes: memoryLimitBytes)
        let options = try runtime.make { ort_create_session_options($0, $1) }
        defer { ort_release_session_options(functions, options) }
        // One thread and one order of operations: the same sums on every run. Workers run whole frames at once instead.
        try runtime.check(ort_set_inner_threads(functions, options, 1))
        try runtime.check(ort_set_outer_threads(functions, options, 1))
        try runtime.check(ort_set_execution_mode(functions, options, Int32(ort_sequential)))
        try runtime.check(ort_set_optimisation(functions, options, Int32(ort_optimise_all)))
        try runtime.check(ort_set_log_severity(functions, options, Int32(ort_log_error)))
        try runtime.check(ort_disable_memory_pattern(functions, options))
        try runtime.check(ort_set_option(functions, options, "session.use_env_allocators", "1"))
        return try runtime.make { ort_create_session($0, env, path, options, $1) }
    }

    /// Gives the sessions of the process their memory from one arena that has a limit.
    ///
    /// A process has one environment, whose arena keeps the limit with which it was made until no session is left.
    private static func registerArena(
        _ runtime: ONNXRuntime,
        _ env: OpaquePointer,
        memoryLimitBytes: Int
    ) throws(RuntimeFailure) {
        let functions = runtime.functions
        let memory = try runtime.make { ort_create_memory_info($0, Int32(ort_arena_allocator), $1) }
        defer { ort_release_memory_info(functions, memory) }
        let limits = try runtime.make { ort_create_arena_configuration($0, memoryLimitBytes, 1, $1) }
        defer { ort_release_arena_configuration(functions, limits) }
        do {
            try runtime.check(ort_register_arena(functions, env, memory, limits))
        } catch {
            // By another session, whose arena this one shares.
            guard error.message.contains("already") else { throw error }
        }
    }

    func ports() throws(RuntimeFailure) -> (inputs: ModelPorts, outputs: ModelPorts) {
        let inputs = try ModelPorts(runtime, model, areOutputs: false)
        return (inputs, try ModelPorts(runtime, model, areOutputs: true))
    }

    /// Entries of the model's own metadata by their keys; those that it does not have are missing.
    func metadata(_ keys: [String]) throws(RuntimeFailure) -> [String: String] {
        let metadata = try runtime.make { ort_metadata($0, model, $1) }
        defer { ort_release_metadata(runtime.functions, metadata) }
        var values: [String: String] = [:]
        for key in keys {
            values[key] = try runtime.text { ort_metadata_value($0, metadata, $1, key, $2) }
        }
        return values
    }

    func run(_ input: Tensor, named inputName: String, to outputName: String) throws(RuntimeFailure) -> Tensor {
        let functions = runtime.functions
        let memory = try runtime.make { ort_create_memory_info($0, Int32(ort_device_allocator), $1) }
        defer { ort_release_memory_info(functions, memory) }
        var values = input.values
        return try values.withUnsafeMutableBufferPointer { buffer throws(RuntimeFailure) in
            let byteCount = buffer.count * MemoryLayout<Float>.stride
            let start = buffer.baseAddress
            let tensor = try runtime.make {
                ort_create_float_tensor($0, memory, start, byteCount, input.dimensions, input.dimensions.count, $1)
            }
            defer { ort_release_value(functions, tensor) }
            let output = try runtime.make { ort_run($0, model, nil, inputName, tensor, outputName, $1) }
            defer { ort_release_value(functions, output) }
            return try read(output)
        }
    }

    /// A copy of an output.
    private func read(_ output: OpaquePointer) throws(RuntimeFailure) -> Tensor {
        var isTensor: Int32 = 0
        try runtime.check(ort_is_tensor(runtime.functions, output, &isTensor))
        guard isTensor != 0 else { throw RuntimeFailure(message: "an output that is no tensor") }
        let type = try runtime.make { ort_tensor_shape($0, output, $1) }
        defer { ort_release_shape(runtime.functions, type) }
        let (element, dimensions) = try ModelPorts.shape(runtime, type)
        guard element == Int32(ort_element_float) else {
            throw RuntimeFailure(message: "an output of \(ModelPort.typeName(element)) in place of float32")
        }
        guard let count = Self.count(dimensions), count <= outputLimitBytes / MemoryLayout<Float>.stride else {
            throw RuntimeFailure(message: "an output of \(ModelPort.text(dimensions)), beyond the limit of memory")
        }
        guard count > 0 else { return Tensor(dimensions: dimensions, values: []) }
        var data: UnsafeMutableRawPointer?
        try runtime.check(ort_tensor_data(runtime.functions, output, &data))
        guard let data else { throw RuntimeFailure(message: "an output without values") }
        let floats = data.bindMemory(to: Float.self, capacity: count)
        return Tensor(dimensions: dimensions, values: Array(UnsafeBufferPointer(start: floats, count: count)))
    }

    /// The number of values of dimensions; nil where one is negative, or the number is beyond what can be counted.
    static func count(_ dimensions: [Int64]) -> Int? {
        var product = 1
        for dimension in dimensions {
            guard let size = Int(exactly: dimension), size >= 0 else { return nil }
            let (next, overflows) = product.multipliedReportingOverflow(by: size)
            guard !overflows else { return nil }
            product = next
        }
        return product
    }
}
