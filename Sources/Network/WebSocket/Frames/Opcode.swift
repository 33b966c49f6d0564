/// The type of a frame (RFC 6455, 5.2); reserved opcodes have no case.
package enum Opcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames may come between the fragments of a message, and are never fragmented themselves.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Which end of a connection this is: it decides who masks, who asks for the upgrade, and who closes TCP.
package enum Role: Sendable {
    case client
    case server
}
