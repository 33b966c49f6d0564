"""Opens a page in a headless Chromium and says what a reader would see: JSON.

usage: look_at_page.py FILE.html [--screenshot FILE.png]   (and FILE.dark.png, and FILE.pdf)

Chromium is spoken to by its DevTools protocol over the package websockets. Everything is looked at in light and dark, with
and without scripts, by keyboard, by axe-core, and on paper.
"""

import asyncio
import base64
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy
import websockets
from PIL import Image

SWITCHES = ["--headless", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
            "--remote-debugging-port=0", "--hide-scrollbars", "--no-first-run", "--window-size=1100,1400"]


class Browser:
    def __init__(self, socket):
        self.socket, self.number, self.answers, self.events = socket, 0, {}, []

    async def send(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        await self.socket.send(json.dumps(message))
        while self.number not in self.answers:
            await self.read()
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    async def read(self):
        message = json.loads(await asyncio.wait_for(self.socket.recv(), 60))
        if "id" in message:
            self.answers[message["id"]] = message
        else:
            self.events.append(message)

    async def wait_for(self, method):
        while not any(event["method"] == method for event in self.events):
            await self.read()


async def value(browser, page, expression):
    result = await browser.send("Runtime.evaluate", page, expression=expression, returnByValue=True, awaitPromise=True)
    if "exceptionDetails" in result:
        raise RuntimeError(str(result["exceptionDetails"]))
    return result["result"].get("value")


async def picture(browser, page):
    data = await browser.send("Page.captureScreenshot", page, format="png")
    return Image.open(io.BytesIO(base64.b64decode(data["data"]))).convert("RGB")


async def open_page(browser, address, scripts=True):
    browser.events.clear()
    target = (await browser.send("Target.createTarget", url="about:blank"))["targetId"]
    page = (await browser.send("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
    for domain in ("Page", "Network", "Log", "Runtime", "Accessibility"):
        await browser.send(f"{domain}.enable", page)
    if not scripts:
        await browser.send("Emulation.setScriptExecutionDisabled", page, value=True)
    await browser.send("Page.navigate", page, url=address)
    await browser.wait_for("Page.loadEventFired")
    return page


def spread(image):
    """By how much the pixels of a picture differ: a picture of one colour has 0."""
    return float(numpy.asarray(image, dtype=float).std())


async def animations(browser, page):
    """Whether something moves by itself: how two pictures of the page, half a second apart, differ."""
    first = await picture(browser, page)
    await asyncio.sleep(0.5)
    return float(numpy.abs(numpy.asarray(first, dtype=float) - numpy.asarray(await picture(browser, page), dtype=float)).max())


def axe_source():
    """The text of axe-core, which the package axe-playwright-python brings along; that package is not imported."""
    found = importlib.util.find_spec("axe_playwright_python")
    return (pathlib.Path(found.submodule_search_locations[0]) / "axe.min.js").read_text()


async def violations(browser, page):
    """What axe-core objects to: rule, how bad it is, and the first element."""
    await value(browser, page, axe_source() + ";1")
    found = await value(browser, page, "axe.run(document,{resultTypes:['violations']}).then(r=>r.violations.map(v=>"
                        "[v.id,v.impact,v.nodes.length,v.nodes[0].html.slice(0,200)]))")
    return found


# Text in pictures against what is behind it, by WCAG 2.1: the paper, or the band that a name stands in.
CONTRAST = """(()=>{const parts=c=>c.match(/[\\d.]+/g).slice(0,3).map(v=>{v/=255;return v<=0.03928?v/12.92:((v+0.055)/1.055)**2.4});
  const light=c=>{const[r,g,b]=parts(c);return 0.2126*r+0.7152*g+0.0722*b};
  const ratio=(a,b)=>{const[p,q]=[light(a),light(b)].sort((x,y)=>y-x);return(p+0.05)/(q+0.05)};
  const paper=getComputedStyle(document.body).backgroundColor,low={};
  for(const t of document.querySelectorAll('svg text')){
  const behind=t.classList.contains('onband')?getComputedStyle(t.previousElementSibling).fill:paper;
  const r=ratio(getComputedStyle(t).fill,behind);if(r<4.5)low[t.getAttribute('class')+' '+behind]=r;}
  return low;})()"""


OPERABLE = "a[href],summary,canvas,.scroll,button,input,select"


async def keyboard(browser, page):
    """Goes through the page by the tabulator: the elements that get the focus, and those without a visible sign of it."""
    steps, unseen = [], []
    await value(browser, page, f"document.querySelector({json.dumps(OPERABLE)}).focus()")
    for step in range(200):
        for kind in ("keyDown", "keyUp") if step else ():
            await browser.send("Input.dispatchKeyEvent", page, type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        again = step and await value(browser, page, f"document.activeElement===document.querySelector({json.dumps(OPERABLE)})")
        name, outline = await value(browser, page, "(e=>[e.tagName.toLowerCase()+(e.id?'#'+e.id:'')+(e.hash||''),"
                                    "getComputedStyle(e).outlineStyle+getComputedStyle(e).outlineWidth])"
                                    "(document.activeElement)")
        if name == "body" or again:
            break
        steps.append(name)
        # How a focus by script looks is the browser's choice.
        if step and outline.startswith("none") or outline.endswith("0px"):
            unseen.append(name)
    wanted = await value(browser, page, f"[...document.querySelectorAll({json.dumps(OPERABLE)})]"
                         ".filter(e=>e.checkVisibility()).length")
    return {"steps": len(steps), "operable": wanted, "unseen": unseen}


def paper(pdf):
    """What is on the pages of a PDF, by pixels: of each page the share that is not white, and how dark it is at most."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "page.pdf"
        file.write_bytes(pdf)
        subprocess.run(["pdftoppm", "-r", "50", "-png", str(file), f"{folder}/page"], check=True)
        pages = []
        for name in sorted(pathlib.Path(folder).glob("page*.png")):
            pixels = numpy.asarray(Image.open(name).convert("RGB"), dtype=float)
            brightness = pixels.mean(axis=2)
            # The corner of the paper is what has no picture on it.
            pages.append({"inked": float((brightness < 250).mean()), "corner": float(brightness[:8, :8].mean()),
                          "dark": float((brightness < 60).mean()), "colours": len(numpy.unique(pixels[::3, ::3].reshape(-1, 3), axis=0))})
        return pages


async def look(address, socket_address, screenshot):
    async with websockets.connect(socket_address, max_size=None) as socket:
        browser = Browser(socket)
        page = await open_page(browser, address)
        found = {}
        paint = """(async()=>{for(let i=0;i<200;i++){const e=performance.getEntriesByName('first-contentful-paint')[0];
          if(e)return e.startTime;await new Promise(r=>setTimeout(r,50));}return null;})()"""
        found["first_paint_ms"] = await value(browser, page, paint)
        found["title"] = await value(browser, page, "document.title")
        found["headings"] = await value(browser, page, "[...document.querySelectorAll('h1,h2')].map(h=>h.textContent)")
        found["broken_images"] = await value(
            browser, page, "[...document.images].filter(i=>!i.complete||!i.naturalWidth).length")
        found["images"] = await value(browser, page, "document.images.length")
        found["verdict"] = await value(browser, page, "document.querySelector('.verdict')?.textContent||''")
        found["json"] = await value(browser, page, "JSON.parse(document.getElementById('report').textContent)")
        found["alerts"] = await value(browser, page, "window.broken===undefined?0:1")
        # What the canvas shows changes with the keys, and is more than its background.
        drawn = """(async()=>{const c=document.getElementById('turn');if(!c)return null;
          const wait=n=>new Promise(r=>setTimeout(r,n));
          c.scrollIntoView();await wait(400);
          const read=()=>{const g=c.getContext('webgl2');const p=new Uint8Array(4*c.width*c.height);
          g.readPixels(0,0,c.width,c.height,g.RGBA,g.UNSIGNED_BYTE,p);let n=0,s=0;
          for(let i=0;i<p.length;i+=4)if(p[i]!==20||p[i+1]!==24||p[i+2]!==29){n++;s=(s*31+p[i]+i)%1000000007;}
          return[n/(c.width*c.height),s,g.getError()];};
          const first=read();c.focus();
          const focused=document.activeElement===c;
          c.dispatchEvent(new KeyboardEvent('keydown',{key:'ArrowLeft',bubbles:true}));await wait(500);
          const second=read();
          c.dispatchEvent(new KeyboardEvent('keydown',{key:'0',bubbles:true}));await wait(500);
          const third=read();
          return{lit:first[0],turned:first[1]!==second[1],reset:first[1]===third[1],errors:first[2]+second[2],focused,
          drawn:c.dataset.drawn};})()"""
        found["canvas"] = await value(browser, page, drawn)
        colours, found["violations"], found["contrast"] = {}, {}, {}
        for scheme in ("light", "dark"):
            await browser.send("Emulation.setEmulatedMedia", page, features=[
                {"name": "prefers-color-scheme", "value": scheme}])
            found["violations"][scheme] = await violations(browser, page)
            found["contrast"][scheme] = await value(browser, page, CONTRAST)
            colours[scheme] = await value(
                browser, page, "getComputedStyle(document.body).backgroundColor+' '+"
                "getComputedStyle(document.body).color+' '+getComputedStyle(document.querySelector('svg text')||document.body).fill")
        found["colours"] = colours
        tree = (await browser.send("Accessibility.getFullAXTree", page))["nodes"]
        roles = [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in tree
                 if not node.get("ignored")]
        found["unnamed"] = sorted({role for role, name in roles if role in ("image", "link", "button") and not name})
        found["roles"] = {role: sum(1 for other, _ in roles if other == role)
                          for role in ("image", "heading", "main", "navigation", "table", "link")}
        found["keyboard"] = await keyboard(browser, page)
        await browser.send("Emulation.setEmulatedMedia", page, features=[
            {"name": "prefers-reduced-motion", "value": "reduce"}, {"name": "prefers-color-scheme", "value": "light"}])
        await value(browser, page, "document.activeElement.blur();(document.getElementById('view')||document.body).scrollIntoView()")
        found["moved"] = await animations(browser, page)
        # Paper is light, whatever the screen is.
        await browser.send("Emulation.setEmulatedMedia", page, features=[{"name": "prefers-color-scheme", "value": "dark"}])
        pdf = base64.b64decode((await browser.send("Page.printToPDF", page, printBackground=False))["data"])
        await browser.send("Emulation.setEmulatedMedia", page, features=[])
        found["paper"] = paper(pdf)
        found["pdf_pages"] = len(re.findall(rb"/Type\s*/Page[^s]", pdf))
        found["pdf_bytes"] = len(pdf)
        requests = [event["params"]["request"]["url"] for event in browser.events
                    if event["method"] == "Network.requestWillBeSent"]
        found["requests"] = [url for url in requests if url != address and not url.startswith("data:")]
        found["log"] = [event["params"]["entry"]["text"] for event in browser.events if event["method"] == "Log.entryAdded"
                        and "GL Driver Message" not in event["params"]["entry"]["text"]]
        found["exceptions"] = [event["params"]["exceptionDetails"]["text"] for event in browser.events
                               if event["method"] == "Runtime.exceptionThrown"]
        await value(browser, page, "scrollTo(0,0)")
        image = await picture(browser, page)
        found["spread"] = spread(image)
        if screenshot:
            height = await value(browser, page, "document.documentElement.scrollHeight")
            await browser.send("Emulation.setDeviceMetricsOverride", page, width=1100, height=min(int(height), 12000),
                               deviceScaleFactor=1, mobile=False)
            await asyncio.sleep(1)
            (await picture(browser, page)).save(screenshot)
            await browser.send("Emulation.setEmulatedMedia", page, features=[{"name": "prefers-color-scheme", "value": "dark"}])
            (await picture(browser, page)).save(pathlib.Path(screenshot).with_suffix(".dark.png"))
            pathlib.Path(screenshot).with_suffix(".pdf").write_bytes(pdf)
        # Without scripts every picture is there all the same.
        quiet = await open_page(browser, address, scripts=False)
        document = await browser.send("DOM.getDocument", quiet, depth=1)
        counts = {}
        for name, selector in (("images", "img"), ("pictures", "svg"), ("sections", "section")):
            nodes = await browser.send("DOM.querySelectorAll", quiet, nodeId=document["root"]["nodeId"], selector=selector)
            counts[name] = len(nodes["nodeIds"])
        found["without_scripts"] = counts
        found["spread_without_scripts"] = spread(await picture(browser, quiet))
        return found


def with_browser(look):
    """Starts a browser, and prints as JSON what a function of the address of its DevTools finds."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("no chromium found")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = subprocess.Popen([chromium, *SWITCHES, f"--user-data-dir={home}/profile", "about:blank"],
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env={**os.environ, "HOME": home})
        try:
            for line in process.stderr:
                match = re.search(rb"DevTools listening on (ws://\S+)", line)
                if match:
                    break
            else:
                sys.exit("chromium did not start")
            print(json.dumps(asyncio.run(look(match[1].decode()))))
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    path = os.path.abspath(sys.argv[1])
    screenshot = sys.argv[sys.argv.index("--screenshot") + 1] if "--screenshot" in sys.argv else None
    with_browser(lambda address: look(f"file://{path}", address, screenshot))
