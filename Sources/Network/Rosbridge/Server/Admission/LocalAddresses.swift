import NIOCore

/// The addresses under which others on the network can reach this machine.
package enum LocalAddresses {
    /// Devices of virtual networks, which no phone is in.
    private static let virtual = ["lo", "docker", "br-", "veth", "virbr"]

    /// IPv4, as text, in the order of the devices.
    package static var all: [String] {
        var found: [String] = []
        for device in (try? System.enumerateDevices()) ?? [] {
            guard let address = device.address, case .v4 = address, let text = address.ipAddress else { continue }
            let isReachable = !virtual.contains { device.name.hasPrefix($0) } && !text.hasPrefix("169.254.")
            if isReachable, !found.contains(text) { found.append(text) }
        }
        return found
    }

    package static func isLoopback(_ address: String) -> Bool {
        address == "localhost" || address == "::1" || address.hasPrefix("127.")
    }

    /// True if an address stands for all that this machine has.
    package static func isAny(_ address: String) -> Bool { address == "0.0.0.0" || address == "::" }
}
