import fs from "node:fs";
import path from "node:path";
import { upload } from "@/bench/made-file";
import { startProduct, until, type Product } from "@/bench/product";
import { complain, runMuster } from "@/faults/muster";
import { makeRecordings } from "@/faults/recordings";
import type { FaultRun } from "@/faults/run";
import { digestInstallation } from "@/faults/state";
import { promise } from "@/faults/verdict";
import { nullable, queryRows, text } from "@/server/platform/rows";
import { filesOfKey } from "@/server/testing/stored-files";

interface Stored {
  recording: string;
  key: string;
  /** The only file of its key in the store. */
  place: string;
}

async function storeRecordings(product: Product, folder: string, count: number): Promise<Stored[]> {
  const device = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "robot" });
  const made = await makeRecordings(folder, count);
  const recordings: string[] = [];
  for (const { file } of made) recordings.push((await upload(product, device.uid, file)).recording);
  for (const uid of recordings) await untilProcessed(product, uid, "ready");
  const rows = await queryRows(
    product.database,
    { recording: nullable(text), key: text },
    "select recording_id as recording, storage_key as key from stored_files where recording_id = any($1) order by uid",
    [recordings],
  );
  const root = path.join(product.dataDir, "files");
  return rows.map(({ recording, key }) => ({ recording: recording ?? "", key, place: filesOfKey(key, root)[0] ?? "" }));
}

interface Recording {
  status: string;
  error_message: string | null;
  topics: { name: string }[];
}
const read = ({ call }: Product, uid: string) => call<Recording>("GET", `/fleet/recordings/${uid}/`);

const untilProcessed = (product: Product, uid: string, status: string): Promise<void> =>
  until(`${uid} ${status}`, 120, async () => (await read(product, uid)).status === status);

const compareTopics = (before: Recording, now: Recording): string[] =>
  JSON.stringify(now.topics) === JSON.stringify(before.topics) && now.topics.length > 0 ? [] : ["its topics changed"];

function flip(place: string): void {
  const bytes = fs.readFileSync(place);
  for (const at of [1_000, 1_001]) bytes[at]! ^= 0xff;
  fs.writeFileSync(place, bytes);
}

/** Changes one stored file and deletes another: verify, backup, restore and processing have to name them. */
export async function proveDamaged({ folder, at }: FaultRun): Promise<void> {
  const product = await startProduct();
  const [target, untouched] = [path.join(folder, "restored"), path.join(folder, "strict")];
  for (const place of [target, untouched]) fs.mkdirSync(place, { mode: 0o711 });
  try {
    const stored = await storeRecordings(product, folder, 4);
    const [damaged, lost] = [stored[0]!, stored[1]!];
    const environment = { DATA_DIR: product.dataDir };
    const intact = await runMuster(["files", "verify"], environment);
    promise("files verify finds all files intact", complain("files verify", intact, { code: 0, texts: ["0 damaged"] }));

    flip(damaged.place);
    fs.rmSync(lost.place);
    console.log(`${at()}  one file is damaged, another is lost`);
    const verified = await runMuster(["files", "verify"], environment);
    promise(
      "files verify names both and fails",
      complain("files verify", verified, {
        code: 1,
        texts: [damaged.key, lost.key, "1 damaged, 1 missing"],
      }),
    );
    const archive = path.join(folder, "damaged.tar");
    const backup = await runMuster(["db", "backup", archive, "--with-secret"], environment);
    promise(
      "a backup names both, has everything else and exits with 3",
      complain("db backup", backup, {
        code: 3,
        texts: [`${lost.key} was lost before`, `${damaged.key} was damaged before`],
      }),
    );

    const restored = await runMuster(["db", "restore", archive], { DATA_DIR: target });
    promise(
      "a restore names the damaged file",
      complain("db restore", restored, { code: 0, texts: [`${damaged.key} was damaged before`] }),
    );
    const again = await runMuster(["files", "verify"], { DATA_DIR: target });
    promise(
      "what was restored has the same two faults and no other",
      complain("files verify", again, { code: 1, texts: [damaged.key, lost.key, "1 damaged, 1 missing"] }),
    );
    const before = await digestInstallation(target);
    const strict = await runMuster(["db", "restore", "--strict", "--force", archive], { DATA_DIR: target });
    promise(
      "a strict restore refuses it and names the file",
      complain("db restore --strict", strict, { code: 1, texts: [damaged.key, "nothing was changed"] }),
    );
    promise("and changes nothing", before === (await digestInstallation(target)) ? [] : ["rows or files differ"]);
    const empty = await runMuster(["db", "restore", "--strict", archive], { DATA_DIR: untouched });
    promise(
      "nor does it restore into an empty folder",
      complain("db restore --strict", empty, { code: 1, texts: [damaged.key] }),
    );

    console.log(`${at()}  processing both again`);
    const first = await read(product, damaged.recording);
    await product.call("POST", `/fleet/recordings/${damaged.recording}/reprocess/`);
    await untilProcessed(product, damaged.recording, "error").catch(() => {});
    const now = await read(product, damaged.recording);
    promise(`a recording with a damaged file becomes an error and keeps its ${now.topics.length} topics`, [
      ...(now.status === "error" ? [] : [`it is ${now.status}`]),
      ...compareTopics(first, now),
      ...(now.error_message === null ? ["its error has no message"] : []),
    ]);
    console.log(`       ${now.error_message}`);
    const whole = await read(product, lost.recording);
    const refusal = await product.call("POST", `/fleet/recordings/${lost.recording}/reprocess/`).then(() => "", String);
    const kept = await read(product, lost.recording);
    promise("a recording whose file is lost is not processed again and keeps what was read from it", [
      ...(refusal.includes("responded 400") && refusal.includes("not there any more") ? [] : [refusal || "accepted"]),
      ...(kept.status === whole.status ? [] : [`it is ${kept.status}`]),
      ...compareTopics(whole, kept),
    ]);
  } finally {
    await product.stop();
  }
}
