import { PassThrough, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { toWebStream } from "@/server/platform/storage/web-stream";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a web stream has the bytes of its Node stream, and ends with it", async () => {
  const parts = Array.from({ length: 200 }, (_, n) => bytes(`part ${n}\n`));
  expect(await new Response(toWebStream(Readable.from(parts))).text()).toBe(
    Buffer.concat(parts.map((part) => Buffer.from(part))).toString(),
  );
});

test("a fault of the Node stream is one of the web stream, at once and in the middle", async () => {
  const failing = (after: number) =>
    new Readable({
      read() {
        if (after-- > 0) this.push(bytes("x"));
        else this.destroy(new Error("the disk is gone"));
      },
    });
  for (const after of [0, 3]) await expect(new Response(toWebStream(failing(after))).text()).rejects.toThrow("disk");
});

test("a reader that leaves ends the Node stream, and bytes that come later fail nothing", async () => {
  const faults: unknown[] = [];
  const note = (error: unknown) => faults.push(error);
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  const source = new PassThrough();
  const reader = toWebStream(source).getReader();
  source.write(bytes("first"));
  expect((await reader.read()).value).toEqual(Buffer.from("first"));
  const pending = reader.read();
  await reader.cancel();
  // As a stream does that was about to go on.
  expect(() => source.emit("data", bytes("late"))).not.toThrow();
  expect((await pending).done).toBe(true);
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  process.off("uncaughtException", note);
  process.off("unhandledRejection", note);
  expect(faults).toEqual([]);
  expect(source.destroyed).toBe(true);
});
