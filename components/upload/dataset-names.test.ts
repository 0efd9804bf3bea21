import { expect, test } from "vitest";
import { numberedName, sortOut, type Answer, type KnownName } from "./dataset-names";
import { UploadFiles } from "./upload-files";

const place = { sessions: ["mine"], taken: null } as const;

/** An upload of these paths to a dataset that knows these names. */
function makeUpload(paths: readonly string[], known: readonly KnownName[]) {
  const files = new UploadFiles(paths.map((path) => ({ path, size: 10, file: undefined })));
  const lookUp = (wanted: string[]) => Promise.resolve(known.filter(({ path }) => wanted.includes(path)));
  return { files, lookUp, place };
}

const answer = (value: Answer) => () => Promise.resolve(value);
const never = () => Promise.reject(new Error("it asked"));
const states = (files: UploadFiles) => Object.fromEntries(files.list().map(({ path, state }) => [path, state]));

test("a number goes before the extension, in the last part of a path only", () => {
  expect(numberedName("a.b/front/x.jpg", 2)).toBe("a.b/front/x (2).jpg");
  expect(numberedName("a.b/x", 3)).toBe("a.b/x (3)");
});

test("what an upload brought itself is done, also what was refused; unfinished files come by session", async () => {
  const upload = makeUpload(
    ["a", "b", "c", "d", "new"],
    [
      { path: "a", state: "item", session_uid: "mine" },
      { path: "b", state: "failed", session_uid: "mine" },
      { path: "c", state: "confirmed", session_uid: "mine" },
      { path: "d", state: "open", session_uid: "mine" },
    ],
  );
  const { open } = await sortOut({ ...upload, ask: never });
  expect(states(upload.files)).toEqual({ a: "done", b: "done", c: "done", d: "waiting", new: "waiting" });
  expect([...open].map(([uid, files]) => [uid, files.map(({ path }) => path)])).toEqual([["mine", ["d"]]]);
});

test("a session of which all files arrived is still to be finalized", async () => {
  const upload = makeUpload(["c"], [{ path: "c", state: "confirmed", session_uid: "mine" }]);
  expect([...(await sortOut({ ...upload, ask: never })).open]).toEqual([["mine", []]]);
});

const taken: KnownName[] = [
  { path: "front/a.jpg", state: "item", session_uid: "another" },
  { path: "front/a (2).jpg", state: "item", session_uid: null },
];

test("names of other uploads are skipped, with the reason", async () => {
  const upload = makeUpload(["front/a.jpg", "front/b.jpg"], taken);
  await sortOut({ ...upload, ask: answer("skip") });
  expect(states(upload.files)).toEqual({ "front/b.jpg": "waiting" });
  expect(upload.files.read().refused).toEqual([
    { path: "front/a.jpg", reason: "Skipped: the dataset has an item of this name." },
  ]);
});

test("renaming finds the first free number, and what was renamed before a reload is done", async () => {
  const upload = makeUpload(["front/a.jpg", "front/b.jpg"], taken);
  await sortOut({ ...upload, ask: answer("rename") });
  expect(Object.keys(states(upload.files)).sort()).toEqual(["front/a (3).jpg", "front/b.jpg"]);

  const again = makeUpload(
    ["front/a.jpg"],
    [...taken, { path: "front/a (3).jpg", state: "item", session_uid: "mine" }],
  );
  await sortOut({ ...again, place: { ...place, taken: "rename" }, ask: never });
  expect(states(again.files)).toEqual({ "front/a (3).jpg": "done" });
});

test("stopping leaves the dataset as it is", async () => {
  await expect(sortOut({ ...makeUpload(["front/a.jpg"], taken), ask: answer("stop") })).rejects.toThrow("same names");
});

test("sums follow what is sent, finished, taken out and begun again", () => {
  const { files } = makeUpload(["a", "b", "c"], []);
  const [a, b, c] = files.list();
  if (!a || !b || !c) throw new Error("three files");
  files.change(a, { state: "sending", sent: 4 });
  files.finish(b);
  files.remove(c, "empty");
  expect(files.read()).toMatchObject({ fileCount: 2, totalBytes: 20, sentBytes: 14, doneFiles: 1, refusedFiles: 1 });
  files.reset();
  expect(files.read()).toMatchObject({ sentBytes: 10, doneFiles: 1 });
});
