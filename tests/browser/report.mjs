// Follows a training in its live page, then reads the report of a finished run: values of the curves, copied commands,
// replays side by side, phone width. All in headless Chromium, from disk.
//
//   cargo build --release
//   npm install --prefix FOLDER playwright-core
//   NODE_PATH=FOLDER/node_modules node tests/browser/report.mjs
//
// CHROMIUM names the browser (default /usr/bin/chromium), SHOTS a folder for pictures to look at.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";

const { chromium } = createRequire(join(process.env.NODE_PATH ?? ".", "index.js"))("playwright-core");
const program = process.env.LOCOMOTION ?? "target/release/locomotion";
const folder = mkdtempSync(join(tmpdir(), "report-"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const shot = (page, name) => process.env.SHOTS && page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });

async function open(file, width, colorScheme) {
  const context = await browser.newContext({
    viewport: { width, height: 900 }, colorScheme, permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || page.problems.push(request.url()));
  await page.goto(`file://${file}`);
  return page;
}

// The page changes while the run goes on, but it is never loaded anew: the place and the replay stay.
async function follow() {
  const run = join(folder, "run");
  const train = spawn(program, ["train", "--env", "swimmer", "--budget", "240", "--live", "--out", run], { stdio: "ignore" });
  const ended = new Promise((done) => train.on("exit", done));
  while (!existsSync(join(run, "report.html")) && train.exitCode === null) await wait(100);
  const page = await open(join(run, "report.html"), 1280, "light");
  await page.evaluate(() => (scrollTo(0, 300), (window.first = true)));
  const points = () => page.locator(".on-wide .spot").count();
  const before = await points();
  await page.waitForFunction((n) => document.querySelectorAll(".on-wide .spot").length > n + 3, before, { timeout: 300_000 });
  assert.match(await page.textContent(".live"), /still going on.*left/s);
  await shot(page, "live-during");
  assert.equal(await ended, 0);
  await page.waitForFunction(() => !document.querySelector(".live"), null, { timeout: 30_000 });
  assert.equal(await page.evaluate(() => window.first), true, "the page was not loaded anew");
  assert((await page.evaluate(() => scrollY)) > 0, "the place is kept");
  assert.match(await page.textContent(".replay .score"), /mean return .* over 100 episodes/);
  await shot(page, "live-after");
  assert.deepEqual(page.problems, []);
  await page.context().close();
  console.log("ok   live");
}

async function read(width, colorScheme) {
  const file = join(folder, "report.html");
  const page = await open(file, width, colorScheme);
  await page.waitForTimeout(1000);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, "nothing sticks out");

  const figure = await page.locator(width < 700 ? ".on-narrow" : ".on-wide").boundingBox();
  await page.mouse.move(figure.x + 0.7 * figure.width, figure.y + 0.5 * figure.height);
  assert.match(await page.textContent(".tip"), /, \d+ episodes: -?[\d,.]+, quartiles /);
  const tip = await page.locator(".tip").boundingBox();
  assert(tip.x >= 0 && tip.x + tip.width <= width, "the values are on the page");
  await shot(page, `report-${width}-values`);

  await page.click("text=Play all together");
  await page.waitForTimeout(1500);
  const times = await page.$$eval(".row:first-of-type .gauges dd:first-of-type", (all) => all.map((one) => one.textContent));
  assert(times.length === 2 && times.every((time) => parseFloat(time) > 0), `both play: ${times}`);
  await shot(page, `report-${width}-replays`);

  const code = await page.locator("pre code").first().textContent();
  await page.locator(".copy").first().click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code, "copied as it stands");
  assert.deepEqual(page.problems, []);
  // A page that stays open goes on drawing, and slows the next one down.
  await page.context().close();
  console.log(`ok   report, ${width} pixels, ${colorScheme}`);
}

try {
  await follow();
  const sweep = ["--env", "swimmer", "--optimizers", "syncma,cma-es", "--seeds", "2", "--budget", "60"];
  execFileSync(program, ["compare", ...sweep, "--out", join(folder, "sweep")], { stdio: "ignore" });
  execFileSync(program, ["report", join(folder, "sweep"), "-o", join(folder, "report.html")], { stdio: "ignore" });
  for (const width of [390, 1280]) for (const scheme of ["light", "dark"]) await read(width, scheme);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
