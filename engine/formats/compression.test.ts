import { expect, test } from "vitest";
import { loadCodecs } from "@/engine/formats/compression";

test("loading the decoders changes nothing of how the process treats its faults", async () => {
  const handlers = () => [process.rawListeners("uncaughtException"), process.rawListeners("unhandledRejection")];
  const before = handlers();
  await loadCodecs();
  expect(handlers()).toEqual(before);
});
