// A real S3 server for tests: OpenStack Swift from Debian with its s3api, which verifies every signature.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";

const packages = ["swift-proxy", "swift-account", "swift-container", "swift-object", "memcached"];

/** Keys and region of every server that `startS3Server` starts. */
const s3Access = { accessKeyId: "test:tester", secretAccessKey: "testing", region: "us-east-1" };

export const howToInstall =
  "it needs OpenStack Swift: npm run test:s3 installs it from Debian and runs what is skipped here";

const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** Whether the server is installed. */
export const hasS3Server = () =>
  ["swift-proxy-server", "swift-object-server", "swift-ring-builder", "memcached"].every(has);

/** Installs the server from Debian. Throws when that cannot be done. */
export function installS3Server() {
  if (hasS3Server()) return;
  const root = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
    const [program, ...rest] = [...root, "apt-get", "-qq", ...args];
    if (spawnSync(program, rest, { stdio: ["ignore", "ignore", "inherit"], env }).status !== 0) break;
  }
  if (!hasS3Server()) throw new Error(`install these packages of Debian: ${packages.join(" ")}`);
}

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const section = (name, values) =>
  `[${name}]\n${Object.entries(values)
    .map(([key, value]) => `${key} = ${value}\n`)
    .join("")}`;

/** The configuration of one of Swift's three storage servers. */
function storeConfig(kind, folder, port, user) {
  const common = {
    bind_ip: "127.0.0.1",
    bind_port: port,
    user,
    swift_dir: `${folder}/etc`,
    devices: `${folder}/dev`,
    mount_check: "false",
    workers: 1,
  };
  return (
    section("DEFAULT", common) +
    section("pipeline:main", { pipeline: `${kind}-server` }) +
    section(`app:${kind}-server`, { use: `egg:swift#${kind}` })
  );
}

function proxyConfig(folder, port, cache, user) {
  const pipeline =
    "catch_errors cache listing_formats bulk s3api tempauth slo dlo versioned_writes symlink proxy-server";
  return [
    section("DEFAULT", { bind_ip: "127.0.0.1", bind_port: port, user, swift_dir: `${folder}/etc`, workers: 1 }),
    section("pipeline:main", { pipeline }),
    section("app:proxy-server", {
      use: "egg:swift#proxy",
      account_autocreate: "true",
      allow_account_management: "true",
    }),
    section("filter:cache", { use: "egg:swift#memcache", memcache_servers: `127.0.0.1:${cache}` }),
    section("filter:s3api", {
      use: "egg:swift#s3api",
      location: s3Access.region,
      s3_acl: "false",
      dns_compliant_bucket_names: "true",
      min_segment_size: 5_242_880,
    }),
    section("filter:tempauth", { use: "egg:swift#tempauth", user_test_tester: `${s3Access.secretAccessKey} .admin` }),
    section("filter:versioned_writes", { use: "egg:swift#versioned_writes", allow_object_versioning: "true" }),
    ...["catch_errors", "listing_formats", "bulk", "slo", "dlo", "symlink"].map((name) =>
      section(`filter:${name}`, { use: `egg:swift#${name}` }),
    ),
  ].join("");
}

const swiftConfig =
  section("swift-hash", { swift_hash_path_suffix: "muster", swift_hash_path_prefix: "muster" }) +
  section("storage-policy:0", { name: "p0", default: "yes" }) +
  section("swift-constraints", { max_header_size: 16_384 });

/**
 * Starts a server on free ports and in a temporary folder. Resolves once it is ready, to its address and `close`, which
 * ends it and removes its data.
 */
export async function startS3Server() {
  // Started by root, Swift switches to its own user, who needs access to the folder.
  const asRoot = process.getuid?.() === 0;
  const user = asRoot ? "swift" : os.userInfo().username;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-s3-"));
  const children = [];
  const close = async () => {
    await Promise.all(
      children.map(
        (child) =>
          new Promise((resolve) =>
            child.exitCode !== null || child.signalCode !== null
              ? resolve()
              : child.once("exit", resolve).kill("SIGTERM"),
          ),
      ),
    );
    fs.rmSync(folder, { recursive: true, force: true });
  };
  const start = (program, args) => {
    const child = spawn(program, args, {
      stdio: ["ignore", fs.openSync(path.join(folder, `${path.basename(program)}.log`), "a"), "inherit"],
    });
    child.once("error", () => {});
    children.push(child);
  };
  try {
    const [account, container, object, proxy, cache] = await Promise.all([1, 2, 3, 4, 5].map(freePort));
    const etc = path.join(folder, "etc");
    fs.mkdirSync(etc);
    fs.mkdirSync(path.join(folder, "dev", "sda1"), { recursive: true });
    fs.writeFileSync(path.join(etc, "swift.conf"), swiftConfig);
    const ports = { account, container, object };
    for (const [kind, port] of Object.entries(ports)) {
      fs.writeFileSync(path.join(etc, `${kind}-server.conf`), storeConfig(kind, folder, port, user));
      const builder = path.join(etc, `${kind}.builder`);
      for (const args of [["create", "4", "1", "0"], ["add", `r1z1-127.0.0.1:${port}/sda1`, "1"], ["rebalance"]]) {
        spawnSync("swift-ring-builder", [builder, ...args], { stdio: "ignore" });
      }
    }
    fs.writeFileSync(path.join(etc, "proxy-server.conf"), proxyConfig(folder, proxy, cache, user));
    if (asRoot) spawnSync("chown", ["-R", "swift:", folder]);
    fs.chmodSync(folder, 0o755);
    start("memcached", ["-u", user, "-l", "127.0.0.1", "-p", String(cache)]);
    // The servers find swift.conf by their `swift_dir`.
    for (const kind of [...Object.keys(ports), "proxy"])
      start(`swift-${kind}-server`, [path.join(etc, `${kind}-server.conf`)]);
    const until = Date.now() + 60_000;
    for (;;) {
      // The proxy may be up before the storage servers, and responds 503 then.
      const responses = await Promise.all(
        [proxy, account, container, object].map((port) => fetch(`http://127.0.0.1:${port}/`).catch(() => null)),
      );
      if (!responses.includes(null)) return { endpoint: `http://127.0.0.1:${proxy}`, ...s3Access, close };
      if (Date.now() > until) throw new Error(`Swift did not start; its logs: ${folder}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  } catch (error) {
    await close();
    throw error;
  }
}
