// What the report does in a browser: replays, values of the curves, copy buttons, and following a run that goes on.

const players = new Map(); // by figure

// Prepares a part of the page.
function prepare(part) {
  part.querySelectorAll(".curves").forEach(showValues);
  part.querySelectorAll("pre").forEach(addCopyButton);
  part.querySelectorAll(".row").forEach(addPlayers);
}

function addPlayers(row) {
  const figures = [...row.querySelectorAll(".episode")];
  for (const figure of figures) {
    players.set(figure, replay(figure.querySelector(".screen"), JSON.parse(figure.querySelector("script").textContent)));
  }
  if (figures.length < 2) return;
  const button = document.createElement("button");
  button.className = "together";
  button.textContent = "Play all together";
  button.addEventListener("click", () => figures.forEach((figure) => players.get(figure).play()));
  row.before(button);
}

// Shows the value of the nearest point of a curve. The points and their texts are part of the figure.
function showValues(figure) {
  const tip = document.createElement("p");
  tip.className = "tip";
  tip.hidden = true;
  figure.append(tip);
  for (const svg of figure.querySelectorAll("svg")) {
    // The browser's own tooltips would come late and on top of ours.
    const title = svg.querySelector(":scope > title");
    if (title) svg.setAttribute("aria-label", title.textContent);
    title?.remove();
    const spots = [...svg.querySelectorAll(".spot")].map((spot) => {
      const text = spot.textContent;
      spot.replaceChildren();
      return { spot, text, x: Number(spot.getAttribute("cx")), y: Number(spot.getAttribute("cy")) };
    });
    if (!spots.length) continue;
    const point = (event) => {
      const { left, top, width } = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / width;
      const [x, y] = [(event.clientX - left) * scale, (event.clientY - top) * scale];
      const away = (spot) => Math.hypot(spot.x - x, spot.y - y);
      const near = spots.reduce((a, b) => (away(b) < away(a) ? b : a));
      hide();
      near.spot.classList.add("near");
      tip.textContent = near.text;
      tip.hidden = false;
      const room = figure.clientWidth - tip.offsetWidth;
      tip.style.left = `${Math.min(Math.max(near.x / scale - tip.offsetWidth / 2, 0), room)}px`;
      const above = near.y / scale - tip.offsetHeight - 12;
      tip.style.top = `${above > 0 ? above : near.y / scale + 12}px`;
    };
    const hide = () => {
      tip.hidden = true;
      spots.forEach(({ spot }) => spot.classList.remove("near"));
    };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    svg.addEventListener("pointerleave", hide);
  }
}

function addCopyButton(block) {
  const code = block.querySelector("code");
  // A browser would break a line after any hyphen. It must not tear a flag apart.
  const whole = (word) => Object.assign(document.createElement("span"), { className: "word", textContent: word });
  const words = code.textContent.split(/(\s+)/);
  code.replaceChildren(...words.map((word) => (/^\S{1,28}$/.test(word) ? whole(word) : word)));
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // Some browsers keep the clipboard from pages on disk. A copied selection works there.
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.append(button);
}

// A page on disk cannot read files, but it can open its own file in a hidden frame, which sends its content back.
const PROBE = "?probe=";
const EVERY = 2000; // milliseconds

function follow() {
  const part = (main, id) => main.querySelector(id ? `section[aria-labelledby=${id}]` : "header");
  const parts = ["", ...[...document.querySelectorAll("main section")].map((section) => section.getAttribute("aria-labelledby"))];
  const known = new Map(parts.map((id) => [id, part(document, id).innerHTML]));
  let frame = null;
  let written = document.lastModified;

  const age = document.createElement("p");
  age.className = "age";
  const tell = () => {
    const seconds = Math.max(0, Math.round((Date.now() - new Date(written)) / 1000));
    age.textContent = seconds < 120 ? `Written ${seconds} s ago.` : `Written ${Math.round(seconds / 60)} minutes ago.`;
    document.querySelector(".live")?.append(age);
  };
  const look = () => {
    frame?.remove();
    frame = document.createElement("iframe");
    frame.hidden = true;
    frame.src = location.href.replace(/[?#].*/, "") + PROBE + Date.now();
    document.body.append(frame);
  };
  const clock = [setInterval(look, EVERY), setInterval(tell, 1000)];
  addEventListener("message", ({ source, data }) => {
    if (source !== frame?.contentWindow) return;
    const main = new DOMParser().parseFromString(data.main, "text/html").body;
    for (const id of parts) {
      const [now, html] = [part(document, id), part(main, id)?.innerHTML];
      if (html === undefined || html === known.get(id)) continue;
      known.set(id, html);
      if (id === "replays" && renewPlayers(now, part(main, id))) continue;
      now.innerHTML = html;
      prepare(now);
    }
    document.title = data.title;
    written = data.written;
    if (!document.querySelector(".live")) {
      clock.forEach(clearInterval);
      frame.remove();
    } else tell();
  });
  tell();
}

// Gives the players their new episodes. The view, the speed and the time stay. Returns whether that was possible.
function renewPlayers(now, next) {
  const [figures, others] = [now, next].map((section) => [...section.querySelectorAll(".episode")]);
  if (!figures.length || figures.length !== others.length) return false;
  figures.forEach((figure, i) => {
    figure.querySelector("figcaption").innerHTML = others[i].querySelector("figcaption").innerHTML;
    const [script, other] = [figure, others[i]].map((one) => one.querySelector("script"));
    if (script.textContent === other.textContent) return;
    script.textContent = other.textContent;
    players.get(figure).load(JSON.parse(other.textContent));
  });
  return true;
}

function report() {
  if (location.search.startsWith(PROBE) && parent !== window) {
    const main = document.querySelector("main").innerHTML;
    parent.postMessage({ main, title: document.title, written: document.lastModified }, "*");
    return;
  }
  if (document.querySelector(".live")) follow();
  prepare(document);
}
