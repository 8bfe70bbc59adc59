// The numbers of a recorded episode.

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

// The rewards as a filled curve between the lowest and the highest.
function curve(rewards) {
  const [low, high] = [Math.min(...rewards, 0), Math.max(...rewards, 0)];
  const y = (reward) => (1 - (reward - low) / (high - low || 1)).toFixed(3);
  let path = `M0 ${y(0)}`;
  rewards.forEach((reward, k) => (path += `L${k} ${y(reward)}L${k + 1} ${y(reward)}`));
  return `${path}L${rewards.length} ${y(0)}Z`;
}
