// The markup of a player, its keys, and the mouse and the fingers on its picture.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

const KEYS = [
  ["Space", "play or pause"],
  ["← →", "a step back or forward"],
  ["Shift + ← →", "a second back or forward"],
  ["Home, End", "go to the start or the end"],
  ["+ −", "faster or slower"],
  ["L", "loop"],
  ["F", "full screen"],
  ["0", "reset the view"],
  ["?", "show or hide this list"],
  ["Drag", "turn the view"],
  ["Wheel, pinch", "zoom"],
];

const icon = (path) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;
const PLAY = "M7 4.5v15l13-7.5z";
const PAUSE = "M6 5h4v14H6zM14 5h4v14h-4z";

// A player alone on its page has the page's heading.
const player = (heading) => `
<header>
  <${heading} class="name"></${heading}>
  <p class="score"></p>
  <p class="total">this episode <output></output></p>
  <p class="about"></p>
</header>
<div class="stage">
  <canvas tabindex="0" role="img"></canvas>
  <dl class="gauges"></dl>
  <details class="actions" open><summary>actions</summary><ul></ul></details>
  <dl class="help" hidden></dl>
</div>
<div class="controls" role="group" aria-label="playback">
  <button class="play" aria-label="play">${icon(PLAY)}</button>
  <div class="time">
    <svg class="curve" preserveAspectRatio="none" aria-hidden="true"><path/></svg>
    <input type="range" min="0" step="1" value="0" aria-label="time">
  </div>
  <label><span>speed</span> <select aria-label="speed"></select></label>
  <button class="loop" aria-pressed="false" aria-label="loop" title="loop (L)">${icon("M7 7h10v3l4-4-4-4v3H5v6h2zM17 17H7v-3l-4 4 4 4v-3h12v-6h-2z")}</button>
  <button class="view" aria-label="reset the view" title="reset the view (0)">${icon("M12 5V1L7 6l5 5V7a6 6 0 1 1-6 6H4a8 8 0 1 0 8-8z")}</button>
  <button class="full" aria-label="full screen" title="full screen (F)">${icon("M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z")}</button>
  <button class="keys" aria-expanded="false" aria-label="keys" title="keys (?)">?</button>
</div>`;

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
