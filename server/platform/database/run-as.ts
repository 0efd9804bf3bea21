import { spawnSync } from "node:child_process";
import fs from "node:fs";

/**
 * How to run PostgreSQL's programs. They refuse uid 0 and a uid without an entry in /etc/passwd, so such a process runs
 * them in a user namespace with another uid or, where namespaces are not permitted, as an unprivileged user.
 */
export interface RunAs {
  kind: "plain" | "namespace" | "setuid";
  /** The owner that the programs' files must have, as seen by this process; undefined on systems without owners. */
  owner: { uid: number; gid: number } | undefined;
  /** The program and arguments to spawn so that `file` runs with `args`. */
  command(file: string, args: string[]): [string, string[]];
  /** Further options of spawn. */
  options: { uid?: number; gid?: number; cwd: string };
}

interface Account {
  name: string;
  uid: number;
  gid: number;
}

function accounts(): Account[] {
  if (!fs.existsSync("/etc/passwd")) return [];
  const lines = fs.readFileSync("/etc/passwd", "utf8").split("\n");
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/** Chooses how to run PostgreSQL on this system. Throws an Error for the operator when it is not possible. */
export function chooseRunAs(): RunAs {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  const cwd = process.platform === "win32" ? process.cwd() : "/";
  const plain: RunAs = {
    kind: "plain",
    owner: uid === undefined || gid === undefined ? undefined : { uid, gid },
    command: (file, args) => [file, args],
    options: { cwd },
  };
  const known = accounts();
  if (uid === undefined || gid === undefined || process.platform === "darwin") return plain;
  if (uid !== 0 && (known.length === 0 || known.some((account) => account.uid === uid))) return plain;

  const other = known.find((account) => account.name === "nobody") ?? known.find((account) => account.uid > 0);
  if (!other) throw new Error("PostgreSQL does not run as root. Start Muster as another user or set DATABASE_URL.");

  const unshare = ["--user", `--map-user=${other.uid}`, `--map-group=${other.gid}`, "--"];
  if (spawnSync("unshare", [...unshare, "true"], { stdio: "ignore" }).status === 0) {
    const command = (file: string, args: string[]): [string, string[]] => ["unshare", [...unshare, file, ...args]];
    return { kind: "namespace", owner: { uid, gid }, command, options: { cwd } };
  }
  if (uid !== 0) {
    throw new Error(`PostgreSQL needs an entry for uid ${uid} in /etc/passwd. Add one, or set DATABASE_URL.`);
  }
  return {
    kind: "setuid",
    owner: { uid: other.uid, gid: other.gid },
    command: (file, args) => [file, args],
    options: { cwd, uid: other.uid, gid: other.gid },
  };
}

/** Whether the programs can enter `folder`; a parent folder without permission for their user (0700) prevents it. */
export function canReach(runAs: RunAs, folder: string): boolean {
  if (runAs.kind !== "setuid") return true;
  return spawnSync("/bin/sh", ["-c", 'cd -- "$1"', "sh", folder], { ...runAs.options, stdio: "ignore" }).status === 0;
}
