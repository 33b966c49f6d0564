import Rosbridge

/// Who can reach a server, and what they type there.
enum Reachability {
    /// Nil for an address of one interface, which the user has chosen.
    ///
    /// - Parameters:
    ///   - opening: the option that lets others in.
    static func text(
        _ address: String,
        _ port: Int,
        scheme: String,
        opening: String,
        asksForToken: Bool
    ) -> String? {
        let addresses = LocalAddresses.all
        let urls = (addresses.isEmpty ? ["ADDRESS-OF-THIS-MACHINE"] : addresses).map { "\(scheme)://\($0):\(port)" }
        let typed = urls.joined(separator: " or ")
        if LocalAddresses.isLoopback(address) {
            return "only this machine can reach it; for a phone: \(opening), and type \(typed) there"
        }
        guard LocalAddresses.isAny(address) else { return nil }
        return "on a phone type \(typed)" + (asksForToken ? "" : "; no token is asked for (--token-file)")
    }
}
