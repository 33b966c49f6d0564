// The connection of the live page: Foxglove's protocol, the play bar, and what a person is told meanwhile.
(() => {
  let socket, channels = new Map(),
    mine = new Map(),
    counts = new Map(),
    rows = new Map(),
    nextId = 1,
    session = null,
    poseTopic = null;
  let drags = false,
    asked = 0,
    begin = 0n,
    end = 0n,
    requests = 0,
    state = -1,
    line = "Connecting",
    problem = "",
    token = null,
    opened = false;
  const plays = () => state === 0,
    needsToken = document.body.dataset.token === "needed";
  const tell = () => {
    const names = ["playing", "paused", "waiting for data", "at the end"];
    const text = problem || line + (line === "Connected" && state >= 0 ? ": " + names[state] : "");
    if ($("status").textContent !== text) $("status").textContent = text;
    const has = type => [...channels.values()].some(c => c.schemaName === type);
    let hint = "";
    if (!scene.works) hint = "The map needs WebGL 2, which this browser does not offer.";
    else if (!scene.count() && !(scene.wayLength() > 1)) {
      if (line !== "Connected") hint = line === "Connecting" ? "" :
        "Nothing to show without a connection.";
      else if (session === null) hint = "";
      else if (!channels.size) hint =
      "Nothing has come yet: this fills as soon as something is recorded.";
      else if (!has(C) && !poseTopic) hint = "No clouds and no poses are offered here.";
      else if (state === 1) hint = "Paused. Press Play or the space bar to begin.";
      else hint = has(C) ? "No cloud yet." :
        "No clouds are offered here: the way of the camera will be shown.";
    }
    $("hint").textContent = hint;
    $("noimage").textContent = channels.size && !has(I) ? "No images are offered here" : "No image yet";
  };
  const subscribe = list => {
    const all = list.filter(c => ![...mine.values()].includes(c)).map(c => {
      const id = nextId++;
      mine.set(id, c);
      return { id, channelId: c.id };
    });
    if (all.length) socket.send(JSON.stringify({ op: "subscribe", subscriptions: all }));
  };
  const unsubscribe = channel => {
    for (const [id, c] of mine)
      if (c === channel) {
        mine.delete(id);
        socket.send(JSON.stringify({ op: "unsubscribe", subscriptionIds: [id] }));
      }
  };
  // One image and one cloud at a time: no other has to be computed.
  const choose = (select, type) => subscribe([...channels.values()].filter(c => c.schemaName === type && c
    .topic === select.value));
  const choices = (select, type) => {
    const known = new Set([...select.options].map(o => o.value));
    for (const c of channels.values())
      if (c.schemaName === type && !known.has(c.topic)) select.add(new Option(c.topic, c.topic));
    select.disabled = !select.options.length;
    if (open()) choose(select, type);
  };
  const open = () => socket && socket.readyState === 1;
  for (const [name, type] of [
      ["images", I],
      ["clouds", C]
    ]) {
    const select = $(name);
    select.disabled = true;
    select.addEventListener("change", () => {
      if (!open()) return;
      for (const c of channels.values())
        if (c.schemaName === type) unsubscribe(c);
      choose(select, type);
    });
  }
  const forget = () => {
    scene.clear();
    counts.clear();
    rows.clear();
    poseTopic = null;
    jumps = true;
    $("topics").replaceChildren();
    $("images").replaceChildren();
    $("clouds").replaceChildren();
  };
  const texts = {
    serverInfo(m) {
      if (session !== null && session !== m.sessionId) forget();
      session = m.sessionId;
      $("name").textContent = m.name;
      document.title = m.name;
      channels.clear();
      mine.clear();
      tree.clear();
      const ns = t => BigInt(t.sec) * 1000000000n + BigInt(t.nsec),
        steers = (m.capabilities || []).includes("playbackControl");
      $("player").hidden = !steers;
      state = steers ? 1 : -1;
      if (!steers) return;
      begin = ns(m.dataStartTime);
      end = ns(m.dataEndTime);
      $("place").max = Number(end - begin) / 1e9;
      clock(begin);
    },
    advertise(m) {
      for (const c of m.channels) {
        channels.set(c.id, c);
        if (!rows.has(c.topic)) {
          const row = $("topics").insertRow();
          row.insertCell().textContent = c.topic;
          rows.set(c.topic, row.insertCell());
        }
      }
      poseTopic = poseTopic || [O, P].map(t => [...channels.values()].find(c => c.schemaName === t)).find(
        c => c) || null;
      subscribe([...channels.values()].filter(c => c.schemaName === T || poseTopic && c.topic ===
        poseTopic.topic));
      choices($("images"), I);
      choices($("clouds"), C);
    },
    unadvertise(m) { for (const id of m.channelIds) channels.delete(id); },
    status(m) { problem = m.message; },
    removeStatus() { problem = ""; }
  };
  const minutes = s => Math.floor(s / 60) + ":" + (s % 60).toFixed(1).padStart(4, "0");
  const write = s => {
    const text = minutes(s) + " of " + minutes(+$("place").max);
    $("clock").value = text;
    $("place").setAttribute("aria-valuetext", text);
  };
  const clock = ns => {
    if (drags) return;
    const s = Math.max(0, Number(ns - begin) / 1e9);
    $("place").value = s;
    write(s);
  };
  const frame = data => {
    const v = new DataView(data);
    if (v.getUint8(0) === 1) {
      const c = mine.get(v.getUint32(1, true));
      if (!c) return;
      counts.set(c.topic, (counts.get(c.topic) || 0) + 1);
      try {
        show[c.schemaName](reader(new Uint8Array(data, 13)));
      } catch (e) {
        problem = c.topic + " cannot be read: " + e.message;
      }
    } else if (v.getUint8(0) === 2 && begin) clock(v.getBigUint64(1, true));
    else if (v.getUint8(0) === 5) {
      state = v.getUint8(1);
      $("play").textContent = plays() ? "Pause" : "Play";
      clock(v.getBigUint64(2, true));
      if (v.getUint8(14)) jumps = true;
      const speed = +v.getFloat32(10, true).toFixed(3),
        select = $("speed");
      if (![...select.options].some(o => +o.value === speed)) select.add(new Option(speed, speed));
      for (const o of select.options) o.selected = +o.value === speed;
    }
  };
  const ask = (play, place) => {
    if (!open()) return;
    asked = performance.now();
    const id = new TextEncoder().encode("page" + requests++),
      b = new DataView(new ArrayBuffer(19 + id.length));
    b.setUint8(0, 3);
    b.setUint8(1, play ? 0 : 1);
    b.setFloat32(2, +$("speed").value, true);
    if (place !== undefined) {
      b.setUint8(6, 1);
      b.setBigUint64(7, begin + BigInt(Math.round(place * 1e9)), true);
    }
    b.setUint32(15, id.length, true);
    new Uint8Array(b.buffer).set(id, 19);
    socket.send(b.buffer);
  };
  $("play").addEventListener("click", () => ask(!plays(), state === 3 ? 0 : undefined));
  // While it is dragged it shows places on the way, five a second.
  $("place").addEventListener("input", () => {
    drags = true;
    write(+$("place").value);
    if (performance.now() - asked > 200) ask(plays(), +$("place").value);
  });
  $("place").addEventListener("change", () => {
    drags = false;
    ask(plays(), +$("place").value);
  });
  $("speed").addEventListener("change", () => ask(plays()));
  addEventListener("keydown", e => {
    if (e.key === " " && !/^(BUTTON|SELECT)$/.test(e.target.tagName) && e.target.id !== "secret") {
      e.preventDefault();
      if (!$("player").hidden) $("play").click();
    }
  });
  const update = () => {
    const shown = new Set([...mine.values()].map(c => c.topic));
    for (const [topic, cell] of rows) cell.textContent = shown.has(topic) || counts.has(topic) ? counts
      .get(topic) || 0 : "not shown";
    tell();
  };
  setInterval(update, 250);
  $("token").addEventListener("submit", e => {
    e.preventDefault();
    token = $("secret").value;
    $("token").hidden = true;
    connect();
  });
  const askForToken = text => {
    line = text;
    $("token").hidden = false;
    update();
  };
  const connect = () => {
    line = "Connecting";
    opened = false;
    const query = token === null ? location.search : "?token=" + encodeURIComponent(token);
    socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/" +
      query, ["foxglove.sdk.v1"]);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      opened = true;
      line = "Connected";
      problem = "";
      update();
    };
    socket.onmessage = e => {
      if (typeof e.data !== "string") return frame(e.data);
      const m = JSON.parse(e.data);
      if (texts[m.op]) texts[m.op](m);
    };
    socket.onclose = () => {
      mine.clear();
      problem = "";
      if (needsToken && !opened) {
        return askForToken("Not connected: the server asks for another token, or is not there");
      }
      line = opened ? "The connection was lost; trying again" :
        "Not connected: the server is not there, or refuses this page; trying again";
      update();
      setTimeout(connect, 3000);
    };
    update();
  };
  if (needsToken && !new URLSearchParams(location.search).has("token")) askForToken(
    "This server asks for its token");
  else connect();
})();
