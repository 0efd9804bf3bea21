import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { ImportDialog } from "@/components/annotation-imports/import-dialog";
import type { AnnotationImport } from "@/components/annotation-imports/query";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { ImportResource } from "@/server/features/imports/resource";

const uid = "018f0000-0000-7000-8000-0000000000a1";
const project = {
  uid: "018f0000-0000-7000-8000-000000000001",
  name: "Yard crossings",
  labels: [
    { name: "robot", retired: false },
    { name: "cart", retired: true },
  ],
};
const findings = {
  pictures: 4_000,
  matched: 3_980,
  by_name: 12,
  open: 3_900,
  repeated: 0,
  empty: 0,
  annotations: 21_500,
  unmatched: Array.from({ length: 20 }, (_, at) => `frames/gone-${at}.png`),
  resized: 3,
  resized_pictures: [
    { name: "frames/0007.png", file: [640, 480] as [number, number], item: [1_280, 960] as [number, number] },
  ],
  labels: [
    { name: "robot", count: 20_000, types: ["bbox"], label: "robot" },
    { name: "person", count: 1_500, types: ["bbox", "polygon"], label: null },
  ],
};
const make = (given: Partial<AnnotationImport>): AnnotationImport =>
  sample(ImportResource, {
    uid,
    project: project.uid,
    file_name: "instances.json",
    format: "COCO",
    status: "ready",
    mode: null,
    findings,
    total: 4_000,
    position: 0,
    done: 0,
    unchanged: 0,
    failed: 0,
    annotation_count: 0,
    annotations_left: 0,
    error_message: null,
    created_by_name: "ana",
    created_at: "2026-02-02T09:00:00.000Z",
    started_at: null,
    completed_at: null,
    ...given,
  });
const page = (results: AnnotationImport[]) => ({ results, next: null, previous: null });

const open = (found: AnnotationImport) => {
  answer("imports.list", page([found]));
  answer("imports.get", found);
  return show(<ImportDialog project={project} onClose={() => {}} />, `/projects/${project.uid}`);
};
const openEarlier = async (found: AnnotationImport) => {
  const shown = await open(found);
  await shown.getByRole("button", { name: "Open the import of instances.json" }).click();
  return shown;
};

test("a file is chosen first, with its format or none; earlier imports are below", async () => {
  const started = { status: "done", started_at: "2026-02-02T09:01:00.000Z", done: 3_900 } as const;
  const shown = await open(make(started));
  await expect.element(shown.getByText("Imported: 3,900 of 4,000 pictures, ana,")).toBeVisible();
  await expect.element(shown.getByText("Find out from the file").first()).toBeVisible();
  await expect
    .element(shown.getByRole("button", { name: "Look at the file" }))
    .toHaveAttribute("aria-disabled", "true");
  await expectGoodLooks();
});

test("a file that is refused says why", async () => {
  const shown = await open(make({}));
  refuse("imports.create", { status: 400, detail: "Its project is archived." });
  const file = new File(["{}"], "instances.json", { type: "application/json" });
  await userEvent.upload(shown.getByLabelText("File of annotations", { exact: true }), file);
  await shown.getByRole("button", { name: "Look at the file" }).click();
  await expect.element(shown.getByRole("alert")).toHaveTextContent("Its project is archived.");
  expect(listInputs("imports.create")).toEqual([{ uid: project.uid, file_name: "instances.json", size_bytes: 2 }]);
});

test("what is in the file is shown before anything changes; labels that the project lacks have to be chosen", async () => {
  const shown = await openEarlier(make({}));
  await expect.element(shown.getByText("3,980 of 4,000 pictures matched")).toBeVisible();
  await expect
    .element(shown.getByText(/^COCO, 21,500 annotations, 12 matched by the file name alone, 80 of tasks/))
    .toBeVisible();
  await shown.getByText("20 pictures that no item of the project is called").click();
  await expect.element(shown.getByText("frames/gone-0.png")).toBeVisible();
  await expect
    .element(shown.getByText("frames/0007.png has 640 × 480 in the file, and 1280 × 960 here."))
    .toBeVisible();
  const start = shown.getByRole("button", { name: "Import 3,900 pictures" });
  await expect.element(start).toHaveAttribute("aria-disabled", "true");
  await expectGoodLooks();
  await shown.getByRole("combobox", { name: "What person becomes" }).click();
  await shown.getByRole("option", { name: "New label" }).click();
  await shown.getByRole("radio", { name: /^Accepted results/ }).click();
  await shown.getByRole("radio", { name: /^Scale their annotations/ }).click();
  answer("imports.start", () => {
    const waiting = make({ status: "reading", position: 1_000, started_at: "2026-02-02T09:01:00.000Z" });
    answer("imports.get", waiting);
    return waiting;
  });
  await start.click();
  await expect.element(shown.getByText("1,000 of 4,000 pictures")).toBeVisible();
  expect(listInputs("imports.start")).toEqual([
    { uid, mode: "accepted", sizes: "scale", labels: { person: "person" } },
  ]);
  await expectGoodLooks();
});

test("pictures whose item is named twice are said apart from those that somebody has begun", async () => {
  const shown = await openEarlier(make({ findings: { ...findings, open: 3_970, repeated: 10 } }));
  await expect
    .element(shown.getByText("10 pictures name items that others before name: only the first of each is taken."))
    .toBeVisible();
  await expect.element(shown.getByText(/somebody has begun/)).not.toBeInTheDocument();
});

test("an import that was left before its file was looked at goes on, or says that bytes of it are missing", async () => {
  const shown = await openEarlier(make({ status: "uploading", findings: null, format: null, total: null }));
  await expect
    .element(shown.getByText("The page was left before Muster looked at instances.json.", { exact: false }))
    .toBeVisible();
  await expectGoodLooks();
  const detail = "10 bytes were sent, 20 were declared.";
  refuse("imports.check", { status: 400, detail, issues: [{ path: ["file"], message: detail }] });
  const look = shown.getByRole("button", { name: "Look at the file" });
  await look.click();
  await expect.element(shown.getByRole("alert")).toHaveTextContent("instances.json was not sent to its end.");
  await expect.element(look).toHaveAttribute("aria-disabled", "true");
  await shown.getByRole("button", { name: "Choose the file again" }).click();
  await expect.element(shown.getByText("Drop a file here")).toBeVisible();
  await shown.getByRole("button", { name: "Open the import of instances.json" }).click();
  answer("imports.check", () => {
    const checking = make({ status: "checking", findings: null, total: null });
    answer("imports.get", checking);
    return checking;
  });
  await shown.getByRole("button", { name: "Look at the file" }).click();
  await expect.element(shown.getByText("Looking at instances.json")).toBeVisible();
  expect(listInputs("imports.check")).toEqual([{ uid }, { uid }]);
});

test("a file that was sent whole is not sent again when the server could not look at it", async () => {
  const shown = await open(make({}));
  const puts: string[] = [];
  /** Takes what is sent. */
  class Taking extends EventTarget {
    readonly upload = {};
    readonly status = 200;
    readonly responseText = "";
    onloadend: () => void = () => {};
    open(_method: string, url: string) {
      puts.push(url);
    }
    setRequestHeader() {}
    getResponseHeader = (name: string) => (name === "etag" ? '"1"' : null);
    send() {
      this.onloadend();
    }
  }
  vi.stubGlobal("XMLHttpRequest", Taking);
  try {
    answer("imports.create", { ...make({ status: "uploading" }), put_url: "/files/import" });
    refuse("imports.check", { status: 503, detail: "The database does not answer." });
    const file = new File(["{}"], "instances.json", { type: "application/json" });
    await userEvent.upload(shown.getByLabelText("File of annotations", { exact: true }), file);
    const look = shown.getByRole("button", { name: "Look at the file" });
    await look.click();
    await expect.element(shown.getByRole("alert")).toHaveTextContent("The database does not answer.");
    answer("imports.check", make({ status: "checking", findings: null }));
    await look.click();
    await expect.element(shown.getByText("3,980 of 4,000 pictures matched")).toBeVisible();
    expect(puts).toEqual(["/files/import"]);
    expect(listInputs("imports.create")).toHaveLength(1);
    expect(listInputs("imports.check")).toEqual([{ uid }, { uid }]);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("an import that is under way can be stopped", async () => {
  const shown = await openEarlier(make({ status: "reading", position: 10, started_at: "2026-02-02T09:01:00.000Z" }));
  answer("imports.stop", () => {
    const stopped = make({ status: "stopped", done: 10, started_at: "2026-02-02T09:01:00.000Z" });
    answer("imports.get", stopped);
    return stopped;
  });
  await shown.getByRole("button", { name: "Stop" }).click();
  await expect.element(shown.getByText("The import of instances.json was stopped")).toBeVisible();
  await expect.element(shown.getByRole("button", { name: "Import another file" })).toBeVisible();
});

test("an import that is done says how much is in the project now, and what was left out can be saved", async () => {
  const shown = await openEarlier(
    make({
      status: "done",
      mode: "accepted",
      started_at: "2026-02-02T09:01:00.000Z",
      done: 3_900,
      failed: 100,
      annotation_count: 21_000,
      annotations_left: 500,
    }),
  );
  await expect.element(shown.getByText("Pictures imported as accepted results")).toBeVisible();
  await expect.element(shown.getByText("21,000")).toBeVisible();
  answer("imports.report", { rows: [{ picture: "a.png", annotation: 2, reason: "It sticks out." }] });
  await shown.getByRole("button", { name: "What was left out, as CSV" }).click();
  await expect.poll(() => listInputs("imports.report")).toEqual([{ uid }]);
  await expectGoodLooks();
});

test("a file that cannot be read says what is wrong with it", async () => {
  const shown = await openEarlier(make({ status: "failed", findings: null, error_message: "It is no document." }));
  await expect.element(shown.getByText("instances.json was not imported")).toBeVisible();
  await expect.element(shown.getByText("It is no document.")).toBeVisible();
});
