"""Publishes five texts to a recorder over TLS, as Python's ssl judges it, and prints how it ended.

usage: wss_client.py URL AUTHORITIES [--cert CERTIFICATE KEY] [--token TOKEN]

Prints "confirmed" and the code of the close frame, or "refused" and what Python says.
"""

import argparse
import asyncio
import json
import ssl

import websockets

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("authorities")
parser.add_argument("--cert", nargs=2)
parser.add_argument("--token")
arguments = parser.parse_args()


async def main():
    context = ssl.create_default_context(cafile=arguments.authorities)
    if arguments.cert:
        context.load_cert_chain(*arguments.cert)
    fields = {"Authorization": f"Bearer {arguments.token}"} if arguments.token else {}
    try:
        async with websockets.connect(arguments.url, ssl=context, additional_headers=fields) as client:
            await client.send(json.dumps(dict(op="advertise", topic="/text", type="std_msgs/String")))
            for number in range(5):
                text = f"{number}" + "x" * 100_000
                await client.send(json.dumps(dict(op="publish", topic="/text", msg=dict(data=text))))
            await client.send(json.dumps(dict(op="call_service", id="end", service="/rosapi/get_time")))
            assert json.loads(await client.recv())["id"] == "end"
        print("confirmed", client.close_code)
    except (OSError, websockets.WebSocketException) as error:
        print("refused", error)


asyncio.run(main())
