import Glibc
import WebSocket

/// A WebSocket server that throws everything away and answers calls at once, for one connection.
///
/// It runs in a process of its own.
struct AnsweringSink {
    private let socket: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 20)
    /// The part of the buffer that is not worked off.
    private var unread = 0..<0

    /// Listens on a port and serves the first client until it leaves.
    static func run(port: Int) throws(BenchError) {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw BenchError("port \(port): cannot listen, error \(errno)") }
        var sink = AnsweringSink(socket: accept(listener, nil, nil))
        setsockopt(sink.socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        sink.serve()
        close(sink.socket)
        close(listener)
    }

    private init(socket: Int32) {
        self.socket = socket
    }

    private mutating func serve() {
        guard shakeHands() else { return }
        while let first = next(), let second = next() {
            var length = Int(second & 127)
            if length >= 126 {
                let size = length == 126 ? 2 : 8
                length = 0
                for _ in 0..<size { length = length << 8 | Int(next() ?? 0) }
            }
            let key = (0..<4).map { _ in next() ?? 0 }
            // Only calls and close frames are that small.
            guard length < 200 else {
                skip(length)
                continue
            }
            let payload = (0..<length).map { (next() ?? 0) ^ key[$0 % 4] }
            if first & 15 == 8 { return }
            answer(String(decoding: payload, as: UTF8.self))
        }
    }

    private mutating func shakeHands() -> Bool {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
            guard let byte = next() else { return false }
            head.append(byte)
        }
        var connection = Connection()
        connection.receive(head)
        send(connection.takeOutput())
        return true
    }

    private func answer(_ text: String) {
        guard text.contains("call_service"),
            let id = text.split(separator: "\"").dropFirst(6).first(where: { $0 != ":" })
        else { return }
        let json = Array(#"{"op":"service_response","id":"\#(id)","values":{},"result":true}"#.utf8)
        send((json.count < 126 ? [0x81, UInt8(json.count)] : [0x81, 126, 0, UInt8(json.count)]) + json)
    }

    private func send(_ bytes: [UInt8]) {
        _ = Glibc.send(socket, bytes, bytes.count, 0)
    }

    private mutating func fill() -> Bool {
        let count = recv(socket, &buffer, buffer.count, 0)
        unread = 0..<max(count, 0)
        return count > 0
    }

    private mutating func next() -> UInt8? {
        if unread.isEmpty, !fill() { return nil }
        defer { unread = (unread.lowerBound + 1)..<unread.upperBound }
        return buffer[unread.lowerBound]
    }

    private mutating func skip(_ count: Int) {
        var left = count
        while left > 0 {
            if unread.isEmpty, !fill() { return }
            let taken = min(left, unread.count)
            unread = (unread.lowerBound + taken)..<unread.upperBound
            left -= taken
        }
    }
}
