// A player for one recorded episode. `replay(container, data)` fills the container and returns { load, play }: the one shows
// another episode of the same robot, the other plays from the start.

const number = (x) => {
  const digits = Math.abs(x) < 1000 ? 1 : 0;
  return x.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
};

function scoreOf({ score }) {
  if (!score) return "";
  const spread = score.std === null ? "" : ` ± ${number(score.std)}`;
  return `mean return ${number(score.mean)}${spread} over ${score.episodes} episodes`;
}

function replay(container, data) {
  const alone = container.parentElement === document.body;
  let episode = null;
  let last = 0;
  container.classList.add("replay");
  container.innerHTML = player(alone ? "h1" : "h3");
  const find = (selector) => container.querySelector(selector);
  const [canvas, play, time, speed] = ["canvas", ".play", "input", "select"].map(find);
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // What stays the same for all episodes of a robot.
  for (const x of SPEEDS) speed.add(new Option(`${x}×`, x, x === 1, x === 1));
  const pair = (list, [name, text]) => {
    const [term, value] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    value.textContent = text;
    list.append(term, value);
    return value;
  };
  const gauges = Object.fromEntries(
    ["time", "distance", "reward", "return"].map((name) => [name, pair(find(".gauges"), [name, ""])]));
  KEYS.forEach((key) => pair(find(".help"), key));
  const bars = data.scene.actuators.map((name) => {
    const item = document.createElement("li");
    item.innerHTML = "<span></span><i><b></b></i>";
    item.firstChild.textContent = name;
    find(".actions ul").append(item);
    return item.querySelector("b");
  });

  // What belongs to an episode.
  function load(next) {
    data = next;
    episode = recording(data);
    last = episode.frames - 1;
    const ended = data.diverged ? "the physics broke down" : data.terminated ? "ended when the robot became unhealthy" : "ran to the time limit";
    find(".name").textContent = alone ? data.task : data.policy;
    const policy = alone && data.policy !== data.task ? [data.policy] : [];
    find(".score").textContent = [...policy, scoreOf(data)].filter((text) => text).join(": ");
    find(".about").textContent = `${data.about} · reset seed ${data.seed} · ${data.length} steps, ${ended}`;
    const total = find(".total output");
    total.textContent = data.return.toFixed(1);
    total.dataset.value = total.title = data.return;
    canvas.setAttribute("aria-label", `${data.task}, ${data.about}: animation of the robot`);
    time.max = last;
    find(".curve").setAttribute("viewBox", `0 0 ${Math.max(last, 1)} 1`);
    find(".curve path").setAttribute("d", curve(episode.rewards.subarray(0, last)));
    seek(frame);
  }

  // The current position. Frame numbers have fractions during playback.
  let frame = 0;
  let playing = false;
  let looping = false;
  let clock = 0;
  let awaited = false;
  const wake = () => {
    if (!awaited) requestAnimationFrame(tick);
    awaited = true;
  };
  const { view, reset } = orbit(canvas, data.scene.camera, wake);
  let draw = null;
  try {
    draw = scene(canvas, data.scene);
  } catch (error) {
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = `The robot cannot be drawn in this browser: ${error.message}. The numbers and controls still work.`;
    find(".stage").append(note);
  }

  function tick(now) {
    awaited = false;
    if (!container.isConnected) return;
    if (playing) {
      // The timestamp of a frame may be earlier than the key press that started playback.
      const seconds = Math.max(now - clock, 0) / 1000;
      frame = Math.min(frame + (seconds * Number(speed.value)) / data.dt, last);
      clock = now;
      if (frame < last) wake();
      else if (looping) seek(0);
      else setPlaying(false);
    }
    show();
  }

  function setPlaying(on) {
    if (on && frame >= last) frame = 0;
    playing = on;
    clock = performance.now();
    play.setAttribute("aria-label", on ? "pause" : "play");
    play.querySelector("path").setAttribute("d", on ? PAUSE : PLAY);
    wake();
  }

  function seek(to) {
    frame = Math.min(Math.max(to, 0), last);
    wake();
  }

  function show() {
    const step = Math.floor(frame);
    const track = episode.track(frame);
    time.value = step;
    time.setAttribute("aria-valuetext", `${(step * data.dt).toFixed(1)} of ${(last * data.dt).toFixed(1)} seconds`);
    container.style.setProperty("--done", `${(100 * frame) / Math.max(last, 1)}%`);
    gauges.time.textContent = `${(frame * data.dt).toFixed(2)} s`;
    gauges.distance.textContent = `${(track[0] - episode.track(0)[0]).toFixed(1)} m`;
    gauges.reward.textContent = step > 0 ? episode.rewards[step - 1].toFixed(2) : "–";
    gauges.return.textContent = episode.returns[step].toFixed(1);
    gauges.return.dataset.value = episode.returns[step];
    const action = episode.action(Math.min(step, last - 1));
    bars.forEach((bar, i) => {
      const size = Math.abs(action[i] ?? 0) * 50;
      bar.style.left = `${(action[i] ?? 0) < 0 ? 50 - size : 50}%`;
      bar.style.width = `${size}%`;
    });
    if (draw) paint();
  }

  function paint() {
    const scale = Math.min(devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * scale)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const [azimuth, elevation] = [view.azimuth, view.elevation].map((x) => (x * Math.PI) / 180);
    const forward = [
      Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation),
    ];
    // A narrow window would cut off a wide robot, so move the camera back.
    const distance = view.distance * Math.max(1, (0.9 * height) / width);
    const target = episode.target(frame).map((x, i) => x + view.offset[i]);
    const eye = target.map((x, i) => x - distance * forward[i]);
    if (data.scene.floor !== null) eye[2] = Math.max(eye[2], data.scene.floor + 0.05 * data.scene.extent);
    draw({ poses: episode.poses(frame), eye, target, fovy: view.fovy, night: dark.matches });
  }

  function setLooping(on) {
    looping = on;
    find(".loop").setAttribute("aria-pressed", on);
  }

  function showKeys(on) {
    find(".help").hidden = !on;
    find(".keys").setAttribute("aria-expanded", on);
  }

  function toggleFullscreen() {
    if (!document.fullscreenEnabled) return;
    if (document.fullscreenElement) document.exitFullscreen();
    else container.requestFullscreen();
  }

  const second = Math.round(1 / data.dt);
  const faster = (by) => {
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), SPEEDS.length - 1);
  };
  const keys = {
    " ": () => setPlaying(!playing),
    ArrowLeft: (e) => (setPlaying(false), seek(Math.ceil(frame) - (e.shiftKey ? second : 1))),
    ArrowRight: (e) => (setPlaying(false), seek(Math.floor(frame) + (e.shiftKey ? second : 1))),
    Home: () => seek(0),
    End: () => seek(last),
    "+": () => faster(1),
    "-": () => faster(-1),
    l: () => setLooping(!looping),
    f: toggleFullscreen,
    0: reset,
    "?": () => showKeys(find(".help").hidden),
    Escape: () => showKeys(false),
  };
  // A player alone on its page listens to all keys and starts at once. Among others it needs the focus and waits.
  (alone ? document : container).addEventListener("keydown", (event) => {
    const key = keys[event.key] ?? keys[event.key.toLowerCase()];
    const busy = event.target.closest?.("select, summary, button") && event.key === " ";
    if (!key || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === speed && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    key(event);
  });
  play.addEventListener("click", () => setPlaying(!playing));
  find(".view").addEventListener("click", reset);
  find(".loop").addEventListener("click", () => setLooping(!looping));
  find(".keys").addEventListener("click", () => showKeys(find(".help").hidden));
  find(".full").addEventListener("click", toggleFullscreen);
  find(".full").hidden = !document.fullscreenEnabled;
  time.addEventListener("input", () => (setPlaying(false), seek(Number(time.value))));
  dark.addEventListener("change", wake);
  new ResizeObserver(wake).observe(canvas);
  if (container.clientWidth < 700) find("details").open = false;
  load(data);
  setPlaying(alone && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  return { load, play: () => (seek(0), setPlaying(true)) };
}
