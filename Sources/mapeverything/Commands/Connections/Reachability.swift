import Rosbridge

/// Who can reach what listens, and what to type there.
enum Reachability {
    /// Something that listens.
    struct Door: Sendable {
        /// Such as "recorder".
        var name: String
        var scheme: String
        var address: String
        var port: Int

        fileprivate var isLocal: Bool { LocalAddresses.isLoopback(address) }

        /// The URLs by which others reach it, or would if they were let in.
        fileprivate var urls: [String] {
            let all = LocalAddresses.all.isEmpty ? ["ADDRESS-OF-THIS-MACHINE"] : LocalAddresses.all
            let addresses = isLocal || LocalAddresses.isAny(address) ? all : [LocalAddresses.bracketed(address)]
            return addresses.map { "\(scheme)://\($0):\(port)" + (name == "page" ? "/" : "") }
        }

        fileprivate var typed: String { "\(urls.joined(separator: " or ")) (\(name))" }
    }

    /// What is open to whom, whether a token is asked for, and what is typed on a phone.
    static func lines(_ doors: [Door], asksForToken: Bool) -> [String] {
        func names(_ doors: [Door]) -> String { doors.map(\.name).joined(separator: ", ") }
        let (local, open) = (doors.filter(\.isLocal), doors.filter { !$0.isLocal })
        let token = asksForToken ? "a token is asked for" : "no token is asked for"
        var lines: [String] = []
        if !open.isEmpty {
            let advice = asksForToken ? "" : " (--token-file FILE asks for one)"
            lines.append("open to the network: \(names(open)); \(token)\(advice)")
            lines.append("on a phone type \(open.map(\.typed).joined(separator: ", "))")
        }
        if let first = local.first {
            lines.append("open to this machine only: \(names(local)); \(token)")
            lines.append("for a phone: --lan, and type \(first.urls.joined(separator: " or ")) there")
        }
        return lines
    }
}

extension ServingOptions {
    /// The door of the page that shows what is served, or is being recorded.
    func pageDoor(port: Int) -> Reachability.Door {
        Reachability.Door(name: "page", scheme: pageScheme, address: address, port: port)
    }
}
