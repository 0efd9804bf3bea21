import { describe, expect, it } from "vitest";
import { listFields } from "@/engine/decode/decode";
import { createFieldReader } from "@/engine/decode/field-reader";
import { ros1Channel as ros1, ros2Channel as ros2 } from "@/engine/testing/test-channels";

describe("fields of ROS messages", () => {
  it("constants name the values of the field they are meant for", () => {
    const schema = `uint8 POWER_OFF=0
uint8 POWER_ON=1
uint8 MODE_AUTO=0
uint8 MODE_MANUAL=1
float32 voltage
uint8 power
uint8 drive_mode
`;
    const enums = listFields(ros2(schema)).filter(({ kind }) => kind === "enum");
    expect(enums).toEqual([
      { path: "power", kind: "enum", enumValues: { 0: "POWER_OFF", 1: "POWER_ON" } },
      { path: "drive_mode", kind: "enum", enumValues: { 0: "MODE_AUTO", 1: "MODE_MANUAL" } },
    ]);
    const plainNames = "byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte level\nbyte other\n";
    expect(listFields(ros1(plainNames))).toEqual([
      { path: "level", kind: "enum", enumValues: { 0: "OK", 1: "WARN", 2: "ERROR" } },
      { path: "other", kind: "number" },
    ]);
  });

  it("units come from names and comments that state them plainly", () => {
    const schema =
      "float32 temp # motor [°C]\nfloat32 speed_mps\nfloat32 angle # in radians\nfloat32 a\nfloat32 m # many things\n";
    expect(listFields(ros1(schema)).map(({ unit }) => unit)).toEqual(["°C", "m/s", "rad", undefined, undefined]);
  });

  it("fields of standard types have their units without a comment, also in types that hold them", () => {
    const vector = "=====\nMSG: geometry_msgs/Vector3\nfloat64 x\n";
    const twist = `=====\nMSG: geometry_msgs/Twist\nVector3 linear\nVector3 angular\n${vector}`;
    const units = (schema: string, name: string) =>
      listFields({ ...ros2(schema), schemaName: name }).map(({ path, unit }) => `${path} ${unit}`);
    expect(units(`geometry_msgs/Twist twist\nfloat64 other\n${twist}`, "pkg/msg/Drive")).toEqual([
      "twist.linear.x m/s",
      "twist.angular.x rad/s",
      "other undefined",
    ]);
    expect(units(`geometry_msgs/Vector3 angular_velocity\nfloat64[9] c\n${vector}`, "sensor_msgs/msg/Imu")[0]).toBe(
      "angular_velocity.x rad/s",
    );
    expect(units("float32 voltage\nfloat32 percentage\n", "sensor_msgs/msg/BatteryState")).toEqual([
      "voltage V",
      "percentage undefined",
    ]);
    // A type of another package keeps the name for something else.
    expect(units("float32 voltage\n", "other_msgs/msg/BatteryState")).toEqual(["voltage undefined"]);
  });

  it("of fixed arrays of up to 256 elements the first 64 are spelled out, open ones are not", () => {
    const paths = listFields(
      ros1("float64[3] p\nfloat64[256] c\nfloat64[257] e\nfloat64[] d\npkg/A[2] s\n=====\nMSG: pkg/A\nuint8 x\n"),
    ).map(({ path }) => path);
    const c = Array.from({ length: 64 }, (_, at) => `c[${at}]`);
    expect(paths).toEqual(["p[0]", "p[1]", "p[2]", ...c, "s[0].x", "s[1].x"]);
  });

  it("of lists of structs as many whole elements as leave room for all other fields are spelled out", () => {
    const motor = "=====\nMSG: pkg/Motor\nfloat32 q\nfloat32 dq\nint16[3] temperature\nuint32[15] reserve\n";
    const count = (text: string) => {
      const paths = listFields(ros1(`${text}\nfloat64 last\n${motor}`)).map(({ path }) => path);
      expect(paths.at(-1)).toBe("last");
      expect(paths.length).toBeLessThanOrEqual(500);
      return paths.filter((path) => /^motor_state\[\d+\]/.test(path)).length / 20;
    };
    expect(count("pkg/Motor[20] motor_state")).toBe(20);
    expect(count("pkg/Motor[35] motor_state")).toBe(24);
    expect(count("pkg/Motor[300] motor_state")).toBe(0);
  });

  it("lists of structs of unknown length have the room that all other fields leave, and share it", () => {
    const big = `=====\nMSG: pkg/Big\n${Array.from({ length: 90 }, (_, n) => `float64 x${n}\n`).join("")}`;
    const count = (text: string) => {
      const paths = createFieldReader(ros1(`${text}\nfloat64 last\n${big}`)).fields.map(({ path }) => path);
      expect(paths.at(-1)).toBe("last");
      const elements = [...new Set(paths.flatMap((path) => /^(\w+\[\d+\])\./.exec(path)?.[1] ?? []))];
      expect(paths.filter((path) => path.includes("]."))).toHaveLength(90 * elements.length);
      return elements;
    };
    expect(count("pkg/Big[] a")).toEqual(["a[0]", "a[1]", "a[2]", "a[3]", "a[4]"]);
    expect(count("pkg/Big[] a\npkg/Big[] b")).toEqual(["a[0]", "a[1]", "b[0]", "b[1]"]);
    expect(count("float64[64] c\nfloat64[] d\npkg/Big[] a")).toEqual(["a[0]", "a[1]", "a[2]", "a[3]"]);
    expect(count(`${["a", "b", "c", "d", "e", "f", "g"].map((name) => `pkg/Big[] ${name}`).join("\n")}`)).toEqual([
      "a[0]",
      "b[0]",
      "c[0]",
      "d[0]",
      "e[0]",
    ]);
  });

  it("types with exponentially many paths are listed in bounded time", () => {
    const nested = Array.from({ length: 14 }, (_, i) => {
      const fields = Array.from({ length: 30 }, (_unused, k) => `pkg/L${i + 1} g${k}\n`);
      return `=====\nMSG: pkg/L${i}\n${fields.join("")}`;
    });
    const schema = `pkg/L0 a\n${nested.join("")}=====\nMSG: pkg/L14\n`;
    expect(listFields(ros1(schema))).toEqual([]);
    const within = `pkg/L0[] a\nfloat64 last\n${nested.join("")}=====\nMSG: pkg/L14\nfloat64[] values\n`;
    expect(createFieldReader(ros1(within)).fields.map(({ path }) => path)).toEqual(["last"]);
  });
});
