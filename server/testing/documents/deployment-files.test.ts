import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { settingNames } from "@/server/platform/env";
import { root } from "@/server/testing/architecture/source-tree";

const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");

/**
 * Packages whose hash is not in the lock, because the registry that wrote it did not have them. No production image
 * installs one. Add none; a hash that appears makes the test ask for its line to be removed.
 */
const withoutHash = [
  "@next/swc-darwin-arm64",
  "@next/swc-darwin-x64",
  "@next/swc-win32-arm64-msvc",
  "@next/swc-win32-x64-msvc",
  "@tailwindcss/oxide-android-arm64",
  "@tailwindcss/oxide-darwin-arm64",
  "@tailwindcss/oxide-darwin-x64",
  "@tailwindcss/oxide-freebsd-x64",
  "@tailwindcss/oxide-linux-arm-gnueabihf",
  "@tailwindcss/oxide-wasm32-wasi",
  "@tailwindcss/oxide-win32-arm64-msvc",
  "@tailwindcss/oxide-win32-x64-msvc",
];

interface Locked {
  integrity?: string;
  resolved?: string;
  link?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
}
const locked = Object.entries((JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> }).packages)
  .filter(([place, { link }]) => place !== "" && !link)
  .map(([place, entry]) => ({ name: place.slice(place.lastIndexOf("node_modules/") + 13), ...entry }));

test("every package is installed only with the SHA-512 in the lock, except those listed here", () => {
  expect(locked.length).toBeGreaterThan(500);
  const unchecked = locked.filter(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
  expect(unchecked.map(({ name }) => name).sort()).toEqual(withoutHash);
});

test("no package without a hash is one that the container image, Linux on x64 or arm64, installs", () => {
  const forImage = locked.filter(
    ({ integrity, optional, os = ["linux"], cpu = ["x64"] }) =>
      integrity === undefined &&
      !(optional && !(os.includes("linux") && (cpu.includes("x64") || cpu.includes("arm64")))),
  );
  expect(forImage).toEqual([]);
});

test("packages come from the registry, not from an address in the lock", () => {
  const elsewhere = locked.filter(({ resolved = "" }) => !/^(https:\/\/registry\.npmjs\.org\/.*)?$/.test(resolved));
  expect(elsewhere).toEqual([]);
});

test("compose publishes ports to this machine only, unless the operator names another address", () => {
  const ports = [...read("compose.yaml").matchAll(/^\s*ports: (.*)$/gm)].map(([, value]) => value);
  expect(ports.length).toBeGreaterThan(0);
  for (const value of ports) expect(value).toBe('["${PUBLISH_ON:-127.0.0.1}:3000:3000"]');
});

interface Service {
  image?: string;
  env_file?: (string | { path: string; required: boolean })[];
  environment?: Record<string, string | null>;
  mem_limit?: string;
  logging?: { driver: string; options: Record<string, string> };
}
const composeFiles = ["compose.yaml", "compose.several.yaml"];
const listServices = (file: string) => {
  const { services } = parse(read(file), { merge: true }) as { services: Record<string, Service> };
  return Object.entries(services);
};

test.each(composeFiles)("%s limits the memory and the logs of every service", (file) => {
  for (const [name, { mem_limit: memory, logging }] of listServices(file)) {
    expect([name, memory]).toEqual([name, expect.stringMatching(/^\d+[gm]$/)]);
    expect([name, logging?.driver, Object.keys(logging?.options ?? {})]).toEqual([
      name,
      "json-file",
      ["max-size", "max-file"],
    ]);
  }
});

test.each(composeFiles)("%s passes every setting of the shell on, and lets muster.env precede", (file) => {
  const passed = [...read("deploy/compose/settings.env").matchAll(/^([A-Z0-9_]+)/gm)].map(([, name = ""]) => name);
  const own = listServices(file).filter(([, { image }]) => image === "muster");
  expect(own.length).toBeGreaterThan(0);
  for (const [name, { env_file: files = [], environment = {} }] of own) {
    expect([name, files[0], files.at(-1)]).toEqual([
      name,
      "deploy/compose/settings.env",
      { path: "muster.env", required: false },
    ]);
    // What `environment` says precedes muster.env: a default there would undo what the operator has set.
    expect([name, Object.values(environment).filter((value) => value?.includes(":-"))]).toEqual([name, []]);
  }
  const elsewhere = ["NODE_ENV", "ROLE", "INIT_CWD", "HOST", "PORT", "DATA_DIR"];
  const onlyInFile = ["DATABASE_URL", "MIGRATIONS", "AUTH_SECRET", "AUTH_SECRETS"];
  const settings = settingNames.filter((name) => ![...elsewhere, ...onlyInFile].includes(name));
  expect(passed.sort()).toEqual(settings.sort());
});

test("the image runs as an ordinary user and runs no script of a package while it is built", () => {
  const lines = read("Dockerfile").split("\n");
  expect(lines.lastIndexOf("USER node")).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith("FROM ")));
  const installs = lines.filter((line) => /npm (ci|install|i)\b/.test(line));
  expect(installs.length).toBeGreaterThan(0);
  for (const line of installs) expect(line).toContain("--ignore-scripts");
});
