import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { inQueryTurn } from "@/server/features/signals/query-turn";
import { pool } from "@/server/platform/db";
import { queryRows, text } from "@/server/platform/rows";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";

/** Turns and places last until a test ends them, however slow the machine is. What ends now is rounded to milliseconds. */
beforeAll(async () => {
  await pool.query(`create function last_longer() returns trigger language plpgsql as $$ begin
      if new.held_until > now() + interval '50 milliseconds' then new.held_until := now() + interval '1 hour'; end if;
      if new.kept_until > now() + interval '50 milliseconds' then new.kept_until := now() + interval '1 hour'; end if;
      if new.seen_until > now() + interval '50 milliseconds' then new.seen_until := now() + interval '1 hour'; end if;
      return new;
    end $$;
    create trigger last_longer before insert or update on query_turns for each row execute function last_longer()`);
});
afterAll(() => pool.query("drop function last_longer cascade"));

/** Turns end only when a test ends them. */
class Turn {
  readonly done: Promise<void>;
  private finish = () => {};
  private isOver = false;
  private readonly caller = new AbortController();

  constructor(
    readonly of: TestOrganization,
    private readonly begun: Turn[],
    waitMs?: number,
  ) {
    const work = () =>
      new Promise<void>((resolve) => {
        this.finish = resolve;
        begun.push(this);
        if (this.isOver) resolve();
      });
    this.done = inQueryTurn(of.uid, work, { signal: this.caller.signal, waitMs: waitMs ?? 60_000 });
    this.done.catch(() => {});
    asked.push(this);
  }
  has = () => this.begun.includes(this);
  begins = () => vi.waitFor(() => expect(this.has()).toBe(true), { timeout: 60_000, interval: 5 });
  end = async () => {
    this.isOver = true;
    this.finish();
    await this.done;
  };
  cancel = () => this.caller.abort();
}

const asked: Turn[] = [];
// Those of a test that failed would keep all others of this database from theirs.
afterEach(async () => {
  for (const turn of asked) turn.cancel();
  await Promise.allSettled(asked.splice(0).map((turn) => turn.end()));
});

/** Those of this test that have a place, or that are there to take it, by their places. */
const listWaiting = async (which = "position is not null"): Promise<string[]> => {
  const statement = `select organization_id from query_turns where ${which} order by position`;
  const rows = await queryRows(pool, { organization_id: text }, statement);
  const own = new Set([a, b, c, d, e].map((of) => of?.uid));
  return rows.map((row) => row.organization_id).filter((uid) => own.has(uid) || others.has(uid));
};
/** Resolves when the organization has its place among those that wait. */
const waits = (of: TestOrganization) =>
  vi.waitFor(async () => expect(await listWaiting()).toContain(of.uid), { timeout: 60_000, interval: 5 });

const others = new Set<string>();
let begun: Turn[];
let [a, b, c, d, e]: TestOrganization[] = [];
const ask = (of: TestOrganization | undefined, waitMs?: number) => new Turn(of!, begun, waitMs);
/** Two that have their turns, in this order. */
const hold = async (first: TestOrganization | undefined, second: TestOrganization | undefined): Promise<Turn[]> => {
  const held: Turn[] = [];
  for (const of of [first, second]) {
    const turn = ask(of);
    await turn.begins();
    held.push(turn);
  }
  return held;
};
const names = () => begun.map(({ of }) => "abcde"[[a, b, c, d, e].indexOf(of)]).join("");

beforeEach(async () => {
  begun = [];
  others.clear();
  [a, b, c, d, e] = await Promise.all(Array.from({ length: 5 }, () => makeOrganization()));
});

describe("turns to query", () => {
  it("go round the organizations that wait, however often one of them asks", async () => {
    await hold(a, b);
    // Two ask without pause; each has one place, which is behind the others when it has had its turn.
    const rest: Turn[] = [ask(a), ask(a), ask(b), ask(b)];
    for (const of of [c, d, e]) {
      rest.push(ask(of));
      await waits(of!);
    }
    for (const [ended, thenWaits] of [a, b, undefined, undefined, undefined, undefined, undefined].entries()) {
      await begun[ended]!.end();
      if (thenWaits) await waits(thenWaits);
      await vi.waitFor(() => expect(begun).toHaveLength(ended + 3), { timeout: 60_000, interval: 5 });
    }
    expect(names()).toBe("abcdeabab");
    for (const turn of begun.slice(7)) await turn.end();
    await Promise.all(rest.map(({ done }) => done));
    expect(await listWaiting()).toEqual([]);
  });

  it("are one at a time for an organization, and two for all", async () => {
    const first = ask(a);
    await first.begins();
    const second = ask(a);
    const other = ask(b);
    await other.begins();
    const third = ask(c);
    await waits(c!);
    await first.end();
    await third.begins();
    expect(second.has()).toBe(false);
    await other.end();
    await second.begins();
    await Promise.all([third.end(), second.end()]);
  });

  it("wait without a connection to the database", async () => {
    const held = await hold(a, b);
    const more = await Promise.all(Array.from({ length: 12 }, () => makeOrganization()));
    for (const { uid } of more) others.add(uid);
    const waiting = more.map((of) => ask(of));
    for (const of of more) await waits(of);
    await vi.waitFor(() => expect(pool.idleCount).toBe(pool.totalCount), { timeout: 60_000, interval: 1 });
    for (const turn of waiting) turn.cancel();
    for (const { done } of waiting) await expect(done).rejects.toMatchObject({ code: "cancelled" });
    for (const turn of held) await turn.end();
  });

  it("are refused after a while, and the place is kept for the next asking", async () => {
    const held = await hold(a, b);
    const refused = ask(c, 50);
    await expect(refused.done).rejects.toMatchObject({ code: "throttled", options: { retryAfterSeconds: 5 } });
    const other = ask(d);
    await waits(d!);
    expect(await listWaiting()).toEqual([c!.uid, d!.uid]);
    const again = ask(c);
    await vi.waitFor(async () => expect(await listWaiting("seen_until > now()")).toEqual([c!.uid, d!.uid]), {
      timeout: 60_000,
      interval: 5,
    });
    await held[0]!.end();
    await again.begins();
    expect(other.has()).toBe(false);
    await held[1]!.end();
    await other.begins();
    await Promise.all([again.end(), other.end()]);
  });

  it("pass over who has gone", async () => {
    const held = await hold(a, b);
    const gone = ask(c);
    await waits(c!);
    const next = ask(d);
    await waits(d!);
    gone.cancel();
    await expect(gone.done).rejects.toMatchObject({ code: "cancelled" });
    await held[0]!.end();
    await next.begins();
    expect(gone.has()).toBe(false);
    await Promise.all([held[1]!.end(), next.end()]);
  });

  it("refuse at once who has too many queries waiting in a process", async () => {
    const held = ask(a);
    await held.begins();
    const waiting = Array.from({ length: 5 }, () => ask(a));
    await expect(ask(a).done).rejects.toMatchObject({ code: "throttled" });
    for (const turn of waiting) turn.cancel();
    await held.end();
  });

  it("are shared by processes, and pass on when the time of one that was killed is over", async () => {
    const { file, remove } = await bundleProgram("query-turn-process");
    const [child] = await startProgram<{ holds: boolean }>(file, { ORGANIZATION: a!.uid });
    const held = ask(b);
    await held.begins();
    const [own, other] = [ask(a), ask(c)];
    await waits(c!);
    await killNow(child);
    expect(await listWaiting()).toEqual([c!.uid]);
    expect([own.has(), other.has()]).toEqual([false, false]);
    await pool.query("update query_turns set held_until = now() - interval '1 second' where organization_id = $1", [
      a!.uid,
    ]);
    await other.begins();
    await held.end();
    await own.begins();
    await Promise.all([own.end(), other.end()]);
    remove();
  });
});
