import { describe, expect, test } from "vitest";
import { getColours } from "@/engine/messages/colour-scale";
import { rotate } from "@/engine/messages/pose";
import type { Figures } from "@/engine/messages/scene-object";
import { readOdometry, readOdometryTrail, readTrailPlace } from "@/engine/messages/scenes/odometry";

/** A quarter turn to the left. */
const left = { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 };
const ros = (linear: object, frame_id = "odom") => ({
  header: { stamp: { sec: 1, nanosec: 0 }, frame_id },
  child_frame_id: "base_link",
  pose: { pose: { position: { x: 3, y: 4, z: 0 }, orientation: left }, covariance: [] },
  twist: { twist: { linear, angular: { x: 0, y: 0, z: 0.5 } } },
});
const near = (vector: readonly number[]) => vector.map((part) => Math.round(part * 1e6) / 1e6 + 0);
const listShapes = (message: { objects: unknown[] }) => (message.objects[0] as Figures).shapes;
/** Where an arrow leads, and how long it is. */
const describeArrows = (message: { objects: unknown[] }) =>
  listShapes(message).flatMap((shape) =>
    shape.kind === "arrow"
      ? [
          {
            at: near(shape.pose.position),
            to: near(rotate(shape.pose.orientation, [1, 0, 0])),
            length: near([shape.shaft[0] + shape.head[0]])[0],
          },
        ]
      : [],
  );

describe("the twist", () => {
  test("is seen from the child frame, which stands where the pose is", () => {
    // Ahead for a robot that was turned to the left is the y axis of its parent.
    const message = readOdometry(ros({ x: 2, y: 0, z: 0 }));
    expect(message.objects).toHaveLength(1);
    expect(message.objects[0]).toMatchObject({ frame: "odom", stamp: 1_000_000_000n });
    expect(describeArrows(message)).toEqual([
      { at: [3, 4, 0], to: [0, 1, 0], length: 0.6 },
      { at: [3, 4, 0], to: [0, 1, 0], length: 2 },
      { at: [3, 4, 0], to: [0, 0, 1], length: 0.5 },
    ]);
  });

  test("of Foxglove lies beside the pose, and may be missing", () => {
    const message = {
      timestamp: { sec: 1, nsec: 0 },
      frame_id: "map",
      body_frame_id: "base_link",
      pose: { position: { x: 1, y: 0, z: 0 }, orientation: left },
      linear_velocity: { x: 0, y: 3, z: 0 },
    };
    expect(describeArrows(readOdometry(message))[1]).toEqual({ at: [1, 0, 0], to: [-1, 0, 0], length: 3 });
    const { linear_velocity: _, ...still } = message;
    expect(describeArrows(readOdometry(still))).toHaveLength(1);
  });

  test("that is no number is counted; the pose is drawn", () => {
    const message = readOdometry(ros({ x: Number.NaN, y: 0, z: 0 }));
    expect(describeArrows(message)).toHaveLength(2);
    expect(message.notes).toEqual(["1 velocity that is no number"]);
  });

  test("the ellipse comes from the covariance of either form", () => {
    const covariance = Array.from({ length: 36 }, (_, at) => (at === 0 ? 0.25 : at === 7 ? 0.0625 : 0));
    const message = ros({ x: 0, y: 0, z: 0 });
    const own = [
      readOdometry({ ...message, pose: { ...message.pose, covariance } }),
      readOdometry({ frame_id: "map", pose: message.pose.pose, pose_covariance: covariance }),
    ];
    // Two standard deviations to each side: 4 × 0.5 and 4 × 0.25.
    for (const each of own) expect(listShapes(each)[1]).toMatchObject({ kind: "sphere", size: [2, 1, 0.001] });
  });
});

describe("a trail", () => {
  const place = (x: number, speed: number, frame = "odom") =>
    readTrailPlace({ ...ros({ x: speed, y: 0, z: 0 }, frame), pose: { pose: { position: { x, y: 0, z: 0 } } } });

  test("has the speed of each place, over all directions", () => {
    expect(readTrailPlace(ros({ x: 3, y: 4, z: 12 }))).toEqual({ frame: "odom", position: [3, 4, 0], speed: 13 });
    expect(readTrailPlace({ frame_id: "map", pose: {} })).toEqual({ frame: "map", position: [0, 0, 0], speed: null });
  });

  test("is a line of the colours of its speeds, from standing to the fastest", () => {
    const message = readOdometryTrail(ros({ x: 1, y: 0, z: 0 }), [place(0, 0), place(1, 2), place(2, 4)], true);
    const [trail] = listShapes(message);
    expect(trail).toMatchObject({ kind: "line", points: new Float32Array([0, 0, 0, 1, 0, 0, 2, 0, 0]) });
    const table = getColours("turbo");
    const wanted = [0, 128, 255].flatMap((at) => [
      table[at]! & 255,
      (table[at]! >> 8) & 255,
      (table[at]! >> 16) & 255,
      255,
    ]);
    const colours = trail?.kind === "line" ? [...trail.colours!].map((part) => Math.round(part * 255)) : [];
    expect(colours).toEqual(wanted);
    expect(message.notes).toEqual(["the trail is coloured by speed, 0 to 4 m/s"]);
  });

  test("of one colour, and of messages that say no speed", () => {
    const plain = readOdometryTrail(ros({ x: 1, y: 0, z: 0 }), [place(0, 1), place(1, 2)], false);
    expect(listShapes(plain)[0]).toMatchObject({ kind: "line", colours: null });
    expect(plain.notes).toEqual([]);
    const unsaid = { frame: "map", position: [0, 0, 0] as const, speed: null };
    const quiet = readOdometryTrail({ frame_id: "map", pose: {} }, [unsaid, { ...unsaid, position: [1, 0, 0] }], true);
    expect(listShapes(quiet)[0]).toMatchObject({ kind: "line", colours: null });
    expect(quiet.notes).toEqual(["no message says its speed"]);
  });

  test("leaves out places of other frames, and counts them", () => {
    const message = readOdometryTrail(ros({ x: 0, y: 0, z: 0 }), [place(9, 1, "map"), place(0, 1), place(1, 1)], false);
    expect(listShapes(message)[0]).toMatchObject({ points: new Float32Array([0, 0, 0, 1, 0, 0]) });
    expect(message.notes).toEqual(["1 place of the trail in another frame"]);
  });
});
