import BagCheck
import TestSupport
import Testing

/// What scripts and people get to read.
@Suite("Check: findings")
struct FindingTests {
    @Test("every kind has a name of its own form, and advice of its own", arguments: BagFindingKind.allCases)
    func advice(kind: BagFindingKind) {
        #expect(kind.rawValue.wholeMatch(of: /[a-z][a-z0-9]*(\.[a-z0-9]+(-[a-z0-9]+)*)?/) != nil)
        #expect(kind.advice.count > 20 && !kind.advice.hasPrefix("see the documentation"))
    }

    @Test("errors are worse than warnings, and these than notes")
    func order() {
        #expect(BagFinding.Severity.allCases.sorted() == [.note, .warning, .error])
    }

    @Test(
        "hostile definitions are told",
        arguments: [
            "test_msgs/Made other",
            "test_msgs/B b\n" + String(repeating: "=", count: 80) + "\nMSG: test_msgs/B\ntest_msgs/Made a",
            "uint8[99999999999999999999] x",
            "std_msgs/Header[4294967295] x\nstd_msgs/Header[4294967295] y z",
            "string<=99999999999999999999 x",
        ]
    )
    func hostile(definition: String) throws {
        let topic = HandmadeBag.Topic(name: "/made", typeName: "test_msgs/msg/Made", definition: definition)
        let report = try HandmadeBag([topic], [HandmadeBag.Row(topic: 0, time: 1, bytes: [0, 1, 0, 0, 7])]).check()
        #expect(report.complaints == ["error definition.unparsable", "warning message.unknown-type"], "\(report.text)")
    }
}
