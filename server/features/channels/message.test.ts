import { expect, test } from "vitest";
import { listFacts, type Message } from "@/server/features/channels/message";

const triggered = "2026-01-25T09:00:00.000Z";
const message = (more: Partial<Message>, found = "2026-01-31T09:00:00.000Z"): Message => ({
  event: "alert.triggered",
  alert: {
    ...{ uid: "alt_1", rule_name: "Motor too hot", device_id: "dev_1", device_name: "arm", recording_id: null },
    ...{ severity: "error", status: "open", message: "91 > 80", occurrence_count: 1 },
    ...{
      triggered_at: triggered,
      created_at: found,
      acknowledged_by: null,
      resolved_by: null,
      duration: null,
      note: "",
    },
  },
  rule: { uid: "rul_1", name: "Motor too hot", version: 1 },
  evidence: {},
  links: { alert: "", device: "", recording: null },
  actor: null,
  reopened: false,
  occurred_at: triggered,
  ...more,
});
const listTimes = (of: Message) =>
  listFacts(of).flatMap(({ name, value }) => (value.startsWith("2026") ? [`${name} ${value.slice(5, 16)}`] : []));

test("a message about an alert of a recording that came late says when it was triggered and when it was found", () => {
  expect(listTimes(message({}))).toEqual(["Triggered 01-25T09:00", "Found 01-31T09:00"]);
  expect(listTimes(message({}, "2026-01-25T09:00:02.000Z"))).toEqual(["Triggered 01-25T09:00"]);
});

test("a message about a change says when that was", () => {
  const at = "2026-02-01T10:30:00.000Z";
  const found = "2026-01-25T09:00:02.000Z";
  expect(listTimes(message({ event: "alert.acknowledged", occurred_at: at }, found))).toEqual([
    "Triggered 01-25T09:00",
    "Acknowledged 02-01T10:30",
  ]);
  expect(listTimes(message({ reopened: true, occurred_at: at }, found)).at(-1)).toBe("Reopened 02-01T10:30");
});
