import { describe, expect, it } from "vitest";
import { isLoadFailure, loadPart, PartFailure, updated, type LoadingMeans } from "./part-loading";

const missing = (): Error => {
  const error = new Error("Failed to load chunk /_next/static/chunks/1abc.js from module 12");
  error.name = "ChunkLoadError";
  return error;
};

/** Loads with a clock of the test and a server that answers HEAD requests so; `failures`: of the first tries. */
async function run(failures: Error[], status: number | null = 200) {
  const pauses: number[] = [];
  const asked: string[] = [];
  const means: LoadingMeans = {
    pause: async (ms) => void pauses.push(ms),
    readStatus: async (address) => {
      asked.push(address);
      return status;
    },
  };
  let tries = 0;
  const load = async () => {
    const failure = failures[tries++];
    if (failure) throw failure;
    return "the part";
  };
  const result = await loadPart(load, means).catch((error: unknown) => error);
  return { result, pauses, asked, tries };
}

describe("a part that is loaded later", () => {
  it("comes with the first try where nothing is wrong", async () => {
    expect(await run([])).toEqual({ result: "the part", pauses: [], asked: [], tries: 1 });
  });

  it("comes with the third try, after pauses that grow", async () => {
    const { result, pauses, tries } = await run([missing(), missing()]);
    expect({ result, tries }).toEqual({ result: "the part", tries: 3 });
    expect(pauses).toHaveLength(2);
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0);
  });

  it("is given up after three tries, and may be asked for again", async () => {
    const { result, tries } = await run([missing(), missing(), missing(), missing()], null);
    expect(tries).toBe(3);
    expect(result).toBeInstanceOf(PartFailure);
    expect(result).toMatchObject({ isGone: false, cause: { name: "ChunkLoadError" } });
    expect(updated.get()).toBe(false);
  });

  it("is gone at once where the server does not have its script any more, and pages show it", async () => {
    let changes = 0;
    const stop = updated.subscribe(() => changes++);
    const { result, asked, tries } = await run([missing(), missing()], 404);
    stop();
    expect({ asked, tries }).toEqual({ asked: ["/_next/static/chunks/1abc.js"], tries: 1 });
    expect(result).toMatchObject({ isGone: true });
    expect({ changes, isUpdated: updated.get() }).toEqual({ changes: 1, isUpdated: true });
  });

  it("asks the server nothing about an error of the part's own", async () => {
    const own = new Error("of /_next/static/chunks/1abc.js itself");
    expect((await run([own, own, own], 404)).asked).toEqual([]);
    expect([own, missing(), new PartFailure(false, own)].map(isLoadFailure)).toEqual([false, true, true]);
  });
});
