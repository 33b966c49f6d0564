"""Films the live page of a session that is paused: numbered PNG files, one for each step through the recording.

usage: film_live.py URL FOLDER STEPS

The page is played from step to step and looked at while it stands, so that the film does not depend on the machine's speed.
"""

import asyncio
import sys
from pathlib import Path

import websockets

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/CLITests/Peers"))
from look_at_live import press, until
from look_at_page import Browser, open_page, picture, value, with_browser

PLAY = "document.getElementById('play').click()"


async def film(address, folder, steps, socket_address):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        await browser.send("Emulation.setDeviceMetricsOverride", page, width=1000, height=600, deviceScaleFactor=1, mobile=False)
        await browser.send("Emulation.setEmulatedMedia", page, features=[{"name": "prefers-color-scheme", "value": "dark"}])
        state = await until(browser, page, lambda s: s["points"] > 0 and s["image"] > 0)
        await value(browser, page, "document.getElementById('map').style.outline='none'")
        for step in range(steps):
            # The last picture is before the end, at which the page would play again.
            target = state["most"] * 0.95 * step / (steps - 1)
            if step > 0:
                await value(browser, page, PLAY)
                await until(browser, page, lambda s: s["place"] >= target and s["play"] == "Pause")
                await value(browser, page, PLAY)
                await until(browser, page, lambda s: s["play"] == "Play")
            await value(browser, page, "document.getElementById('map').focus()")
            for key in ["ArrowRight"] * (step % 2):
                await press(browser, page, key)
            await asyncio.sleep(0.5)
            (await picture(browser, page)).save(f"{folder}/{step:03}.png")


if __name__ == "__main__":
    with_browser(lambda socket_address: film(sys.argv[1], sys.argv[2], int(sys.argv[3]), socket_address))
