import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { completeBinaries, findBinaries, programFile } from "@/server/platform/database/postgres-binaries.mjs";
import { canReach, type RunAs } from "@/server/platform/database/run-as";

/**
 * The embedded database on disk. `DATA_DIR/postgres` has our own notes about it (password, port, location of the
 * cluster); `home` belongs to the user PostgreSQL runs as and contains the cluster itself in `data`.
 */
export interface Cluster {
  notes: string;
  home: string;
  data: string;
  log: string;
}

/** Folders for a database that cannot be below DATA_DIR and for copies of programs. The first writable one is used. */
const sharedRoots = ["/var/lib/muster", "/var/tmp/muster"];

const note = (cluster: Pick<Cluster, "notes">, name: string) => path.join(cluster.notes, name);

function readNote(cluster: Pick<Cluster, "notes">, name: string): string | undefined {
  const file = note(cluster, name);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : undefined;
}

/** Writes a temporary file and renames it, so that a kill in between leaves either the old note or the new one. */
function writeNote(cluster: Pick<Cluster, "notes">, name: string, text: string) {
  const file = note(cluster, name);
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

function clusterAt(notes: string, home: string): Cluster {
  return { notes, home, data: path.join(home, "pg18"), log: path.join(notes, "postgres.log") };
}

/** Finds where the cluster of `dataDir` is or will be. Creates only the folder for our notes. */
export function locateCluster(dataDir: string): Cluster {
  const notes = path.join(dataDir, "postgres");
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  fs.mkdirSync(notes, { recursive: true, mode: 0o711 });
  return clusterAt(notes, readNote({ notes }, "location") ?? path.join(notes, "home"));
}

/** Whether `initdb` has finished here; its output is renamed into place, so an incomplete cluster is never seen. */
export function isInitialised(cluster: Cluster): boolean {
  return fs.existsSync(path.join(cluster.data, "PG_VERSION"));
}

/**
 * Moves the cluster to where PostgreSQL can access it, gives its files to the user it runs as, and creates it if there
 * is none. Must only be called while no server runs on it. Returns the cluster, whose location may have changed.
 */
export function prepareCluster(given: Cluster, programs: string, runAs: RunAs): Cluster {
  const cluster = moveToAccessible(given, runAs);
  fs.mkdirSync(cluster.home, { recursive: true, mode: 0o700 });
  giveTo(cluster.home, runAs);
  if (!isInitialised(cluster)) initialise(cluster, programs, runAs);
  return cluster;
}

function moveToAccessible(cluster: Cluster, runAs: RunAs): Cluster {
  if (canReach(runAs, path.dirname(cluster.home))) return cluster;
  const home = path.join(sharedRoot(runAs), `data-${randomBytes(6).toString("hex")}`);
  if (fs.existsSync(cluster.home)) fs.cpSync(cluster.home, home, { recursive: true, preserveTimestamps: true });
  writeNote(cluster, "location", home);
  fs.rmSync(cluster.home, { recursive: true, force: true });
  return clusterAt(cluster.notes, home);
}

function sharedRoot(runAs: RunAs): string {
  for (const root of sharedRoots) {
    try {
      fs.mkdirSync(root, { recursive: true, mode: 0o711 });
      fs.accessSync(root, fs.constants.W_OK);
      if (canReach(runAs, root)) return root;
    } catch {
      continue;
    }
  }
  throw new Error(
    "PostgreSQL runs as an unprivileged user, who can reach neither DATA_DIR nor /var/lib. Set DATA_DIR to a folder below one " +
      "that everybody may enter, or set DATABASE_URL.",
  );
}

function giveTo(folder: string, runAs: RunAs) {
  const { owner } = runAs;
  if (!owner || fs.statSync(folder).uid === owner.uid) return;
  if (process.getuid?.() !== 0) {
    throw new Error(`${folder} belongs to another user. Start Muster as that user, or choose another DATA_DIR.`);
  }
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) fs.lchownSync(path.join(entry.parentPath, entry.name), owner.uid, owner.gid);
  fs.chownSync(folder, owner.uid, owner.gid); // last, because it marks that everything below is done
}

function initialise(cluster: Cluster, programs: string, runAs: RunAs) {
  const fresh = `${cluster.data}.init`;
  const passwordFile = `${cluster.data}.password`;
  const password = randomBytes(24).toString("base64url");
  fs.rmSync(fresh, { recursive: true, force: true });
  fs.rmSync(passwordFile, { force: true });
  fs.writeFileSync(passwordFile, password, { mode: 0o600, flag: "wx" });
  if (runAs.owner) fs.chownSync(passwordFile, runAs.owner.uid, runAs.owner.gid);

  const places = ["-D", fresh, "-U", "postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const [file, args] = runAs.command(path.join(programs, "bin", "initdb"), [...places, ...locale, "--no-instructions"]);
  const result = spawnSync(file, args, { ...runAs.options, encoding: "utf8" });
  fs.rmSync(passwordFile, { force: true });
  if (result.status !== 0) {
    throw new Error(`PostgreSQL's initdb failed: ${result.error?.message ?? (result.stderr.trim() || result.stdout)}`);
  }
  writeNote(cluster, "password", password);
  fs.renameSync(fresh, cluster.data);
}

/**
 * Returns the folder of PostgreSQL's programs, complete and accessible to the user they run as: the npm package, else a
 * copy that is made once. Throws an Error for the operator on a platform without programs.
 */
export function preparePrograms(cluster: Cluster, runAs: RunAs): string {
  const binaries = findBinaries();
  if (!binaries) {
    throw new Error(
      `npm has no PostgreSQL for ${process.platform} ${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  const complete = completeBinaries(binaries);
  if (complete && canReach(runAs, path.dirname(programFile(binaries, "postgres")))) return binaries.folder;

  const root = runAs.kind === "setuid" ? sharedRoot(runAs) : cluster.notes;
  const parent = path.join(root, `programs-${binaries.version}-${process.arch}`);
  const copy = path.join(parent, "native");
  if (!fs.existsSync(copy)) {
    const fresh = `${parent}.${process.pid}`;
    fs.cpSync(binaries.folder, path.join(fresh, "native"), { recursive: true, verbatimSymlinks: true });
    openToAll(fresh);
    completeBinaries({ folder: path.join(fresh, "native"), version: binaries.version });
    if (fs.existsSync(parent)) fs.rmSync(fresh, { recursive: true });
    else fs.renameSync(fresh, parent);
  }
  return copy;
}

function openToAll(folder: string) {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const executable = entry.isDirectory() || path.basename(entry.parentPath) === "bin";
    fs.chmodSync(path.join(entry.parentPath, entry.name), executable ? 0o755 : 0o644);
  }
}

/** The port of the previous start, or a free one. */
export async function choosePort(cluster: Cluster, avoid?: number): Promise<number> {
  const previous = Number(readNote(cluster, "port"));
  if (previous && previous !== avoid) return previous;
  const port = await freePort();
  writeNote(cluster, "port", String(port));
  return port;
}

/** A TCP port of the loopback interface that is free at this moment. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

/** The address of the database on `port`. Throws when the file with its password is missing. */
export function clusterUrl(cluster: Cluster, port: number): string {
  const password = readNote(cluster, "password");
  if (!password) throw new Error(`The database's password is missing: ${note(cluster, "password")}. Restore the file.`);
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}
