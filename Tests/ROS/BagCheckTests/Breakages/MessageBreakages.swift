import BagTools

/// Messages that are not what their topic says, in CDR and in rosbridge JSON.
enum MessageBreakages {
    static let all: [Breakage] = cdr + json

    private static let cdr: [Breakage] = [
        bytes("cut", "b[:-5]", [.messageDecode]),
        bytes("too long", "b + b'abcdefgh'", [.messageDecode]),
        bytes("empty", "b''", [.messageDecode]),
        bytes("three bytes", "b[:3]", [.messageDecode]),
        bytes("another encapsulation", "b'\\0\\x07' + b[2:]", [.messageDecode]),
        bytes("options in the header", "b[:3] + b'\\x40' + b[4:]", [.messageHeader], isError: false),
        bytes("JSON in its place", "b'{\"data\": \"hello\"}'", [.messageDecode]),
        bytes("a string longer than the message", "b[:4] + b'\\xff\\xff\\xff\\x7f' + b[8:]", [.messageDecode]),
        bytes("a string without its end", "b[:-1] + b'x'", [.messageDecode]),
        bytes("padding that is not zero", "pad(b)", [.messagePadding], isError: false, topic: "/points"),
        code(
            "time that goes back",
            "run(dbs[0], \"UPDATE messages SET timestamp = timestamp - 100000000 WHERE id = 12\")",
            [.messageOrder],
            isError: false
        ),
        code(
            "a time before all others",
            "run(dbs[0], \"UPDATE messages SET timestamp = 0 WHERE id = (SELECT min(id) FROM messages)\")",
            [.messageFarTime],
            isError: false
        ),
        code(
            "a stamp that is not the row's",
            "change('/imu', lambda m: setattr(m.header.stamp, 'nanosec', m.header.stamp.nanosec + 9), 1)",
            [.stampRowDiffers],
            isError: false
        ),
        code(
            "a stamp of zero",
            "change('/imu', lambda m: (setattr(m.header.stamp, 'sec', 0), setattr(m.header.stamp, 'nanosec', 0)), 1)",
            [.stampZero],
            isError: false
        ),
    ]

    private static let json: [Breakage] = [
        row("no JSON", "b[:-3]", [.messageDecode]),
        row("a list", "b'[1, 2]'", [.messageDecode]),
        row("no key of its type", "b'{\"foo\": 1}'", [.messageDecode]),
        row("an op that is no text", "b'{\"op\": 7}'", [.messageDecode]),
        row("another topic", "b.replace(b'\"topic\":\"/note\"', b'\"topic\":\"/other\"')", [.messageEnvelope]),
        row(
            "an unknown key",
            "b.replace(b'{\"data\"', b'{\"colour\":1,\"data\"')",
            [.messageUnknownField],
            isError: false
        ),
        row(
            "a number for a string",
            "b'{\"op\":\"publish\",\"topic\":\"/note\",\"msg\":{\"data\":7}}'",
            [.messageDecode]
        ),
        row("not base64", "b.replace(b'\"data\":\"', b'\"data\":\"*')", [.messageDecode], topic: "/points"),
        row(
            "a number too large",
            "b.replace(b'\"height\":1', b'\"height\":4294967296')",
            [.messageDecode],
            topic: "/points"
        ),
        row(
            "a text for a number",
            "b.replace(b'\"height\":1', b'\"height\":\"1\"')",
            [.messageDecode],
            topic: "/points"
        ),
        row(
            "an array too short",
            "re.sub(b'\"k\":\\\\[[^\\\\]]*\\\\]', b'\"k\":[1.0,2.0]', b)",
            [.messageDecode],
            topic: "/camera/camera_info"
        ),
        row(
            "a number for a bool",
            "b.replace(b'\"is_dense\":true', b'\"is_dense\":1')",
            [.messageDecode],
            topic: "/points"
        ),
        row(
            "a stamp that is not the row's",
            "re.sub(b'\"nanosec\":\\\\d+', b'\"nanosec\":1', b)",
            [.stampRowDiffers],
            isError: false,
            topic: "/imu"
        ),
    ]

    private static func bytes(
        _ name: String,
        _ expression: String,
        _ kinds: [BagFindingKind],
        isError: Bool = true,
        topic: String = "/note"
    ) -> Breakage {
        Breakage(
            name: "cdr: \(name)",
            base: .cdr,
            code: "blob('\(topic)', lambda b: \(expression))",
            kinds: kinds,
            isError: isError
        )
    }

    private static func row(
        _ name: String,
        _ expression: String,
        _ kinds: [BagFindingKind],
        isError: Bool = true,
        topic: String = "/note"
    ) -> Breakage {
        Breakage(
            name: "json: \(name)",
            base: .json,
            code: "blob('\(topic)', lambda b: \(expression))",
            kinds: kinds,
            isError: isError
        )
    }

    private static func code(
        _ name: String,
        _ code: String,
        _ kinds: [BagFindingKind],
        isError: Bool
    ) -> Breakage {
        Breakage(name: "cdr: \(name)", base: .cdr, code: code, kinds: kinds, isError: isError)
    }
}
