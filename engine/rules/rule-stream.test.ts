import { describe, expect, test } from "vitest";
import { parseCondition } from "@/domain/conditions/condition-schema";
import { ns, seconds } from "@/engine/rules/recording.fixture";
import { createRuleStream, type Metrics, type StreamEvent } from "@/engine/rules/rule-stream";

const since = 1_800_000_000_000_000_000n;
const at = (time: number): bigint => since + ns(time);
const into = (time: bigint): number => seconds(time - since);

const begin = (condition: unknown) => {
  const stream = createRuleStream({ uid: "rule", version: 1, condition: parseCondition(condition) });
  stream.load(null, since);
  return stream;
};

const short = (event: StreamEvent): unknown[] =>
  event.kind === "begin"
    ? ["begin", into(event.startedAt), into(event.triggeredAt), event.value]
    : ["end", into(event.triggeredAt), into(event.endedAt), event.by];

/** Each step as the time with the heartbeat's metrics, or null for a look at the clock; returns what each brought. */
function run(condition: unknown, steps: readonly [number, Metrics | null][]): unknown[] {
  const stream = begin(condition);
  return steps.map(([time, metrics]) => {
    const step = metrics ? stream.sample(at(time), metrics) : stream.advance(at(time));
    return step && [step.known, step.nextAt === null ? null : into(step.nextAt), ...step.events.map(short)];
  });
}

const topic = "@heartbeat";
const low = { type: "threshold", topic, field: "battery", operator: "lt", value: 20 };
const each = (list: readonly [number, number][], name = "battery"): [number, Metrics][] =>
  list.map(([time, value]) => [time, { [name]: value }]);

describe("a battery below 20 for 5 minutes", () => {
  const drained = { ...low, window: "5m" };
  test("triggers at the first heartbeat 5 minutes after the first below, long before it ends", () => {
    expect(run(drained, each([[0, 25], [120, 19], [240, 18], [360, 17], [419, 16], [420, 15], [480, 14], [540, 21]]))).toEqual([
      ["false", 150],
      ["unknown", 270],
      ["unknown", 390],
      ["unknown", 510],
      ["unknown", 569],
      ["true", 570, ["begin", 120, 420, 15]],
      ["true", 630],
      ["false", 690, ["end", 420, 540, "recovery"]],
    ]); // prettier-ignore
  });
  test("does not count the time before more than 150 s of silence", () => {
    expect(
      run(
        drained,
        each([
          [0, 19],
          [140, 19],
          [291, 19],
          [420, 19],
          [560, 19],
          [591, 19],
        ]),
      ),
    ).toEqual([
      ["unknown", 150],
      ["unknown", 290],
      ["unknown", 441],
      ["unknown", 570],
      ["unknown", 710],
      ["true", 741, ["begin", 291, 591, 19]],
    ]);
  });
  test("ends by silence 150 s after the last heartbeat, and is then unknown until one comes", () => {
    const steps: [number, Metrics | null][] = [
      [1_000, null],
      [1_010, { battery: 19 }],
      [1_020, { battery: 80 }],
    ];
    expect(
      run(drained, [
        ...each([
          [0, 19],
          [150, 19],
          [300, 19],
        ]),
        ...steps,
      ]).slice(2),
    ).toEqual([
      ["true", 450, ["begin", 0, 300, 19]],
      ["unknown", null, ["end", 300, 450, "silence"]],
      ["unknown", 1_160],
      ["false", 1_170],
    ]);
  });
  test("stays until its recovery, and NaN ends it as unknown", () => {
    const recovering = { ...low, recover: { operator: "gte", value: 30 } };
    expect(
      run(
        recovering,
        each([
          [0, 19],
          [10, 25],
          [20, 30],
          [30, 19],
          [40, NaN],
          [50, 25],
          [60, 31],
        ]),
      ),
    ).toEqual([
      ["true", 150, ["begin", 0, 0, 19]],
      ["true", 160],
      ["false", 170, ["end", 0, 20, "recovery"]],
      ["true", 180, ["begin", 30, 30, 19]],
      ["unknown", 190, ["end", 30, 40, "silence"]],
      ["unknown", 200],
      ["false", 210],
    ]);
  });
});

describe("fewer than 3 heartbeats in 2 minutes", () => {
  const few = { type: "frequency", topic, count_operator: "lt", count: 3, window: "2m" };
  test("triggers when the third to last expires, by the clock alone, and recovers with the next", () => {
    const beats: [number, Metrics][] = [0, 30, 60, 90, 120].map((time) => [time, {}]);
    expect(run(few, [...beats, [209, null], [500, null], [510, {}], [520, {}], [530, {}]]).slice(4)).toEqual([
      ["false", 150],
      ["true", 210, ["begin", 180, 180, 2]],
      ["true", null],
      ["true", 630],
      ["true", 630],
      ["false", 630, ["end", 180, 530, "recovery"]],
    ]);
  });
  test("of a metric begins with the first heartbeat that carries it", () => {
    const driving = { ...few, field: "mode", operator: "eq", value: "drive" };
    expect(
      run(driving, [
        [0, {}],
        [1_000, null],
        [1_010, { mode: "idle" }],
        [1_130, null],
      ]),
    ).toEqual([
      ["unknown", null],
      ["unknown", null],
      ["unknown", 1_130],
      ["true", 1_160, ["begin", 1_130, 1_130, 0]],
    ]);
  });
});

test("an absence counts from where the rule's version was enabled, triggers in the silence and recovers with a heartbeat", () => {
  const silent = { type: "absence", topic, timeout: "2m" };
  expect(
    run(silent, [
      [119, null],
      [130, null],
      [140, {}],
      [260, null],
      [300, {}],
    ]),
  ).toEqual([
    ["unknown", 120],
    ["true", null, ["begin", 0, 120, 120]],
    ["false", 260, ["end", 120, 140, "recovery"]],
    ["true", null, ["begin", 140, 260, 120]],
    ["false", 420, ["end", 260, 300, "recovery"]],
  ]);
});

describe("a composite", () => {
  const hot = { type: "threshold", topic, field: "temperature.cpu_c", operator: "gt", value: 80 };
  const both = { type: "composite", operator: "and", conditions: [low, hot] };
  const beat = (battery: number, cpu: number): Metrics => ({ battery, "temperature.cpu_c": cpu });

  test("and triggers with the later part and is known to be false with either", () => {
    expect(
      run(both, [
        [0, beat(50, 90)],
        [10, beat(10, 90)],
        [20, beat(10, 70)],
        [30, { battery: 10 }],
        [170, null],
      ]),
    ).toEqual([
      ["false", 150],
      ["true", 160, ["begin", 10, 10, 10]],
      ["false", 170, ["end", 10, 20, "recovery"]],
      ["false", 170],
      ["unknown", 180],
    ]);
  });
  test("or is one episode while either holds, and false only where both are known to be", () => {
    const any = { ...both, operator: "or" };
    expect(
      run(any, [
        [0, beat(10, 50)],
        [10, beat(10, 90)],
        [20, beat(50, 90)],
        [30, { battery: 50 }],
        [170, null],
        [180, beat(50, 50)],
      ]),
    ).toEqual([
      ["true", 150, ["begin", 0, 0, 10]],
      ["true", 160],
      ["true", 170],
      ["true", 170],
      ["unknown", 180, ["end", 0, 170, "silence"]],
      ["false", 330],
    ]);
  });
  test("or knows by the names that a device sends, and by none that it never has", () => {
    const named = (field: string) => ({ ...low, field });
    const any = { ...both, operator: "or", conditions: [named("soc"), named("battery"), { ...both }] };
    expect(
      run(any, [
        [0, { cpu: 3 }],
        [10, { battery: 10 }],
        [20, { battery: 50 }],
        [30, { soc: 50, battery: 50 }],
        [40, { battery: 50 }],
        [180, null],
      ]),
    ).toEqual([
      ["unknown", null],
      ["true", 160, ["begin", 10, 10, 10]],
      ["false", 170, ["end", 10, 20, "recovery"]],
      ["false", 180],
      ["false", 180],
      ["unknown", 190],
    ]);
  });
  test("with hold is extended by the clock, and keep_for joins what follows soon", () => {
    const held = { ...both, hold: "1m", keep_for: "30s" };
    expect(
      run(held, [
        [0, beat(10, 50)],
        [10, beat(50, 50)],
        [60, beat(50, 90)],
        [75, beat(10, 90)],
        [90, beat(50, 50)],
        [185, null],
      ]),
    ).toEqual([
      ["false", 150],
      ["false", 70],
      ["true", 70, ["begin", 60, 60, 90]],
      ["true", 225],
      ["true", 150],
      ["false", 240, ["end", 60, 180, "recovery"]],
    ]);
  });
});

describe("a stream", () => {
  test("takes names of metrics as they are", () => {
    const named = { ...low, field: "disk..free-gb.0" };
    expect(run(named, [[0, { "disk..free-gb.0": 3, disk: 50 }]])).toEqual([["true", 150, ["begin", 0, 0, 3]]]);
    expect(run({ ...low, field: "toString" }, [[0, {}]])).toEqual([["unknown", null]]);
  });
  test("evaluates no heartbeat at or before the latest, nor before what silence decided", () => {
    const silent = { type: "absence", topic, timeout: "2m" };
    expect(
      run(silent, [
        [10, {}],
        [10, {}],
        [5, {}],
        [200, null],
        [130, {}],
        [131, {}],
      ]),
    ).toEqual([
      ["false", 130],
      null,
      null,
      ["true", null, ["begin", 10, 130, 120]],
      null,
      ["false", 251, ["end", 130, 131, "recovery"]],
    ]);
  });
  test("announces and counts nothing that begins in a silence that is excused", () => {
    const stream = begin({ type: "absence", topic, timeout: "2m", cooldown: "1h" });
    stream.sample(at(0), {});
    expect(stream.sample(at(600), {}, "excused")).toEqual({ events: [], known: "false", nextAt: at(720) });
    expect(stream.save()).toMatchObject({ open: null, suppressed: 0, triggers: [] });
    expect(stream.advance(at(800)).events.map(short)).toEqual([["begin", 600, 720, 120]]);
  });
  describe("after a silence that is excused", () => {
    const silent = { type: "absence", topic, timeout: "2m" };
    const few = { type: "frequency", topic, count_operator: "lt", count: 3, window: "2m" };
    const either = (...conditions: object[]) => ({ type: "composite", operator: "or", conditions });
    /** Heartbeats at 0 s, and at 600 s excused, and what they and the silence until 2,000 s brought. */
    const resume = (condition: unknown, [first, second]: readonly [Metrics, Metrics]) => {
      const stream = begin(condition);
      const steps = [stream.sample(at(0), first)!, stream.sample(at(600), second, "excused")!];
      return [...steps, stream.advance(at(2_000))].map(({ events }) => events.map(short));
    };
    test.each([
      ["the next one begins", silent],
      ["the next one begins, though what ends is kept", { ...silent, keep_for: "10m" }],
      ["the next one of a part begins", { ...either(silent), hold: "10m", keep_for: "10m" }],
      ["the next one of a part that is kept begins", either(either({ ...silent, keep_for: "10m" }), low)],
    ])("%s", (_, condition) => {
      const began = condition.type === "absence" ? 600 : 720;
      expect(resume(condition, [{ battery: 50 }, { battery: 50 }])).toEqual([[], [], [["begin", began, 720, 120]]]);
    });
    test.each([
      ["silence", either(silent, low)],
      ["few heartbeats", either(few, low)],
      ["a group of it", { ...either({ ...either(silent), keep_for: "1h" }, low), hold: "1h", keep_for: "1h" }],
    ])("what holds with the heartbeat begins, which %s does not hide", (_, condition) => {
      const [before, after] = resume(condition, [{ battery: 50 }, { battery: 15 }]);
      expect([before, after]).toEqual([[], [["begin", 600, 600, 15]]]);
    });
    test("few heartbeats are counted anew", () => {
      expect(resume(few, [{}, {}])).toEqual([[], [], [["begin", 720, 720, 0]]]);
      const stream = begin({ ...few, keep_for: "1h" });
      stream.sample(at(0), {});
      const later = [600, 630, 660, 690, 720].flatMap((time) => stream.sample(at(time), {}, "excused")!.events);
      expect([later, stream.advance(at(840)).events.map(short)]).toEqual([[], [["begin", 780, 780, 2]]]);
    });
    test("what was announced before it goes on", () => {
      const both = resume(either(silent, low), [{ battery: 15 }, { battery: 15 }]);
      expect(both).toEqual([[["begin", 0, 0, 15]], [], []]);
      const stream = begin({ ...silent, keep_for: "10m" });
      stream.sample(at(0), {});
      expect(stream.advance(at(200)).events.map(short)).toEqual([["begin", 0, 120, 120]]);
      expect(stream.sample(at(600), {}, "excused")!.events).toEqual([]);
      expect(stream.sample(at(700), {})!.events).toEqual([]);
      expect(stream.sample(at(810), {})!.events).toEqual([]);
    });
  });
  test("suppresses triggers within the cooldown and says how many", () => {
    const stream = begin({ ...low, cooldown: "1m" });
    const ends = [10, 50, 10, 50, 10, 50].flatMap(
      (battery, index) => stream.sample(at(index * 20), { battery })!.events,
    );
    expect(ends.map((event) => [event.kind, into(event.triggeredAt)])).toEqual([
      ["begin", 0],
      ["end", 0],
      ["begin", 80],
      ["end", 80],
    ]);
    expect(ends[3]).toMatchObject({ suppressed: 1 });
  });
  test("announces a storm at the 1,001st trigger in 24 hours, and triggers again once there is room", () => {
    const stream = begin(low);
    const begun: Extract<StreamEvent, { kind: "begin" }>[] = [];
    for (let beat = 0; beat < 4_000; beat++) {
      const { events } = stream.sample(at(beat * 30), { battery: beat % 2 === 0 ? 10 : 50 })!;
      for (const event of events) if (event.kind === "begin") begun.push(event);
    }
    expect(begun.findIndex(({ evidence }) => evidence.storm)).toBe(1_000);
    expect(into(begun[1_000]!.triggeredAt)).toBe(60_000);
    expect(into(begun[1_001]!.triggeredAt)).toBe(86_400);
    expect(JSON.stringify(stream.save()).length).toBeLessThan(1_500);
  });
  test("shows the samples up to the trigger as evidence, also those from before a restart", () => {
    const condition = { ...low, window: "1m" };
    const first = begin(condition);
    for (const time of [0, 30, 60]) first.sample(at(time), { battery: 50 - time });
    const second = begin(condition);
    expect(second.load(JSON.parse(JSON.stringify(first.save())), since)).toBe(true);
    second.sample(at(90), { battery: 12 });
    const [event] = second.sample(at(120), { battery: 11.5 })!.events;
    expect(event).toMatchObject({
      evidence: {
        rule_version: 1,
        topic,
        window: "1m",
        leaves: [
          {
            path: "",
            type: "threshold",
            field: "battery",
            holds: true,
            value: 11.5,
            value_at: String(at(120)),
            operator: "lt",
            threshold: 20,
            samples: [
              [0, 50],
              [30, 20],
              [60, -10],
              [90, 12],
              [120, 11.5],
            ].map(([time, value]) => [String(at(time!)), value]),
          },
        ],
      },
    });
  });
  test.each([
    ["null", null],
    ["of a later format", { format: 2 }],
    ["a text", "{}"],
    ["of another version of the rule", { version: 2 }],
    ["without its leaves", { leaves: [] }],
    ["with a leaf that is none", { leaves: [{ holdsUntil: "soon" }] }],
    [
      "with a signal that is none",
      { leaves: [{ holdsUntil: null, samples: { times: [], values: [] }, reading: null, tracker: null, signal: 3 }] },
    ],
    [
      "with an episode that is none",
      { leaves: [{ holdsUntil: null, samples: { times: [], values: [] }, reading: null, tracker: {}, signal: null }] },
    ],
  ])("begins empty from a state that is %s", (_, changed) => {
    const stream = begin(low);
    stream.sample(at(0), { battery: 10 });
    const whole = JSON.parse(JSON.stringify(stream.save())) as object;
    expect(stream.load(whole, since)).toBe(true);
    expect(stream.load(typeof changed === "object" && changed ? { ...whole, ...changed } : changed, at(60))).toBe(
      false,
    );
    expect(stream.evaluatedAt).toBe(at(60) - 1n);
    expect(stream.advance(at(1_000))).toEqual({ events: [], known: "unknown", nextAt: null });
    expect(stream.sample(at(1_001), { battery: 9 })!.events.map(short)).toEqual([["begin", 1_001, 1_001, 9]]);
  });
});
