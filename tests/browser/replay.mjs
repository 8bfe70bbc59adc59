// Plays, scrubs and reads replay pages in headless Chromium, and compares the return they show with `eval`.
//
//   cargo build --release
//   npm install --prefix FOLDER playwright-core
//   NODE_PATH=FOLDER/node_modules node tests/browser/replay.mjs POLICY.json…
//
// CHROMIUM names the browser (default /usr/bin/chromium), SHOTS a folder for pictures to look at.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import assert from "node:assert/strict";

const { chromium } = createRequire(join(process.env.NODE_PATH ?? ".", "index.js"))("playwright-core");
const program = process.env.LOCOMOTION ?? "target/release/locomotion";
const policies = process.argv.slice(2);
assert(policies.length, "name at least one policy file");

const folder = mkdtempSync(join(tmpdir(), "replay-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});

const shot = (page, name) => process.env.SHOTS && page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });

async function check(policy) {
  const name = basename(policy, ".json");
  const file = join(folder, `${name}.html`);
  execFileSync(program, ["render", policy, "-o", file, "--seed", "0"], { stdio: "ignore" });
  const report = execFileSync(program, ["eval", policy, "--episodes", "1", "--seed", "0", "--json"]);
  const expected = JSON.parse(report).episodes[0];

  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) problems.push(`asks the network for ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  const number = (selector) => page.$eval(selector, (element) => Number(element.dataset.value));
  const frame = () => page.$eval(".replay input", (input) => Number(input.value));

  // The return in the head is eval's, and so is the sum of all rewards at the end.
  assert.equal(await number(".total output"), expected.return, `${name}: return`);
  assert.equal(await page.textContent(".total output"), expected.return.toFixed(1));

  // It plays by itself, pauses on space, and stays.
  await page.selectOption("select", "0.1");
  await page.focus("canvas");
  const start = await frame();
  await page.waitForFunction((start) => Number(document.querySelector(".replay input").value) > start, start);
  await page.keyboard.press(" ");
  assert.equal(await page.getAttribute(".play", "aria-label"), "play");
  const paused = await frame();
  await page.waitForTimeout(300);
  assert.equal(await frame(), paused, `${name}: paused`);

  // Arrows step, the slider scrubs, End shows the whole return.
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(100);
  assert((await frame()) > paused - 1, `${name}: a step on`);
  const middle = Math.floor(expected.length / 2);
  await page.$eval(".replay input", (input, middle) => {
    input.value = middle;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, middle);
  await page.waitForTimeout(300);
  assert.equal(await frame(), middle, `${name}: scrubbed`);
  await shot(page, `${name}-wide`);
  // A picture with nothing in it compresses to almost nothing.
  const picture = await page.locator(".replay canvas").screenshot();
  assert(picture.length > 20_000, `${name}: something is drawn`);
  await page.keyboard.press("End");
  await page.waitForTimeout(200);
  assert.equal(await number(".gauges dd:last-of-type"), expected.return, `${name}: the running return ends at the return`);

  // The list of keys comes and goes. A loop begins again at the end.
  await page.keyboard.press("?");
  assert(await page.isVisible(".help"), `${name}: keys`);
  await shot(page, `${name}-keys`);
  await page.keyboard.press("Escape");
  assert(!(await page.isVisible(".help")));
  await page.selectOption("select", "4");
  await page.focus("canvas");
  await page.keyboard.press("l");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press(" ");
  await page.waitForFunction((length) => Number(document.querySelector(".replay input").value) < length / 2, expected.length);
  assert.equal(await page.getAttribute(".play", "aria-label"), "pause", `${name}: it loops`);
  await page.keyboard.press(" ");
  await page.keyboard.press("l");

  // Turning and zooming redraws without errors; phone width and dark mode also work.
  await page.mouse.move(640, 400);
  await page.mouse.down();
  await page.mouse.move(800, 360, { steps: 4 });
  await page.mouse.up();
  await page.mouse.wheel(0, 300);
  await page.waitForTimeout(200);
  await shot(page, `${name}-turned`);
  await page.setViewportSize({ width: 390, height: 780 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.$eval(".replay input", (input, middle) => {
    input.value = middle;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, middle + 5);
  await page.waitForTimeout(400);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.equal(overflow, 0, `${name}: fits a phone`);
  await shot(page, `${name}-phone`);
  assert.deepEqual(problems, [], name);
  await page.close();
  console.log(`ok   ${name}: return ${expected.return}`);
}

try {
  for (const policy of policies) await check(policy);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
