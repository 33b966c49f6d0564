import Foundation
import SystemPackage
import TestSupport

/// A session that is short and quick to send, and `replay`s of it that listen for clients of Arvos.
enum ArvosSession {
    /// 2 s at 10 Hz with GPS and IMU.
    static let sample = Task {
        try await Samples.make("arvos", ["--gps", "--duration", "2", "--imu-rate", "50"])
    }

    /// Starts a replay that listens, and gives its port.
    static func listen(_ session: String, _ options: [String]) async throws -> (process: ChildProcess, port: Int) {
        let process = try Binary.start(["replay", session, "--arvos-listen", "127.0.0.1:0"] + options)
        let line = try await process.waitForError("Arvos: listening on 127.0.0.1:")
        let digits = line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else { throw CocoaError(.coderInvalidValue) }
        return (process, port)
    }

    /// Starts a `record` of Arvos, and gives its port: of HTTP where that is what it listens for.
    static func record(_ bag: String, _ options: [String]) async throws -> (process: ChildProcess, port: Int) {
        let process = try Binary.start(["record", "-o", bag] + options)
        let line = try await process.waitForError("recording Arvos to")
        let digits = line.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
        guard let port = digits.flatMap({ Int($0) }) else { throw CocoaError(.coderInvalidValue) }
        return (process, port)
    }

    static func tool(_ name: String) -> String { Checkout.path("tools/peers/\(name)").string }

    /// A free port.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
                bind(descriptor, bound, length) == 0 ? getsockname(descriptor, bound, &length) : -1
            }
        }
        guard status == 0 else { throw CocoaError(.fileNoSuchFile) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
