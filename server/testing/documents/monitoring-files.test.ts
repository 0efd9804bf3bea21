import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { observeQueue } from "@/server/platform/jobs/queue-metrics";
import { describeProcess, metrics, readMetrics } from "@/server/platform/metrics";
import { root } from "@/server/testing/architecture/source-tree";

const at = (file: string) => path.join(root, file);
const read = (file: string) => fs.readFileSync(at(file), "utf8");

interface Panel {
  title: string;
  targets?: { expr: string }[];
}
const { panels } = JSON.parse(read("deploy/grafana/muster.json")) as { panels: Panel[] };
const rules = read("deploy/prometheus/rules.yml");
const expressions = [
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`panel "${title}"`, expr] as const)),
  ["rules.yml", rules.replaceAll(/^ +(?:summary:|- alert:|#).*$/gm, "")] as const,
];

/** What Prometheus itself adds to every series, and the bounds of a histogram. */
const addedLabels = ["instance", "job", "le"];

/** The names of metrics in an expression, each with the labels that it is selected by. */
const listSelectors = (expression: string) =>
  [...expression.matchAll(/\b((?:muster|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", labels = ""]) => ({
      name,
      labels: [...labels.matchAll(/(\w+)\s*[=!]~?"/g)].map(([, label = ""]) => label),
    }),
  );

/** The labels of a metric by the names of its series. */
let registered: Map<string, readonly string[]>;
beforeAll(async () => {
  describeProcess("1.2.3", "0a1b2c3d4e5f", "web");
  observeQueue();
  await readMetrics();
  registered = new Map(
    metrics.registry.getMetricsAsArray().flatMap((metric) => {
      const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: string[] };
      return ["", "_bucket", "_count", "_sum"].map((suffix) => [name + suffix, labelNames] as const);
    }),
  );
});

describe("the dashboard and the alerts", () => {
  test("name only metrics that Muster has, with labels that these have", () => {
    let selectors = 0;
    for (const [place, expression] of expressions) {
      for (const { name, labels } of listSelectors(expression)) {
        selectors++;
        expect([place, name, registered.has(name)]).toEqual([place, name, true]);
        const known = [...(registered.get(name) ?? []), ...addedLabels];
        expect([place, name, labels.filter((label) => !known.includes(label))]).toEqual([place, name, []]);
      }
    }
    expect(selectors).toBeGreaterThan(40);
  });

  test("show or watch every metric of Muster's own", () => {
    const text = expressions.map(([, expression]) => expression).join("\n");
    const own = metrics.registry.getMetricsAsArray().flatMap(({ name }) => (name.startsWith("muster_") ? [name] : []));
    expect(own.filter((name) => !text.includes(name))).toEqual([]);
  });
});

describe("docs/operations/watch.md", () => {
  const page = read("docs/operations/watch.md");

  test("says of each alert what to do, and of no other", () => {
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(10);
    expect([...page.matchAll(/^### (Muster\w+)$/gm)].map(([, name]) => name)).toEqual(alerts);
  });

  test("lists every metric of Muster's own with its labels", () => {
    const listed = [...page.matchAll(/^\| `(muster_\w+)` \| ([^|]*)\|/gm)].map(([, name, labels = ""]) => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    ]);
    const own = [...registered].filter(
      ([name]) => name.startsWith("muster_") && metrics.registry.getSingleMetric(name),
    );
    expect(listed.sort()).toEqual(own.map(([name, labels]) => [name, [...labels]]).sort());
  });
});

const hasPromtool = !spawnSync("promtool", ["--version"]).error;
if (!hasPromtool) process.stdout.write("skipped: Prometheus's own checks; npm run test:deploy installs it\n");

describe.skipIf(!hasPromtool)("promtool", () => {
  const run = (args: string[], input = "") => {
    const { status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
    return { status, text: stdout + stderr };
  };

  test.each([
    ["rules", "rules.yml"],
    ["config", "prometheus.yml"],
  ])("accepts the %s", (kind, file) => {
    expect(run(["check", kind, at(`deploy/prometheus/${file}`)])).toMatchObject({ status: 0 });
  });

  test("fires the alerts that its tests expect", () => {
    expect(run(["test", "rules", at("deploy/prometheus/rules.test.yml")])).toMatchObject({ status: 0 });
  });

  test("accepts the metrics and their names", async () => {
    const { text } = await readMetrics();
    const own = text.split("\n").filter((line) => /^(# \w+ )?muster_/.test(line));
    expect(own.length).toBeGreaterThan(50);
    expect(run(["check", "metrics"], `${own.join("\n")}\n`)).toEqual({ status: 0, text: "" });
  });
});
