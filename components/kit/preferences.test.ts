import { describe, expect, it } from "vitest";
import { parseOneOf, preferenceCookie, readPreferences, themes } from "./preferences";

describe("preferences in cookies", () => {
  it("are read back as they were written, whatever they contain", () => {
    const cookie = preferenceCookie("columns.devices", "-tags +firmware; x=1", "http:");
    const [name, value] = (cookie.split(";")[0] ?? "").split("=") as [string, string];
    expect(readPreferences([{ name, value: decodeURIComponent(value) }])).toEqual({
      "columns.devices": "-tags +firmware; x=1",
    });
  });

  it("are sent over https only where the page is", () => {
    expect(preferenceCookie("theme", "dark", "https:")).toMatch(/; Secure$/);
    expect(preferenceCookie("theme", "dark", "http:")).not.toContain("Secure");
  });

  it("leave out other cookies, odd names and oversized values", () => {
    const cookies = [
      { name: "session", value: "secret" },
      { name: "ui.__proto__", value: "x" },
      { name: "ui.theme", value: "x".repeat(513) },
      { name: "ui.rail", value: "collapsed" },
    ];
    expect(readPreferences(cookies)).toEqual({ rail: "collapsed" });
  });

  it("fall back when a value is none of those allowed", () => {
    expect(parseOneOf("neon", themes, "system")).toBe("system");
    expect(parseOneOf("dark", themes, "system")).toBe("dark");
  });
});
