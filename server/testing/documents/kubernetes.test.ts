import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
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
  .filter((file) => file.endsWith(".yaml") && path.basename(file) !== "kustomization.yaml");

const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
type Manifest = z.infer<typeof Manifest>;

const kinds = { Deployment, Job, Ingress, PodDisruptionBudget, ConfigMap, PersistentVolumeClaim, Service };
const isKnown = (kind: string): kind is keyof typeof kinds => kind in kinds;

/** The objects of a file; throws when it is no YAML of Kubernetes objects. */
const readObjects = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return Manifest.parse(document.toJS());
  });

/** Throws with every difference from Kubernetes' own schema of the object. */
function validate(object: Manifest): void {
  const { kind } = object;
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

  const program = kubectl();
  const overlays = fs.readdirSync(path.join(folder, "overlays"));
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
  if (program === null) process.stdout.write("The overlays were not rendered: there is no kubectl 1.27 or newer.\n");
});
