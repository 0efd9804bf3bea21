import { describe, expect, it } from "vitest";
import { decodeBzip2 } from "@/engine/formats/codecs/bzip2";
import { loadBzip2 } from "@/engine/formats/codecs/bzip2-wasm";

/** Texts, and what bzip2 makes of them. */
const cases: [name: string, text: string, compressed: string][] = [
  ["nothing", "", "QlpoORdyRThQkAAAAAA="],
  ["one byte", "x", "QlpoOTFBWSZTWXdLsBQAAAAAgABAIAAhGEaC7kinChIO6XYCgA=="],
  [
    "runs",
    "a".repeat(3) + "b".repeat(4) + "c".repeat(5) + "d".repeat(259) + "e".repeat(260) + "f".repeat(1_000),
    "QlpoOTFBWSZTWa6ARi0AAAJBAeAAPwAAgAAIIAAxADAj1T1PJMnZLz1Q4y7NxGHWhD0ojR8XckU4UJCugEYt",
  ],
  [
    "three blocks of 100 kB",
    "robot".repeat(50_000),
    "QlpoMTFBWSZTWXxd51gAdSoBgBAAlAAgAFBmmgUoMKgqNKgqNKgqM4qCo4qCo8xQVkmU1kSqfOMACcOAYAQAJQAIABAUoBmmmSoKjSoKjSoKji" +
      "oKjioKjzFBWSZTWch3Rq0AE4uBgBAAlAAgAFBmmgUqPT1SFRtUhUYUKj9SFRhQqOF3JFOFCQHFM81A",
  ],
  [
    "text",
    Array.from({ length: 60 }, (_, i) => `motor ${i % 7} is at ${(i * i) % 83} degrees; `).join(""),
    "QlpoOTFBWSZTWfPXu6IAAfsZgEAAf+gmopwAMAEabAano0TKT0mCaDTIp+qMhoAESmRIA0MnPCEiEAiEBiEQgEAgEYBDAHoGMY1Jrb5oPswUpb" +
      "y7uhpm3IoRaRjKlmEkwqupyzkXdhwiSbmoiA2ZJeEpDh4VFEoS2S5lIphiaYo4AiIws9dCqgBg2rvradrzpAwREo20SkCtYkAMHS6UzjVAF3Jd" +
      "XjC3mtVMazWdqz4BXACvoFdwV+AK0AruCvAK8grwCvIK6BXkFbBX+LuSKcKEh5693RA=",
  ],
  [
    "bytes of many values",
    Array.from({ length: 128 }, (_, i) => String.fromCharCode(i))
      .join("")
      .repeat(2),
    "QlpoOTFBWSZTWdPFi3oAAAD/gH////////////////////+wAMAFVVATATAAAAAAAAAAAAAAAAAAAQYACYAAmAAAAAAAAAAAAAAAAIMABMAATA" +
      "AAAAAAAAAAAAAAAP1AoJBoRCv8hkOiESikWjH/RqOR6QSKSSaUSqWS6YTKaTacTqeT6gUKiUakUqmU6oVKqVasVquV6wWKyWa0Wq2W64XK6Xa8" +
      "Xq+X7AYLCYbEYrGY7IZLKZbMZrOZ7QaLSabUarWa7YbLabbcbreb7gcLicbkcrmc7odLqdbsdrud7weLyeb0er2e74fL6fb8fr+F3JFOFCQ08W" +
      "LegA==",
  ],
];
const toBytes = (compressed: string): Uint8Array => new Uint8Array(Buffer.from(compressed, "base64"));

describe("bzip2 without WebAssembly", () => {
  it.each(cases)("decompresses %s", (_, text, compressed) => {
    expect(Buffer.from(decodeBzip2(toBytes(compressed), text.length)).toString()).toBe(text);
  });

  it("never writes more than it is asked for", () => {
    const [, text, compressed] = cases[3]!;
    expect(() => decodeBzip2(toBytes(compressed), text.length - 1)).toThrow("The chunk is damaged.");
  });

  it("finds damage and truncation wherever the server's decoder does", async () => {
    const server = await loadBzip2();
    let compared = 0;
    for (const [, text, compressed] of cases) {
      const whole = toBytes(compressed);
      for (let at = 0; at < whole.length; at += 2) {
        const changed = new Uint8Array(whole);
        changed[at] = changed[at]! ^ (1 << (at % 8));
        for (const bytes of [changed, whole.subarray(0, at)]) {
          const attempt = (decode: typeof decodeBzip2) => {
            try {
              return Buffer.from(decode(bytes, text.length)).toString();
            } catch {
              return "refused";
            }
          };
          // The combined checksum at the end is not compared: those of the blocks have been.
          const found = attempt(decodeBzip2);
          if (found !== "refused") expect(found).toBe(text);
          if (attempt(server) !== "refused") expect(found).toBe(attempt(server));
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(700);
  });
});
