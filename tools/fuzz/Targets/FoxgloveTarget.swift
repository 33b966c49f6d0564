import Foxglove

extension FuzzTarget {
    /// What a client of Foxglove's protocol may send: the first byte says whether it is a text.
    static let foxgloveFrames = FuzzTarget(
        name: "foxglove-frames",
        seeds: {
            let texts = [
                #"{"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]}"#,
                #"{"op":"unsubscribe","subscriptionIds":[1]}"#,
                #"{"op":"getParameters","parameterNames":["a"],"id":"x"}"#,
                #"{"op":"setParameters","parameters":[{"name":"a","value":1.5,"type":"float64"}]}"#,
                #"{"op":"subscribeParameterUpdates","parameterNames":[]}"#,
            ]
            let request: [UInt8] = [1, 0, 0, 0x80, 0x3F, 1] + [1, 2, 3, 4, 5, 6, 7, 8] + [2, 0, 0, 0] + [0x61, 0x62]
            return texts.map { [1] + Array($0.utf8) } + [[0] + request]
        },
        dictionary: [
            "op", "subscribe", "unsubscribe", "subscriptions", "subscriptionIds", "channelId", "getParameters",
            "setParameters", "parameterNames", "parameters", "subscribeParameterUpdates", "-1", "1e999", "null",
        ],
        run: { input in
            guard let kind = input.first else { return }
            let bytes = Array(input.dropFirst())
            do throws(FoxgloveProblem) {
                if kind & 1 == 1 {
                    _ = try FoxgloveRequest(bytes)
                } else {
                    let request = try FoxglovePlaybackRequest(bytes[...])
                    require(request.seekNanoseconds ?? 0 >= 0, "a place before 1970")
                    require(bytes.count >= 18, "a request of \(bytes.count) bytes")
                }
            } catch {
                require(error.level == 2 && error.message.utf8.count < 1000, error.message)
            }
        }
    )
}
