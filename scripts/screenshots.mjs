// `npm run screenshots`: screenshots of every screen, light and dark, wide and narrow, in screenshots/.
// SCREENS=alerts,rules limits them to those; "readme" is for the pictures of README.md, which go to docs/images.
import { spawnSync } from "node:child_process";
import { bootstrapOrExit, root, tool } from "./bootstrap.mjs";
import { findChromium, installHint } from "./chromium.mjs";

await bootstrapOrExit("product");
const chromium = findChromium();
if (!chromium) {
  console.error(installHint);
  process.exit(1);
}
const { status } = spawnSync(process.execPath, [tool.playwright, "test", "--config", "e2e/screenshots.config.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, CHROMIUM_PATH: chromium },
});
process.exit(status ?? 1);
