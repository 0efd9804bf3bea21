import "./fonts.css";
import "@/app/globals.css";
import { afterEach, beforeEach, expect } from "vitest";
import { cleanup } from "vitest-browser-react";
import { page } from "vitest/browser";
import { followAddress } from "./host";
import { resetNetwork, replaceNetwork } from "./network";
import { endSamples } from "./sample";

/** Every file of component tests runs this first, in its page. */

const faults: string[] = [];
// What React and the product complain about fails the test.
Object.assign(console, { error: (...args: unknown[]) => faults.push(args.map(String).join(" ")) });

replaceNetwork();
followAddress();
document.documentElement.lang = "en";
document.title = "Muster";
const home = location.pathname + location.search;

beforeEach(async () => {
  document.documentElement.dataset.theme = "light";
  await page.viewport(1440, 900);
});

afterEach(async () => {
  // Before the address changes, which a screen that is still there would follow.
  await cleanup();
  history.replaceState(null, "", home);
  endSamples();
  const missing = resetNetwork();
  const found = faults.splice(0);
  localStorage.clear();
  sessionStorage.clear();
  expect(missing, "asked for without an answer").toEqual([]);
  expect(found, "errors in the console").toEqual([]);
});
