import Text

extension FuzzTarget {
    /// The scanner and the tree: what reads is written and reads the same; passing over is as strict as reading.
    static let json = FuzzTarget(
        name: "json",
        seeds: {
            jsonTexts.flatMap { text in [[0] + Array(text.utf8), [1] + Array(text.utf8)] }
        },
        dictionary: [
            "null", "true", "false", "NaN", "Infinity", "-Infinity", "{\"", "\":", "\"}", "[[", "]]", "\\u00",
            "\\uD83D",
            "\\uDE00", "e308", "e-324", "-0", "0.1", "9223372036854775807", "18446744073709551615", "\u{FEFF}",
        ],
        run: { input in
            guard let options = input.first else { return }
            let text = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            let allowsNonFinite = options & 1 == 1
            readTree(text, allowsNonFinite)
            readPieces(text, allowsNonFinite)
        }
    )

    private static let jsonTexts = [
        "{}", "[]", "null", " [true , false,null]\r\n", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00ü😀\"",
        "[0,-0,1,-1,0.5,1e3,1E-3,1.7976931348623157e308,5e-324,9223372036854775807,-9223372036854775808]",
        "[18446744073709551615,123456789012345678901234567890,0.1,2.2250738585072011e-308]", "1000.123456789",
        "\"1767268800.000000001\"", "[NaN,Infinity,-Infinity]", "{\"a\":{\"b\":[1,{\"c\":\"d\"}]},\"a\":2,\"\":[]}",
        String(repeating: "[", count: 128) + String(repeating: "]", count: 128),
        "{\"op\":\"publish\",\"topic\":\"/tf\",\"msg\":{\"transforms\":[{\"header\":{\"stamp\":{\"sec\":1}}}]}}",
    ]

    private static func readTree(_ text: UnsafeRawBufferPointer, _ allowsNonFinite: Bool) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(text, valueLimit: 10_000, allowsNonFinite: allowsNonFinite)
        } catch {
            require(error.offset >= 0 && error.offset <= text.count, "an offset outside of the text: \(error)")
            return
        }
        var scanner = JSONScanner(text, allowsNonFinite: allowsNonFinite)
        let isPassedOver = (try? scanner.skipValue()) != nil && (try? scanner.finish()) != nil
        require(isPassedOver, "a text that reads is not passed over")
        // Texts are compared, since NaN is not equal to itself.
        for style in [JSONValue.Style.compact, .pretty] {
            let written = value.text(style: style)
            let again = try? JSONValue.parse(written, allowsNonFinite: allowsNonFinite)
            require(again?.text(style: style) == written, "what was written does not read the same: \(written)")
        }
    }

    /// Every way to ask for a single value.
    private static func readPieces(_ text: UnsafeRawBufferPointer, _ allowsNonFinite: Bool) {
        let scanner = JSONScanner(text, allowsNonFinite: allowsNonFinite)
        func trying<Value>(_ read: (inout JSONScanner) throws(JSONError) -> Value) {
            var copy = scanner
            do throws(JSONError) {
                _ = try read(&copy)
            } catch {
                require(error.offset >= 0 && error.offset <= text.count, "an offset outside of the text: \(error)")
            }
            require(copy.offset <= text.count, "a scanner beyond its text")
        }
        trying { scanner throws(JSONError) in try scanner.number() }
        trying { scanner throws(JSONError) in try scanner.integer() }
        trying { scanner throws(JSONError) in try scanner.unsignedInteger() }
        trying { scanner throws(JSONError) in try scanner.wholeNumber() }
        trying { scanner throws(JSONError) in try scanner.decimalNanoseconds() }
        trying { scanner throws(JSONError) in try scanner.string() }
        trying { scanner throws(JSONError) in try scanner.bool() }
        checkNumber(scanner)
    }

    /// A number is rounded as the C library rounds it.
    private static func checkNumber(_ scanner: JSONScanner) {
        var copy = scanner
        guard let token = try? copy.rawValue(), token.count < 400, (try? copy.finish()) != nil else { return }
        var reader = JSONScanner(token)
        guard let value = try? reader.number(), (try? reader.finish()) != nil else { return }
        let expected = Double(String(decoding: token, as: UTF8.self))
        require(expected?.bitPattern == value.bitPattern, "\(value) instead of \(String(describing: expected))")
    }
}
