"""A server that is not what a WebSocket client hopes for.

usage: failing_server.py KIND

  an HTTP status     answers the handshake with it
  close              closes the connection without a word
  garbage            answers the handshake with something that is no HTTP
  accept             answers with 101 and a wrong Sec-WebSocket-Accept
  cut                completes the handshake, sends the beginning of a frame, and closes
  masked             completes the handshake and sends a masked frame, which servers must not
  stalled            completes the handshake and never reads again

Prints "port N" when it listens, "came" for each connection, and serves until it is killed.
"""

import base64
import hashlib
import socketserver
import sys
import threading

KIND = sys.argv[1]


def switching(key):
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {key}\r\n\r\n"
    ).encode()


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        print("came", flush=True)
        if KIND == "close":
            return
        fields = {}
        self.rfile.readline()
        while (line := self.rfile.readline().decode().strip()):
            name, _, value = line.partition(":")
            fields[name.lower()] = value.strip()
        digest = hashlib.sha1((fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode())
        accept = base64.b64encode(digest.digest()).decode()
        if KIND.isdigit():
            body = b"<html>no</html>"
            self.wfile.write(f"HTTP/1.1 {KIND} Whatever\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        elif KIND == "garbage":
            self.wfile.write(b"\x00\x01\x02 SSH-2.0-OpenSSH\r\n\r\n")
        elif KIND == "accept":
            self.wfile.write(switching(base64.b64encode(bytes(20)).decode()))
        elif KIND == "cut":
            self.wfile.write(switching(accept) + b"\x81\x7e\x10\x00beginning")
        elif KIND == "masked":
            self.wfile.write(switching(accept) + b"\x81\x82\x00\x00\x00\x00{}")
            self.rfile.read(1 << 20)
        elif KIND == "stalled":
            self.wfile.write(switching(accept))
            threading.Event().wait()


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


with Server(("127.0.0.1", 0), Handler) as server:
    print("port", server.server_address[1], flush=True)
    server.serve_forever()
