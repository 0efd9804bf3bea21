// A reporter for vitest: writes down which tests passed at the second try only, so that `npm test` can tell.
import fs from "node:fs";
import path from "node:path";
import { root } from "./bootstrap.mjs";

export const secondTriesFile = path.join(root, ".test", "results", "second-tries.json");

export default class SecondTries {
  #found = [];

  onTestCaseResult(testCase) {
    if (!testCase.diagnostic()?.flaky) return;
    const message = testCase.result().errors?.[0]?.message ?? "";
    this.#found.push({ name: `${path.relative(root, testCase.module.moduleId)}: ${testCase.fullName}`, message });
  }

  onTestRunEnd() {
    fs.mkdirSync(path.dirname(secondTriesFile), { recursive: true });
    fs.writeFileSync(secondTriesFile, JSON.stringify(this.#found));
  }
}
