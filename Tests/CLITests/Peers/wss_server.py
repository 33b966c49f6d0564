"""A rosbridge server over TLS for one client, on Python's ssl.

usage: wss_server.py CERTIFICATE KEY [CLIENT_AUTHORITIES]

Prints "port N" when it listens and, when its client has left, how many messages of each topic came and the close code.
"""

import asyncio
import json
import ssl
import sys
from collections import Counter

from websockets.asyncio.server import serve


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    if len(sys.argv) > 3:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(sys.argv[3])
    gone = asyncio.Event()

    async def handler(socket):
        counts = Counter()
        async for text in socket:
            operation = json.loads(text)
            if operation["op"] == "publish":
                counts[operation["topic"]] += 1
            if operation["op"] == "call_service":
                answer = dict(op="service_response", id=operation["id"], service=operation["service"], result=True)
                await socket.send(json.dumps(answer | dict(values={})))
        print(dict(counts), socket.close_code)
        gone.set()

    async with serve(handler, "127.0.0.1", 0, ssl=context, max_size=None) as server:
        print("port", server.sockets[0].getsockname()[1], flush=True)
        await asyncio.wait_for(gone.wait(), 60)


asyncio.run(main())
