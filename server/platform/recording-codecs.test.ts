import { expect, test } from "vitest";
import { recordingCodecs } from "@/server/platform/recording-codecs";

test("loading the decoders changes nothing of how the process treats its faults", async () => {
  const handlers = () => [process.rawListeners("uncaughtException"), process.rawListeners("unhandledRejection")];
  const before = handlers();
  await recordingCodecs();
  expect(handlers()).toEqual(before);
});
