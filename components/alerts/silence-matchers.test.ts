import { describe, expect, test } from "vitest";
import { noDevice } from "@/domain/alerts/lifecycle";
import type { Target } from "./query";
import { offerSilence } from "./silence-matchers";

const alert = (device: string, rule: string) =>
  ({ kind: "alert", alert: { device_id: device, rule_id: rule } }) as unknown as Target;
const group = (key: string, by: "rule" | "device" = "rule") =>
  ({ kind: "group", by, group: { key } }) as unknown as Target;

describe("one silence for what was chosen", () => {
  test("mutes the chosen devices with the chosen rules, each named once", () => {
    expect(offerSilence([alert("d1", "r1"), alert("d2", "r1")])).toEqual({
      matchers: { device_ids: ["d1", "d2"], rule_ids: ["r1"] },
    });
    expect(offerSilence([group("r1"), group("r2")])).toEqual({ matchers: { rule_ids: ["r1", "r2"] } });
    expect(offerSilence([group("d1", "device")])).toEqual({ matchers: { device_ids: ["d1"] } });
  });

  test("leaves test alerts out, and says why nothing can be silenced", () => {
    expect(offerSilence([alert(noDevice, "t1"), alert("d1", "r1")])).toEqual({
      matchers: { device_ids: ["d1"], rule_ids: ["r1"] },
    });
    expect(offerSilence([alert(noDevice, "t1"), group(noDevice, "device")])).toEqual({
      refusal: "Test alerts cannot be silenced.",
    });
  });

  test("does not mix a whole rule with single alerts, which would mute more than was chosen", () => {
    expect(offerSilence([group("r1"), alert("d1", "r2")])).toHaveProperty("refusal");
  });
});
