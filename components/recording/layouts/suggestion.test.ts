import { describe, expect, test } from "vitest";
import type { Subject } from "@/components/recording/session/panel-type";
import { toPanel } from "@/domain/layouts/panel";
import {
  emptyLayout,
  isGroup,
  isTabs,
  listPanels,
  setPanel,
  type Layout,
  type LayoutNode,
} from "@/domain/layouts/tree";
import { applyChanges } from "./changed-layout";
import { readLayoutAddress, withLayout } from "./layout-address";
import { describeChanges, noChanges } from "./layout-changes";
import { reduceHistory, startHistory } from "./layout-history";
import { getTitle } from "./panel-types";
import { listOffers, suggestLayout } from "./suggestion";

const topic = (name: string, schema: string, frequency_hz = 10) => ({
  name,
  schema,
  frequency_hz,
  message_count: 100,
  encoding: "cdr",
  fields: [{ path: "value", kind: "number" }],
  long_lists: [],
  error: null,
});
const image = "sensor_msgs/msg/Image";
const subject = (topics: Subject["topics"], named: string[] = [], fields: string[] = []): Subject => ({
  topics,
  named: new Map(named.map((name) => [name, 1])),
  fields,
  hasRobot: false,
  hasDatum: false,
  isNotable: named.length > 0,
  pictureLike: [],
});

/** The arrangement with what each panel shows. */
function outline({ root, panels }: Layout): unknown {
  const of = (node: LayoutNode | null): unknown => {
    if (node === null) return null;
    if (isGroup(node)) return { [node.dir]: node.items.map(of) };
    const [id = ""] = isTabs(node) ? node.tabs : [node.panel];
    const panel = panels[id];
    return panel && getTitle(panel);
  };
  return of(root);
}

describe("the suggested layout", () => {
  test("is empty where nothing is to be seen", () => {
    const topics = [topic("/motor", "my_msgs/Motor"), topic("/rosout", "rcl_interfaces/msg/Log")];
    expect(suggestLayout(subject(topics, ["/motor"], ["/motor.value"]))).toEqual(emptyLayout);
  });

  test("has a 3-D view where joints move a described robot, and nothing else is in space", () => {
    const arm = subject([topic("/joint_states", "sensor_msgs/msg/JointState")]);
    expect(suggestLayout(arm)).toEqual(emptyLayout);
    expect(outline(suggestLayout({ ...arm, hasRobot: true }))).toBe("3-D");
  });

  test("has no 3-D view of poses, odometry and frames alone, but a map of the way, and offers one", () => {
    const pose = topic("/pose", "geometry_msgs/msg/PoseStamped");
    const odometry = topic("/odom", "nav_msgs/msg/Odometry", 50);
    const transforms = topic("/tf", "tf2_msgs/msg/TFMessage");
    const alone = subject([pose, topic("/cam", image)]);
    expect(outline(suggestLayout(alone))).toEqual({ col: ["/cam", "/pose"] });
    expect(listOffers("scene", alone)).toMatchObject([{ score: 0 }]);
    expect(outline(suggestLayout(subject([pose, transforms])))).toBe("/pose");
    expect(outline(suggestLayout(subject([pose, odometry, transforms])))).toBe("/odom");
    expect(outline(suggestLayout(subject([{ ...odometry, message_count: 0 }, pose])))).toBe("/pose");
    expect(suggestLayout(subject([transforms]))).toEqual(emptyLayout);
    expect(suggestLayout(subject([topic("/goals", "geometry_msgs/msg/PoseArray")]))).toEqual(emptyLayout);
  });

  test.each(["sensor_msgs/msg/LaserScan", "nav_msgs/msg/OccupancyGrid", "visualization_msgs/msg/MarkerArray"])(
    "has a 3-D view of %s, which has the way of poses, too",
    (schema) => {
      const pose = topic("/pose", "geometry_msgs/msg/PoseStamped");
      expect(outline(suggestLayout(subject([pose, topic("/seen", schema)])))).toBe("3-D");
    },
  );

  test("has no 3-D view of topics without messages", () => {
    const silent = { ...topic("/scan", "sensor_msgs/msg/LaserScan"), message_count: 0 };
    const transforms = { ...topic("/tf", "tf2_msgs/msg/TFMessage"), message_count: 0 };
    const pose = topic("/pose", "geometry_msgs/msg/PoseStamped");
    expect(suggestLayout(subject([silent]))).toEqual(emptyLayout);
    expect(outline(suggestLayout(subject([pose, silent, transforms])))).toBe("/pose");
  });

  test("has none of what only looks like a picture, which is offered with these words", () => {
    const frames = topic("/frames", "acme/msg/Frame");
    const looking = { ...subject([frames], ["/frames"]), pictureLike: ["/frames"] };
    expect(suggestLayout(looking)).toEqual(emptyLayout);
    const [offer] = listOffers("image", looking);
    expect(offer).toEqual({
      panel: { type: "image", config: { topic: "/frames" } },
      score: 0,
      note: "looks like an image",
    });
  });

  test("has at most four cameras, in two rows where there is nothing else", () => {
    const topics = Array.from({ length: 9 }, (_, at) => topic(`/cam${at}`, image, at + 1));
    expect(outline(suggestLayout(subject(topics)))).toEqual({
      col: [{ row: ["/cam8", "/cam7"] }, { row: ["/cam6", "/cam5"] }],
    });
  });

  test("prefers what rules name, what lies beside it, and what speaks often", () => {
    const topics = [
      topic("/rear/image", image, 30),
      topic("/arm/image", image, 5),
      topic("/hall/image", image, 30),
      topic("/top/image", image, 29),
      topic("/dock/image", image, 28),
      topic("/gate/image", image, 1),
      topic("/arm/motor", "my_msgs/Motor"),
    ];
    const titles = (named: string[]) => Object.values(suggestLayout(subject(topics, named)).panels).map(getTitle);
    expect(titles([])).toEqual(["/rear/image", "/hall/image", "/top/image", "/dock/image"]);
    expect(titles(["/arm/motor"])[0]).toBe("/arm/image");
    expect(titles(["/gate/image"])[0]).toBe("/gate/image");
  });

  test("puts pictures above, and the map, the compared fields and the log below", () => {
    const topics = [
      topic("/cam", image),
      topic("/fix", "sensor_msgs/msg/NavSatFix"),
      topic("/rosout", "rcl_interfaces/msg/Log"),
      topic("/motor", "my_msgs/Motor"),
    ];
    expect(outline(suggestLayout(subject(topics, ["/motor"], ["/motor.value"])))).toEqual({
      col: ["/cam", { row: ["/fix", "/motor.value", "Log"] }],
    });
    // So do fields that the address names, such as that of an alert.
    expect(outline(suggestLayout(subject(topics.slice(0, 1).concat(topics.slice(3)), [], ["/motor.value"])))).toEqual({
      col: ["/cam", "/motor.value"],
    });
    // Without anything that happened the log says nothing that its tab does not.
    expect(outline(suggestLayout(subject(topics)))).toEqual({ col: ["/cam", "/fix"] });
  });

  test("has a map of odometry where no receiver says more, beside what is in space only with a datum", () => {
    const [odom, wheels, fix] = [
      topic("/odom", "nav_msgs/msg/Odometry", 50),
      topic("/wheels", "nav_msgs/msg/Odometry", 20),
      topic("/fix", "sensor_msgs/msg/NavSatFix", 1),
    ];
    const titles = (topics: Subject["topics"], hasDatum: boolean) =>
      outline(suggestLayout({ ...subject(topics), hasDatum }));
    const scan = topic("/scan", "sensor_msgs/msg/LaserScan");
    expect(titles([odom, wheels], false)).toBe("/odom");
    expect(titles([odom, wheels, scan], false)).toBe("3-D");
    expect(titles([wheels, odom, scan], true)).toEqual({ col: ["3-D", "/odom"] });
    expect(titles([odom, wheels, fix, scan], true)).toEqual({ col: ["3-D", "/fix"] });
    expect(titles([odom, wheels, fix], true)).toBe("/fix");
  });

  test("has at most six panels, one of each type before a second of any", () => {
    const topics = [
      ...Array.from({ length: 6 }, (_, at) => topic(`/cam${at}`, image, 1_000)),
      topic("/fix", "sensor_msgs/msg/NavSatFix", 1),
      topic("/rosout", "rcl_interfaces/msg/Log", 1),
      topic("/motor", "my_msgs/Motor", 1),
    ];
    const { panels, root } = suggestLayout(subject(topics, ["/motor"], ["/motor.value"]));
    expect(Object.values(panels).map(({ type }) => type)).toEqual(["image", "image", "image", "map", "plot", "log"]);
    expect(listPanels(root)).toHaveLength(6);
  });
});

describe("a layout in an address", () => {
  const base = suggestLayout(subject([topic("/a", image), topic("/b", image)]));
  const changed = setPanel(base, "p1", toPanel("image", { topic: "/c" }));
  const through = (layout: Layout) => {
    const changes = describeChanges(base, layout);
    if (changes === null) return null;
    const query = withLayout(new URLSearchParams("t=5&tree=old&p.p9=old&full=old"), {
      layout: "suggested",
      full: null,
      changes,
    });
    expect(query.get("t")).toBe("5");
    return applyChanges(base, readLayoutAddress(new URLSearchParams(query.toString())).changes);
  };

  test("is the same after it was read", () => {
    expect(through(base)).toEqual({ layout: base, isWhole: true });
    expect(through(changed)).toEqual({ layout: changed, isWhole: true });
    expect(describeChanges(base, changed)).toEqual({ tree: null, panels: { p1: '{"topic":"/c"}' } });
    const log = setPanel(base, "p1", toPanel("log", { level: "error", search: "a&b=c" }));
    expect(through(log)).toEqual({ layout: log, isWhole: true });
  });

  test("is left out when it is longer than 2 kB", () => {
    const series = Array.from({ length: 8 }, (_, at) => `/topic${at}.${"x".repeat(300)}`);
    expect(describeChanges(base, setPanel(base, "p1", toPanel("plot", { series })))).toBeNull();
  });

  test("that cannot be read is the one without changes", () => {
    const broken = (panels: Record<string, string>, tree: string | null = null) => applyChanges(base, { tree, panels });
    const unreadable: Record<string, string>[] = [
      { p1: "{" },
      { p1: "7" },
      { p9: "{}" },
      { p1: '{"topic":7}' },
      { p1: '{"more":1}' },
      { constructor: "{}" },
    ];
    for (const panels of unreadable) expect(broken(panels)).toEqual({ layout: base, isWhole: false });
    expect(broken({}, "[]")).toEqual({ layout: base, isWhole: false });
    expect(applyChanges(base, noChanges)).toEqual({ layout: base, isWhole: true });
  });
});

test("the last twenty steps can be undone and done again; typing is one step", () => {
  const base = suggestLayout(subject([topic("/a", image)]));
  const show = (name: string) => (layout: Layout) => setPanel(layout, "p1", toPanel("image", { topic: name }));
  let history = startHistory(base);
  for (let at = 0; at < 30; at++) history = reduceHistory(history, { type: "change", change: show(`/${at}`) });
  const last = history.now;
  for (let at = 0; at < 40; at++) history = reduceHistory(history, { type: "undo" });
  expect(history.now).toEqual(show("/9")(base));
  for (let at = 0; at < 40; at++) history = reduceHistory(history, { type: "redo" });
  expect(history.now).toEqual(last);
  for (const name of ["/x", "/xy", "/xyz"])
    history = reduceHistory(history, { type: "change", change: show(name), about: "p1" });
  expect(reduceHistory(history, { type: "undo" }).now).toEqual(last);
  // What changes nothing is no step.
  expect(reduceHistory(history, { type: "change", change: (layout) => ({ ...layout }) })).toBe(history);
});
