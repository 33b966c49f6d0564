import Rosbridge
import Testing
import WebSocket

/// The rules by which a server lets someone in, without a connection.
@Suite("Admission")
struct AdmissionTests {
    @Test(
        "a page of this very server may connect: by an address or a local name, but by no name that anyone can register",
        arguments: [
            ("http://192.168.1.5:9090", "192.168.1.5:9090", true), ("http://robot:9090", "robot:9090", true),
            ("http://robot.local:9090", "robot.local:9090", true), ("http://[fe80::1]:9090", "[fe80::1]:9090", true),
            ("http://robot.example:9090", "robot.example:9090", false), ("http://1.2.3.256:80", "1.2.3.256:80", false),
            ("http://1.2.3:80", "1.2.3:80", false), ("http://192.168.1.5:9090", "192.168.1.6:9090", false),
            ("https://192.168.1.5:9090", "192.168.1.5:9090", false), ("192.168.1.5:9090", "192.168.1.5:9090", false),
        ]
    )
    func ownPage(origin: String, host: String, isLetIn: Bool) {
        let fields = [HTTPField("Host", host), HTTPField("Origin", origin)]
        #expect(ServerOptions().refusedOrigin(fields) == (isLetIn ? nil : origin))
        // Which of two hosts is this one cannot be said.
        #expect(ServerOptions().refusedOrigin(fields + [HTTPField("Host", host)]) == origin)
    }

    @Test(
        "a browser shows the token in the address: once, and with what has to be escaped there",
        arguments: [
            ("/?token=s3cr%65t", true), ("/page?a=1&token=s3cret&b=2", true), ("/?token=s3cre", false),
            ("/?token=s3cret&token=s3cret", false), ("/?Token=s3cret", false), ("/", false), ("/token=s3cret", false),
        ]
    )
    func tokenInAddress(target: String, isShown: Bool) throws {
        let token = try #require(AccessToken("s3cret"))
        #expect(token.isShown(target: target, fields: []) == isShown)
        #expect(token.isShown(target: target, fields: [HTTPField("Authorization", "Bearer s3cret")]))
    }

    @Test(
        "addresses of this machine and such as stand for all of its own are known as that",
        arguments: [
            ("127.0.0.1", true, false), ("127.9.8.7", true, false), ("::1", true, false), ("localhost", true, false),
            ("0.0.0.0", false, true), ("::", false, true), ("192.168.1.5", false, false), ("robot", false, false),
        ]
    )
    func addresses(address: String, isLoopback: Bool, isAny: Bool) {
        #expect(LocalAddresses.isLoopback(address) == isLoopback && LocalAddresses.isAny(address) == isAny)
    }

    @Test(
        "there are no more connections than descriptors, and most are for clients",
        arguments: [(1_000, 64, 64), (128, 64, 64), (127, 64, 63), (80, 60, 20), (40, 30, 10), (0, 4, 4), (-9, 4, 4)]
    )
    func descriptors(count: Int, clients: Int, strangers: Int) {
        let limits = ServerLimits(clients: 64).within(connections: count)
        #expect(limits.clients == clients && limits.strangers == strangers)
    }

    @Test("none of the addresses that others are told is one of this machine alone")
    func ownAddresses() {
        let all = LocalAddresses.all
        #expect(Set(all).count == all.count && all.allSatisfy { !LocalAddresses.isLoopback($0) && !$0.contains(":") })
    }
}
