extension Connection {
    /// Takes bytes from the peer, in pieces of any size.
    package mutating func receive(_ bytes: RawSpan) {
        var position = 0
        do {
            try receiveHead(bytes, &position)
            switch state {
            case .open, .closing: try receiveFrames(bytes, &position)
            default: return
            }
        } catch let error as HandshakeError {
            fail(.handshake(error))
        } catch let violation as ProtocolViolation {
            fail(.violation(violation))
        } catch {
            fail(.ended(insideFrame: false))
        }
    }

    package mutating func receive(_ bytes: [UInt8]) { receive(bytes.span.bytes) }

    /// Notes that the peer has closed its side of the stream.
    package mutating func receiveEOF() {
        switch state {
        case .requesting, .awaitingRequest: fail(.handshake(.ended))
        case .open, .closing: fail(.ended(insideFrame: parser.isInsideFrame))
        case .closed, .failed: return
        }
    }

    private mutating func receiveHead(_ bytes: RawSpan, _ position: inout Int) throws(HandshakeError) {
        switch state {
        case .requesting(var head, let expectation):
            var answer = try head.next(in: bytes, from: &position)
            // RFC 9110, 15.2: an interim response other than 101 precedes the final one.
            while let interim = answer, try HandshakeResponse.isInterim(interim) {
                answer = try head.next(in: bytes, from: &position)
            }
            guard let answer else {
                state = .requesting(head, expectation)
                return
            }
            let response = try HandshakeResponse(answer, expectation)
            compress(as: response.compression)
            state = .open
            events.append(.opened(response))
        case .awaitingRequest(var head, let supported):
            guard let complete = try head.next(in: bytes, from: &position) else {
                state = .awaitingRequest(head, supported: supported)
                return
            }
            if let page = HTTPPage.target(of: complete).flatMap({ pages?($0) }) { throw HandshakeError.page(page) }
            let handshake = try ServerHandshake(complete)
            if let refusal = admission?(handshake) { throw HandshakeError.denied(refusal) }
            let subprotocol = supported.first { handshake.subprotocols.contains($0) }
            let agreement = compressionOptions?.agreement(offers: handshake.extensions)
            output.append(handshake.response(subprotocol: subprotocol, compression: agreement?.parameters))
            compress(as: agreement)
            state = .open
            events.append(.accepted(handshake, subprotocol: subprotocol))
        default:
            return
        }
    }

    private mutating func compress(as agreement: DeflateAgreement?) {
        guard let options = compressionOptions, let agreement else { return }
        compression = OutgoingCompression(options, agreement)
        assembler.compression = IncomingCompression(agreement)
        parser.allowedReservedBits = FrameHeader.compressedBit
    }

    private mutating func receiveFrames(_ bytes: RawSpan, _ position: inout Int) throws(ProtocolViolation) {
        while let step = try parser.next(in: bytes, from: &position) {
            switch step {
            case .header(let header):
                try begin(header)
                if header.payloadLength == 0 { try endFrame() }
            case .payload(let range, let isLast):
                try receivePayload(bytes, range)
                if isLast { try endFrame() }
            }
            // RFC 6455, 5.5.1: nothing follows a close frame.
            if case .closed = state { return }
        }
    }

    private mutating func begin(_ header: FrameHeader) throws(ProtocolViolation) {
        self.header = header
        payloadOffset = 0
        controlPayload.removeAll(keepingCapacity: true)
        // After our close frame, data is read and discarded (RFC 6455, 1.4).
        if !header.opcode.isControl && isOpen { try assembler.begin(header) }
    }

    private mutating func receivePayload(_ bytes: RawSpan, _ range: Range<Int>) throws(ProtocolViolation) {
        guard let header else { return }
        defer { payloadOffset += range.count }
        guard header.opcode.isControl || isOpen else { return }
        try bytes.withUnsafeBytes { (buffer) throws(ProtocolViolation) in
            let piece = UnsafeRawBufferPointer(rebasing: buffer[range])
            guard header.opcode.isControl else {
                try assembler.append(piece, maskingKey: header.maskingKey, offset: payloadOffset)
                return
            }
            for (index, byte) in piece.enumerated() {
                controlPayload.append(byte ^ (header.maskingKey?.byte(at: payloadOffset + index) ?? 0))
            }
        }
    }

    private mutating func endFrame() throws(ProtocolViolation) {
        guard let header else { return }
        self.header = nil
        switch header.opcode {
        case .ping:
            // RFC 6455, 5.5.2 and 5.5.3: answered with the same payload, unless we have sent a close frame.
            if isOpen, role == .server || pongs.mayAdd(to: output) {
                sendFrame(.pong, controlPayload)
                pongs.noteAdded(to: output)
            }
            events.append(.ping(controlPayload))
        case .pong:
            events.append(.pong(controlPayload))
        case .close:
            receiveClose(try CloseFrame(payload: controlPayload))
        case .text, .binary, .continuation:
            guard isOpen, let message = try assembler.end(isFinal: header.isFinal) else { return }
            events.append(.message(message))
        }
    }

    /// RFC 6455, 5.5.1: a close frame is answered with one that has the same code, even inside a fragmented message.
    private mutating func receiveClose(_ frame: CloseFrame) {
        let initiator: CloseInitiator = isOpen ? .peer : .local
        if isOpen { sendFrame(.close, CloseFrame(code: frame.code).payload) }
        state = .closed
        events.append(.closed(frame, initiator: initiator))
    }

    /// Fails the connection (RFC 6455, 7.1.7): tells the peer why if possible, and ignores all further input.
    private mutating func fail(_ failure: ConnectionFailure) {
        switch (failure, state) {
        case (.violation(let violation), .open):
            sendFrame(.close, CloseFrame(code: violation.closeCode, reason: "\(violation)").payload)
            state = .failed(wasOpen: true)
        case (.handshake(let error), .awaitingRequest):
            if error != .ended { output.append(ServerHandshake.refusal(of: error)) }
            state = .failed(wasOpen: false)
        case (.handshake, _): state = .failed(wasOpen: false)
        default: state = .failed(wasOpen: true)
        }
        events.append(.failed(failure))
    }
}
