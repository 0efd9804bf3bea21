import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { settingNames } from "@/server/platform/env";

const folder = path.resolve("deploy/kubernetes");
const files = fs
  .readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".yaml") && path.basename(file) !== "kustomization.yaml" && !file.includes(".test-"));

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
type Manifest = z.infer<typeof Manifest>;

const kinds = {
  Deployment,
  Job,
  Ingress,
  NetworkPolicy,
  PodDisruptionBudget,
  ConfigMap,
  PersistentVolumeClaim,
  Service,
};
const isKnown = (kind: string): kind is keyof typeof kinds => kind in kinds;

const labels = z.record(z.string(), z.string());

/** What we use of the resource of the Prometheus operator, which is not Kubernetes' own. */
const PodMonitor = z.strictObject({
  apiVersion: z.literal("monitoring.coreos.com/v1"),
  kind: z.literal("PodMonitor"),
  metadata: z.strictObject({ name: z.string(), namespace: z.string().optional(), labels: labels.optional() }),
  spec: z.strictObject({
    selector: z.strictObject({
      matchLabels: labels,
      matchExpressions: z.array(
        z.strictObject({
          key: z.string(),
          operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
          values: z.array(z.string()),
        }),
      ),
    }),
    podMetricsEndpoints: z
      .array(
        z.strictObject({
          port: z.string(),
          path: z.string(),
          interval: z.string().regex(/^\d+s$/),
          relabelings: z.array(z.strictObject({ targetLabel: z.string(), replacement: z.string() })),
        }),
      )
      .min(1),
  }),
});

/** The objects of a file; throws when it is no YAML of Kubernetes objects. */
const readObjects = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return Manifest.parse(document.toJS());
  });

/** Throws with every difference from Kubernetes' own schema of the object. */
function validate(object: Manifest): void {
  const { kind } = object;
  if (kind === "PodMonitor") return void PodMonitor.parse(object);
  if (!isKnown(kind)) throw new Error(`there is no schema of ${kind} here: add it to this test`);
  const Model = kinds[kind] as new (data: object) => { apiVersion: string; validate: () => void };
  new Model(object).validate();
  expect(object.apiVersion).toBe(new Model({}).apiVersion);
}

/** Kustomize before 1.27 refuses folders as resources. */
function kubectl(): string | null {
  const { stdout, status } = spawnSync("kubectl", ["version", "--client", "-o", "json"], { encoding: "utf8" });
  const minor = status === 0 ? Number(/"minor": "(\d+)/.exec(stdout)?.[1] ?? 0) : 0;
  return minor >= 27 ? "kubectl" : null;
}

const Workload = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        volumes: z.array(z.object({ emptyDir: z.object({ sizeLimit: z.string() }) })),
        containers: z.array(
          z.object({
            resources: z.object({
              requests: z.record(z.string(), z.string()),
              limits: z.object({ "ephemeral-storage": z.string() }),
            }),
          }),
        ),
      }),
    }),
  }),
});
const Policy = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ podSelector: z.object({ matchLabels: labels }) }),
});

describe("the manifests of Kubernetes", () => {
  test.each(files)("%s follows Kubernetes' schema", (file) => {
    const objects = readObjects(fs.readFileSync(path.join(folder, file), "utf8"));
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) validate(object);
  });

  test("a wrong manifest is refused", () => {
    const wrong = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec: { replicas: "two" } };
    expect(() => validate(wrong)).toThrow("replicas must be integer");
  });

  test("set only settings that Muster has", () => {
    const settings = readObjects(fs.readFileSync(path.join(folder, "base/settings.yaml"), "utf8"));
    const names = settings.flatMap(({ data }) => Object.keys(z.record(z.string(), z.string()).parse(data)));
    expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
  });

  const base = ["web", "worker", "migrate", "network"].flatMap((name) =>
    readObjects(fs.readFileSync(path.join(folder, `base/${name}.yaml`), "utf8")),
  );
  const workloads = base
    .filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .map((object) => Workload.parse(object));

  test("limit what pods may write on the disk of their node", () => {
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(["muster-web", "muster-worker", "muster-migrate"]);
    const gib = (size: string) => Number(/^(\d+)Gi$/.exec(size)?.[1]);
    for (const { metadata, spec } of workloads) {
      const { volumes, containers } = spec.template.spec;
      const room = volumes.reduce((sum, { emptyDir }) => sum + gib(emptyDir.sizeLimit), 0);
      for (const { resources } of containers) {
        // The logs of the container count too.
        expect([metadata.name, gib(resources.limits["ephemeral-storage"]) > room]).toEqual([metadata.name, true]);
        expect(resources.requests).toHaveProperty(["ephemeral-storage"]);
      }
    }
  });

  test("limit who may connect to every pod, by a policy that selects its labels", () => {
    const policies = base.filter(({ kind }) => kind === "NetworkPolicy").map((object) => Policy.parse(object));
    const selected = policies.map(({ metadata, spec }) => [metadata.name, spec.podSelector.matchLabels]);
    expect(selected.sort()).toEqual(
      workloads.map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]).sort(),
    );
  });

  const program = kubectl();
  const overlays = fs.readdirSync(path.join(folder, "overlays")).filter((name) => !name.startsWith("."));
  test.skipIf(program === null)("every overlay renders to objects that follow the schema", () => {
    for (const overlay of overlays) {
      const { stdout, stderr, status } = spawnSync("kubectl", ["kustomize", path.join(folder, "overlays", overlay)], {
        encoding: "utf8",
      });
      expect(status, stderr).toBe(0);
      const objects = readObjects(stdout);
      for (const object of objects) validate(object);
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(names).toEqual(
        expect.arrayContaining(["Deployment muster-web", "Deployment muster-worker", "Job muster-migrate"]),
      );
    }
  });
  test.skipIf(program === null)(
    "the component for the Prometheus operator reads the metrics of an overlay's pods",
    () => {
      const made = fs.mkdtempSync(path.join(folder, "overlays/.test-"));
      try {
        const parts = { resources: ["../example"], components: ["../../components/prometheus-operator"] };
        fs.writeFileSync(path.join(made, "kustomization.yaml"), JSON.stringify(parts));
        const { stdout, stderr, status } = spawnSync("kubectl", ["kustomize", made], { encoding: "utf8" });
        expect(status, stderr).toBe(0);
        const objects = readObjects(stdout);
        for (const object of objects) validate(object);
        const monitors = objects.filter(({ kind }) => kind === "PodMonitor").map((object) => PodMonitor.parse(object));
        expect(monitors.map(({ metadata }) => metadata)).toEqual([expect.objectContaining({ name: "muster" })]);
      } finally {
        fs.rmSync(made, { recursive: true });
      }
    },
  );

  if (program === null) process.stdout.write("The overlays were not rendered: there is no kubectl 1.27 or newer.\n");
});
