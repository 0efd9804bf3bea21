import { expect, test } from "vitest";
import { noneSent, type SendState } from "@/components/annotation/drafts/draft-sender";
import { describeSaved } from "./saved-words";

const now = Date.UTC(2026, 1, 2, 14, 2);
const say = (send: Partial<SendState>, place: Partial<Parameters<typeof describeSaved>[1]> = {}) =>
  describeSaved(
    { ...noneSent, ...send },
    {
      now,
      isOnline: true,
      isKept: true,
      storing: 0,
      toTime: (at) => new Date(at).toISOString().slice(11, 16),
      ...place,
    },
  );
const waiting = (seconds: number, members: Partial<SendState> = {}) => ({
  waiting: 12,
  waitingSince: now - seconds * 1_000,
  ...members,
});

test("what is on the server is saved, and what is stored here is on its way", () => {
  expect(say({}).text).toBe("Saved");
  expect(say({}, { storing: 1 }).text).toBe("Saving…");
  expect(say(waiting(2)).text).toBe("Saved here, sending…");
  expect(say(waiting(2)).tone).toBe("quiet");
});

test("without a connection it is said how much is kept, after a minute with a way out", () => {
  expect(say(waiting(2, { answer: "unreachable" }))).toMatchObject({
    text: "Offline, 12 changes kept here",
    tone: "warning",
    isAtRisk: false,
  });
  expect(say(waiting(61), { isOnline: false })).toMatchObject({ tone: "critical", isAtRisk: true });
});

test("what the server does not take in time is named with the time since when", () => {
  expect(say(waiting(20, { answer: "wait" }))).toMatchObject({
    text: "Not saved on the server since 14:01, kept here",
    tone: "warning",
  });
});

test("a refusal names its reason, and a browser that keeps nothing is at risk sooner", () => {
  expect(say(waiting(1, { answer: "refused", detail: "ops.0: too large" }))).toMatchObject({
    text: "Not saved: ops.0: too large",
    isAtRisk: true,
  });
  expect(say(waiting(2), { isKept: false }).text).toBe("Sending…");
  expect(say(waiting(20), { isKept: false })).toMatchObject({
    text: "Not saved on the server since 14:01, only in this page",
    tone: "critical",
  });
});
