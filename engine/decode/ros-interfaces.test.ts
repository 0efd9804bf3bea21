import { describe, expect, it } from "vitest";
import { createDecoder, listFields } from "@/engine/decode/decode";
import { checkRos2File } from "@/engine/decode/ros-schema";
import { plain, ros2Channel } from "@/engine/testing/test-channels";

const action = `# goal
int32 order
---
# result
int32[] sequence
bool done
---
# feedback
int32[] partial_sequence
`;
const makeActionType = (end: string, text = action) => ros2Channel(text, `pkg/action/Fib_${end}`);
const listPaths = (end: string, text = action) => listFields(makeActionType(end, text)).map(({ path }) => path);

const id = Buffer.from(Array.from({ length: 16 }, (_, at) => at));
const cdr = (...parts: Buffer[]) => Buffer.concat([Buffer.from([0, 1, 0, 0]), ...parts]);
const int32s = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer);

describe("the text of an action", () => {
  it("decodes feedback messages: the id of the goal, then the third part", () => {
    const decoded = createDecoder(makeActionType("FeedbackMessage")).decode(cdr(id, int32s(2, 7, 9)));
    expect(plain(decoded)).toEqual({ goal_id: { uuid: [...id] }, feedback: { partial_sequence: [7, 9] } });
  });

  it("decodes requests and responses of its two services", () => {
    expect(plain(createDecoder(makeActionType("SendGoal_Request")).decode(cdr(id, int32s(5))))).toEqual({
      goal_id: { uuid: [...id] },
      goal: { order: 5 },
    });
    const accepted = cdr(Buffer.from([1, 0, 0, 0]), int32s(3, 4));
    expect(createDecoder(makeActionType("SendGoal_Response")).decode(accepted)).toEqual({
      accepted: true,
      stamp: { sec: 3, nanosec: 4 },
    });
    expect(plain(createDecoder(makeActionType("GetResult_Request")).decode(cdr(id)))).toEqual({
      goal_id: { uuid: [...id] },
    });
    const result = cdr(Buffer.from([4, 0, 0, 0]), int32s(1, 8), Buffer.from([1]));
    expect(plain(createDecoder(makeActionType("GetResult_Response")).decode(result))).toEqual({
      status: 4,
      result: { sequence: [8], done: true },
    });
  });

  it("decodes the events of its services with what they were sent", () => {
    const info = Buffer.concat([int32s(1, 7, 9), Buffer.alloc(16), int32s(0, 42, 0)]);
    const decoded = createDecoder(makeActionType("SendGoal_Event")).decode(cdr(info, int32s(1), id, int32s(6, 0)));
    expect(decoded).toMatchObject({ info: { event_type: 1, sequence_number: 42n }, response: [] });
    expect(plain(decoded)).toMatchObject({ request: [{ goal: { order: 6 } }] });
  });

  it("gives each part to its own type", () => {
    expect([listPaths("Goal"), listPaths("Result").includes("done")]).toEqual([["order"], true]);
    expect(plain(createDecoder(makeActionType("Feedback")).decode(cdr(int32s(1, 3))))).toEqual({
      partial_sequence: [3],
    });
  });

  it("is read for a type whatever the lines of parts that it does not use", () => {
    expect(listPaths("Goal", action.replace("bool done", "what"))).toEqual(["order"]);
    const result = makeActionType("Result", action.replace("bool done", "what"));
    expect(() => createDecoder(result)).toThrow('cannot be read: "what"');
  });

  it("is refused for names that it does not define", () => {
    expect(() => createDecoder(ros2Channel(action, "pkg/action/Fib"))).toThrow(
      'is that of an action, which has no type "pkg/action/Fib"',
    );
    expect(() => createDecoder(ros2Channel("int8 a\n---\nint8 b", "pkg/action/Fib_FeedbackMessage"))).toThrow(
      "is that of a service, which has no type",
    );
    expect(() => createDecoder(makeActionType("Goal", `${action}---\nint8 more`))).toThrow("more parts");
  });
});

describe("a schema with sections", () => {
  const ruler = "=".repeat(80);

  it("may name its own type, a service or an action behind a ruler", () => {
    const text = `${ruler}\nACTION: pkg/action/Fib\n${action}${ruler}\nMSG: std_msgs/Header\nstring frame_id`;
    expect(listPaths("Goal", text)).toEqual(["order"]);
    const user = ros2Channel(`pkg/Fib_Goal goal\n${ruler}\nACTION: pkg/action/Fib\n${action}`);
    expect(listFields(user).map(({ path }) => path)).toEqual(["goal.order"]);
    const own = ros2Channel(`${ruler}\nMSG: pkg/msg/Own\nint8 a`, "pkg/msg/Own");
    expect(listFields(own).map(({ path }) => path)).toEqual(["a"]);
  });
});

describe("a file", () => {
  it.each([
    ["msg", "int8 a\n---\nint8 b", "service or an action, not of a message"],
    ["srv", "int8 a", "A .srv file has 2 parts"],
    ["srv", action, "A .srv file has 2 parts"],
    ["action", "int8 a\n---\nint8 b", "A .action file has 3 parts"],
    ["action", action.replace("int32 order", "what"), 'cannot be read: "what"'],
  ] as const)("of .%s that holds %j is refused", (format, text, reason) => {
    expect(() => checkRos2File(text, format)).toThrow(reason);
  });

  it("of a service or an action may leave parts empty", () => {
    expect(() => checkRos2File("---\n", "srv")).not.toThrow();
    expect(() => checkRos2File(action, "action")).not.toThrow();
  });
});
