import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type * as RareEncodings from "@/engine/decode/rare-encodings";
import { RecordingError } from "@/engine/formats/recording-error";
import workers from "@/public/engine/workers.json";

const read = (address: string): string => readFileSync(path.join("public", address), "utf8");
const thread = read(workers.recording);
const address = /\/engine\/rare-encodings-\w+\.js/.exec(thread)?.[0] ?? "";

test("the thread that reads recordings stays small: what few of them need is a script of its own", () => {
  expect(gzipSync(thread, { level: 9 }).length).toBeLessThan(81_000);
  expect(gzipSync(read(address), { level: 9 }).length).toBeLessThan(50_000);
});

test("the script decodes, and its errors are those of the thread", () => {
  vm.runInThisContext(read(address), { filename: address });
  const { rareEncodings } = globalThis as unknown as { rareEncodings: typeof RareEncodings };
  expect(rareEncodings.decodeCbor(Uint8Array.of(0x83, 1, 2, 3))).toEqual([1, 2, 3]);
  const idl = "module msgs { struct Odd { float speed; }; };";
  const { root, definitions } = rareEncodings.parseOmgIdlSchema(idl, "msgs::Odd");
  const payload = Uint8Array.of(0, 1, 0, 0, 0, 0, 0xc0, 0x3f);
  expect(rareEncodings.createOmgIdlDecoder(root, definitions)(payload)).toEqual({ speed: 1.5 });
  expect(() => rareEncodings.decodeCbor(Uint8Array.of(0xff))).toThrow(RecordingError);
  expect(() => rareEncodings.parseRos2IdlSchema("nonsense {", "msgs/msg/Odd")).toThrow(
    /^The IDL schema cannot be read/,
  );
});
