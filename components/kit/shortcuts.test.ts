import { describe, expect, it } from "vitest";
import { toChord } from "./shortcuts";

const press = (key: string, held: Partial<Record<"metaKey" | "ctrlKey" | "altKey" | "shiftKey", boolean>> = {}) =>
  toChord({ key, metaKey: false, ctrlKey: false, altKey: false, shiftKey: false, ...held });

describe("the chord of a key press", () => {
  it("treats ⌘ and Ctrl alike", () => {
    expect(press("k", { metaKey: true })).toBe("mod+k");
    expect(press("K", { ctrlKey: true })).toBe("mod+k");
  });

  it("names shift for letters and named keys, not for characters that need it", () => {
    expect(press("X", { shiftKey: true })).toBe("shift+x");
    expect(press("Enter", { shiftKey: true })).toBe("shift+enter");
    expect(press("?", { shiftKey: true })).toBe("?");
    expect(press(" ")).toBe("space");
  });
});
