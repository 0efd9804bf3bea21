import { expect, test } from "vitest";
import { joinPhrase, toPhrase } from "./phrase";

const say = (label: string, text: string | null, charging?: boolean) => {
  const phrase = toPhrase({ label, text }, charging);
  return phrase && joinPhrase(phrase);
};

test("a metric reads as people would say it", () => {
  expect(say("Battery", "35 %")).toBe("35 % battery");
  expect(say("Battery", "35 %", true)).toBe("35 % charging");
  expect(say("CPU", "9 %", true)).toBe("CPU 9 %");
  expect(say("Disk free", "84.7 GB")).toBe("84.7 GB free");
  expect(say("Free", "2")).toBe("Free 2");
});

test("without a value there is no phrase", () => {
  expect(say("Battery", null)).toBeNull();
});
