import { EventEmitter } from "node:events";
import type { WorkerEvents } from "graphile-worker";
import { expect, test } from "vitest";
import { BackgroundTurns } from "@/server/platform/jobs/background-turns";
import { backgroundFlag } from "@/server/platform/jobs/queue";

const workerPool = { id: "pool" };
const [first, second] = [{ workerPool }, { workerPool }];

function begin() {
  const events = new EventEmitter();
  const turns = new BackgroundTurns(events as WorkerEvents);
  const decide = () => turns.decide("pool", 2);
  /** A slot asks; resolves to the flags that it may not get. */
  const ask = (worker: object) => {
    const forbidden = decide();
    events.emit("worker:getJob:start", { worker });
    return forbidden;
  };
  const emit = (name: string, worker: object, id?: string) =>
    events.emit(name, { worker, job: { id, flags: { [backgroundFlag]: true } } });
  return { ask, decide, emit, events };
}

test("one slot at a time may get a job of the background, until it has its answer", () => {
  const { ask, emit } = begin();
  expect(ask(first)).toEqual([]);
  expect(ask(second)).toEqual([backgroundFlag]);
  // That of the other says nothing of the first.
  emit("worker:getJob:empty", second);
  expect(ask(second)).toEqual([backgroundFlag]);
  emit("worker:getJob:error", first);
  expect(ask(second)).toEqual([]);
});

test("while a job of the background runs in all slots but one, none may get another", () => {
  const { ask, emit } = begin();
  expect(ask(first)).toEqual([]);
  emit("job:start", first, "1");
  expect(ask(second)).toEqual([backgroundFlag]);
  emit("worker:getJob:empty", second);
  emit("job:complete", first, "1");
  expect(ask(second)).toEqual([]);
});

test("slots that start together decide before any of them asks", () => {
  const { decide, emit, events, ask } = begin();
  expect(decide()).toEqual([]);
  expect(decide()).toEqual([backgroundFlag]);
  for (const worker of [first, second]) events.emit("worker:getJob:start", { worker });
  emit("worker:getJob:empty", second);
  expect(ask(second)).toEqual([backgroundFlag]);
  emit("worker:getJob:empty", first);
  expect(ask(first)).toEqual([]);
});
