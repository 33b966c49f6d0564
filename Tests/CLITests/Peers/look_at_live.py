"""Opens the live page of a server in a headless Chromium, plays and seeks, and says what a person would see: JSON.

usage: look_at_live.py http://127.0.0.1:PORT/ [--screenshot FILE.png]
"""

import asyncio
import sys

import websockets

from look_at_page import Browser, open_page, picture, value, with_browser

STATE = """(()=>{const m=document.getElementById('map'),i=document.getElementById('image');
return{points:+(m.dataset.points||0),way:+(m.dataset.way||0),image:i.naturalWidth,turn:i.style.transform,
status:document.getElementById('status').textContent,place:+document.getElementById('place').value,
most:+document.getElementById('place').max,play:document.getElementById('play').textContent,
player:!document.getElementById('player').hidden,title:document.title,
topics:[...document.querySelectorAll('#topics tr')].map(r=>[r.cells[0].textContent,+r.cells[1].textContent])};})()"""

LIT = """(()=>{const c=document.getElementById('map'),g=c.getContext('webgl2'),p=new Uint8Array(4*c.width*c.height);
g.readPixels(0,0,c.width,c.height,g.RGBA,g.UNSIGNED_BYTE,p);let n=0;
for(let i=0;i<p.length;i+=4)if(p[i]!==20||p[i+1]!==24||p[i+2]!==29)n++;return[n/(c.width*c.height),g.getError()];})()"""


async def until(browser, page, condition, seconds=20):
    for _ in range(int(seconds * 10)):
        state = await value(browser, page, STATE)
        if condition(state):
            return state
        await asyncio.sleep(0.1)
    return state


async def look(address, socket_address, screenshot):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {"paused": await until(browser, page, lambda s: s["points"] > 0 and s["image"] > 0)}
        if found["paused"]["player"]:
            await value(browser, page, "document.getElementById('play').click()")
            found["playing"] = await until(browser, page, lambda s: s["place"] > 1 and s["way"] > 3)
            await value(browser, page, "(()=>{const p=document.getElementById('place');p.value=p.max*0.75;"
                        "p.dispatchEvent(new Event('change'));})()")
            # What was seen before is the way of another place.
            found["sought"] = await until(browser, page, lambda s: s["place"] >= s["most"] * 0.75 and s["way"] < 4)
            await value(browser, page, "document.getElementById('play').click()")
            await until(browser, page, lambda s: s["play"] == "Play")
            before = (await value(browser, page, STATE))["place"]
            await asyncio.sleep(0.5)
            found["stopped"] = await value(browser, page, STATE)
            found["stands_still"] = found["stopped"]["place"] == before
        await asyncio.sleep(0.7)
        found["end"] = await value(browser, page, STATE)
        found["lit"], found["gl_error"] = await value(browser, page, LIT)
        tree = (await browser.send("Accessibility.getFullAXTree", page))["nodes"]
        roles = [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in tree
                 if not node.get("ignored")]
        controls = ("button", "slider", "combobox", "image")
        found["unnamed"] = sorted({role for role, name in roles if role in controls and not name})
        found["controls"] = sorted({role for role, _ in roles if role in controls})
        requests = [event["params"]["request"]["url"] for event in browser.events
                    if event["method"] == "Network.requestWillBeSent"]
        found["requests"] = [url for url in requests if url != address and not url.startswith(("data:", "blob:"))]
        found["log"] = [event["params"]["entry"]["text"] for event in browser.events if event["method"] == "Log.entryAdded"
                        and "GL Driver Message" not in event["params"]["entry"]["text"]]
        found["exceptions"] = [event["params"]["exceptionDetails"]["text"] for event in browser.events
                               if event["method"] == "Runtime.exceptionThrown"]
        if screenshot:
            (await picture(browser, page)).save(screenshot)
        return found


if __name__ == "__main__":
    screenshot = sys.argv[sys.argv.index("--screenshot") + 1] if "--screenshot" in sys.argv else None
    with_browser(lambda address: look(sys.argv[1], address, screenshot))
