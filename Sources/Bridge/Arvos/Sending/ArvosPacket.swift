package import WebSocket

/// A message as it goes over the wire, encoded once for all who receive it.
package struct ArvosPacket: Sendable {
    /// Nil for greetings and answers, which are never dropped.
    package var stream: ArvosStream?
    package var message: WebSocketMessage

    package init(stream: ArvosStream?, message: WebSocketMessage) {
        self.stream = stream
        self.message = message
    }

    package var byteCount: Int { message.payload.count }
}

/// What was done to messages so that they could be sent.
package struct ArvosEncodingCounts: Sendable, Hashable {
    /// Images that were encoded again, to fit into a message of 1 MiB.
    package var shrunkImages = 0
    /// Clouds of which points were left out, for the same reason.
    package var thinnedClouds = 0
    package var keptPoints = 0
    package var offeredPoints = 0
    /// Messages that have no form in Arvos, by what is wrong.
    package var unusable: [String: Int] = [:]
    /// Samples of an IMU without attitude: gravity cannot be told from acceleration.
    package var withoutGravity = 0
}
