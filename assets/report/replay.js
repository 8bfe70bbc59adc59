// A player for one recorded episode: `replay(container, data)` fills the container.
// Space plays and pauses, the arrow keys step (by a second with Shift), Home and End jump to the ends, + and - change the
// speed, and 0 resets the view.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

const PAGE = `
<header>
  <h1></h1>
  <p class="about"></p>
  <p class="total"><span>return</span> <output></output></p>
</header>
<div class="stage">
  <canvas tabindex="0" role="img"></canvas>
  <dl class="gauges"></dl>
  <details class="actions" open><summary>actions</summary><ul></ul></details>
</div>
<div class="controls" role="group" aria-label="playback">
  <button class="play" aria-label="play"><svg viewBox="0 0 24 24" aria-hidden="true"><path/></svg></button>
  <div class="time">
    <svg class="curve" preserveAspectRatio="none" aria-hidden="true"><path/></svg>
    <input type="range" min="0" step="1" value="0" aria-label="time">
  </div>
  <label>speed <select aria-label="speed"></select></label>
  <button class="view" aria-label="reset the view" title="reset the view (0)">⟲</button>
</div>`;

function decode(text, Type) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer);
}

// The recorded numbers, interpolated between frames.
function recording(data) {
  const track = decode(data.track, Float32Array);
  const poses = decode(data.poses, Int16Array);
  const rewards = decode(data.rewards, Float64Array);
  const actions = decode(data.actions, Int16Array);
  const frames = track.length / 3;
  const { bodies, reach } = data.scene;
  const width = data.scene.actuators.length;

  // The return after every step, summed in the same order as in the program, so that the last one is exactly the return.
  const returns = [0];
  for (const reward of rewards) returns.push(returns[returns.length - 1] + reward);

  // The camera follows a smoothed path: the mean over half a second before and after.
  const window = Math.max(1, Math.round(0.5 / data.dt));
  const smooth = new Float64Array(track.length);
  for (let axis = 0; axis < 3; axis++) {
    const sums = [0];
    for (let k = 0; k < frames; k++) sums.push(sums[k] + track[3 * k + axis]);
    for (let k = 0; k < frames; k++) {
      const near = Math.min(window, k, frames - 1 - k);
      smooth[3 * k + axis] = (sums[k + near + 1] - sums[k - near]) / (2 * near + 1);
    }
  }
  const between = (numbers, width, frame) => {
    const k = Math.min(Math.floor(frame), frames - 1);
    const next = Math.min(k + 1, frames - 1);
    return Array.from({ length: width }, (_, i) => {
      const a = numbers[width * k + i];
      return a + (frame - k) * (numbers[width * next + i] - a);
    });
  };

  return {
    frames,
    rewards,
    returns,
    track: (frame) => between(track, 3, frame),
    target: (frame) => between(smooth, 3, frame),
    action: (step) => Array.from(actions.subarray(width * step, width * (step + 1)), (a) => a / 32767),
    // Rows of position and quaternion (x, y, z, w), starting with the world, which does not move.
    poses(frame) {
      const out = new Float32Array(8 * (bodies + 1));
      out[7] = 1;
      const center = between(track, 3, frame);
      const k = Math.min(Math.floor(frame), frames - 1);
      const next = Math.min(k + 1, frames - 1);
      for (let body = 0; body < bodies; body++) {
        const [a, b] = [7 * (bodies * k + body), 7 * (bodies * next + body)];
        const at = (i) => poses[a + i] + (frame - k) * (poses[b + i] - poses[a + i]);
        const row = 8 * (body + 1);
        for (let i = 0; i < 3; i++) out[row + i] = center[i] + (at(i) * reach) / 32767;
        // Two quaternions describe the same orientation. Take the nearer one.
        let same = 0;
        for (let i = 3; i < 7; i++) same += poses[a + i] * poses[b + i];
        const sign = same < 0 ? -1 : 1;
        const q = [3, 4, 5, 6].map((i) => poses[a + i] * (1 - frame + k) + sign * poses[b + i] * (frame - k));
        const length = Math.hypot(...q);
        out.set([q[1], q[2], q[3], q[0]].map((x) => x / length), row + 4);
      }
      return out;
    },
  };
}

// Dragging turns the view. The wheel and pinching zoom.
function orbit(canvas, home, changed) {
  const view = { ...home };
  const fingers = new Map();
  const zoom = (factor) => {
    view.distance = Math.min(Math.max(view.distance * factor, home.distance / 8), home.distance * 8);
    changed();
  };
  const span = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const before = fingers.size === 2 ? span() : 0;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) return zoom(before / Math.max(span(), 1));
    view.azimuth -= 0.4 * dx;
    view.elevation = Math.min(Math.max(view.elevation - 0.3 * dy, -89), -1);
    changed();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (e) => fingers.delete(e.pointerId));
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(0.001 * event.deltaY));
  }, { passive: false });
  return { view, reset: () => (Object.assign(view, home), changed()) };
}

function replay(container, data) {
  const episode = recording(data);
  const last = episode.frames - 1;
  container.classList.add("replay");
  container.innerHTML = PAGE;
  const find = (selector) => container.querySelector(selector);
  const [canvas, play, time, speed] = ["canvas", ".play", "input", "select"].map(find);
  const dark = matchMedia("(prefers-color-scheme: dark)");

  // Text that does not change during playback.
  const ended = data.diverged ? "the physics broke down" : data.terminated ? "ended when the robot became unhealthy" : "ran to the time limit";
  find("h1").textContent = data.task;
  find(".about").textContent = `${data.about} · reset seed ${data.seed} · ${data.length} steps, ${ended}`;
  const total = find(".total output");
  total.textContent = data.return.toFixed(1);
  total.dataset.value = total.title = data.return;
  canvas.setAttribute("aria-label", `${data.task}, ${data.about}: animation of the robot`);
  time.max = last;
  for (const x of SPEEDS) speed.add(new Option(`${x}×`, x, x === 1, x === 1));
  const gauges = Object.fromEntries(["time", "distance", "reward", "return"].map((name) => {
    const [term, value] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    find(".gauges").append(term, value);
    return [name, value];
  }));
  const bars = data.scene.actuators.map((name) => {
    const item = document.createElement("li");
    item.innerHTML = "<span></span><i><b></b></i>";
    item.firstChild.textContent = name;
    find(".actions ul").append(item);
    return item.querySelector("b");
  });
  find(".curve").setAttribute("viewBox", `0 0 ${Math.max(last, 1)} 1`);
  find(".curve path").setAttribute("d", curve(episode.rewards.subarray(0, last)));

  // The current position. Frame numbers have fractions during playback.
  let frame = 0;
  let playing = false;
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
    if (playing) {
      // The timestamp of a frame may be earlier than the key press that started playback.
      const seconds = Math.max(now - clock, 0) / 1000;
      frame = Math.min(frame + (seconds * Number(speed.value)) / data.dt, last);
      clock = now;
      if (frame >= last) setPlaying(false);
      else wake();
    }
    show();
  }

  function setPlaying(on) {
    if (on && frame >= last) frame = 0;
    playing = on;
    clock = performance.now();
    play.setAttribute("aria-label", on ? "pause" : "play");
    play.querySelector("path").setAttribute("d", on ? "M6 5h4v14H6zM14 5h4v14h-4z" : "M7 4.5v15l13-7.5z");
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
    0: reset,
  };
  // A player alone on its page listens to all keys and starts at once. Among others it needs the focus and waits.
  const alone = container.parentElement === document.body;
  (alone ? document : container).addEventListener("keydown", (event) => {
    const key = keys[event.key];
    const busy = event.target.closest?.("select, summary, button") && event.key === " ";
    if (!key || busy || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === speed && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    key(event);
  });
  play.addEventListener("click", () => setPlaying(!playing));
  find(".view").addEventListener("click", reset);
  time.addEventListener("input", () => (setPlaying(false), seek(Number(time.value))));
  dark.addEventListener("change", wake);
  new ResizeObserver(wake).observe(canvas);
  if (innerWidth < 700) find("details").open = false;
  setPlaying(alone && !matchMedia("(prefers-reduced-motion: reduce)").matches);
}

// The rewards as a filled curve between the lowest and the highest.
function curve(rewards) {
  const [low, high] = [Math.min(...rewards, 0), Math.max(...rewards, 0)];
  const y = (reward) => (1 - (reward - low) / (high - low || 1)).toFixed(3);
  let path = `M0 ${y(0)}`;
  rewards.forEach((reward, k) => (path += `L${k} ${y(reward)}L${k + 1} ${y(reward)}`));
  return `${path}L${rewards.length} ${y(0)}Z`;
}
