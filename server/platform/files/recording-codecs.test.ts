import { expect, test } from "vitest";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

test("loading the decoders installs no handlers of uncaught errors", async () => {
  const handlers = () => [process.rawListeners("uncaughtException"), process.rawListeners("unhandledRejection")];
  const before = handlers();
  await recordingCodecs();
  expect(handlers()).toEqual(before);
});
