import { useMemo } from "react";
import { expect, test } from "vitest";
import { ShareDialog } from "@/components/recording/page/share-dialog";
import { ShareMenu } from "@/components/recording/page/share-menu";
import { useTimelineAxis } from "@/components/recording/session/address";
import { Playback } from "@/components/recording/session/playback";
import { TimelineContext } from "@/components/recording/session/timeline-context";
import { useRecordingSession } from "@/components/recording/session/use-recording-session";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { RecordingDetail } from "@/server/features/recordings/resource";
import { ShareResource } from "@/server/features/shares/resource";

const recording = sample(RecordingDetail, {
  start_ns: "1760000000000000000",
  end_ns: "1760000010000000000",
  topics: [
    {
      name: "/motor",
      schema: "pkg/msg/A",
      message_count: 5,
      frequency_hz: 10,
      encoding: "cdr",
      error: null,
      fields: [{ path: "temperature", kind: "number" }],
      long_lists: [],
    },
  ],
});
const url = `https://muster.example.com/share/${"t".repeat(43)}`;
const toPage = (results: ShareResource[]) => ({ results, next: null, previous: null });
const links = [
  sample(ShareResource, {
    from_ns: "1760000001000000000",
    to_ns: "1760000002000000000",
    note: "Look at the arm",
    opened_count: 3,
    revocable: true,
  }),
  sample(ShareResource, {
    from_ns: "1",
    to_ns: "2",
    note: "",
    opened_count: 0,
    last_opened_at: null,
    revocable: false,
  }),
];

/** The dialog with the parts of its page that it uses; `range`: what is played over and over. */
function Sharing({ range, onClose }: { range?: { from: number; to: number }; onClose: () => void }) {
  const axis = useTimelineAxis(recording);
  const playback = useMemo(() => {
    const made = new Playback(axis);
    if (range) made.set({ range });
    return made;
  }, [axis, range]);
  const session = useRecordingSession(recording, axis, playback);
  const nothing = {
    lanes: undefined,
    events: undefined,
    topic: null,
    focusTopic: () => {},
    plots: ["/motor.temperature", "=1 + 1"],
    setPlots: () => {},
    findings: [],
    coverPlots: () => {},
    noteLayout: () => {},
    createEvent: () => {},
    exportRange: () => {},
    isAlone: false,
  };
  return (
    <TimelineContext
      value={{ recording, axis, playback, session, ...nothing, readOnly: false, reason: undefined, left: 0 }}
    >
      <ShareDialog onClose={onClose} />
    </TimelineContext>
  );
}

/** The output of a procedure that returns nothing; JSON has none. */
const noResult = undefined as never;
const played = { from: 1, to: 2 };

test("the playback range is shared for a week, and the link is shown this once", async () => {
  answer("shares.list", toPage([]));
  answer("shares.create", { uid: "sha_1", url, expires_at: "2026-02-09T09:00:00.000Z" });
  const screen = await show(<Sharing range={played} onClose={() => {}} />, `/recordings/${recording.uid}`);
  await expect.element(screen.getByLabelText("From, UTC")).toHaveFocus();
  await expect.element(screen.getByText("None.")).toBeVisible();
  await screen.getByLabelText("Note").fill("Look at the arm");
  await expectGoodLooks();
  await screen.getByRole("button", { name: "Create link" }).click();
  await expect.element(screen.getByText("This is the only time that it is shown.", { exact: false })).toBeVisible();
  await expect.element(screen.getByLabelText("Link", { exact: true })).toHaveTextContent(url);
  await expect.element(screen.getByRole("button", { name: "Copy" })).toBeVisible();
  await expectGoodLooks();
  expect(listInputs("shares.create")).toEqual([
    {
      uid: recording.uid,
      from: "1760000001000000000",
      to: "1760000002000000000",
      note: "Look at the arm",
      days: "7",
      plots: [{ topic: "/motor", field: "temperature" }],
    },
  ]);
  await screen.getByRole("button", { name: "Create another" }).click();
  await expect.element(screen.getByText(url)).not.toBeInTheDocument();
});

test("another expiry and the whole recording are chosen, and a refusal says why", async () => {
  answer("shares.list", toPage([]));
  refuse("shares.create", { status: 400, detail: "There are 100 links to this recording already." });
  const screen = await show(<Sharing range={played} onClose={() => {}} />, `/recordings/${recording.uid}`);
  await screen.getByRole("button", { name: "Whole recording" }).click();
  await screen.getByRole("combobox", { name: "Expires" }).click();
  await screen.getByRole("option", { name: "After a day" }).click();
  await screen.getByRole("checkbox", { name: "With plots of /motor.temperature" }).click();
  await screen.getByRole("button", { name: "Create link" }).click();
  await expect.element(screen.getByText("There are 100 links to this recording already.")).toBeVisible();
  expect(listInputs("shares.create")).toEqual([
    { uid: recording.uid, from: recording.start_ns, to: recording.end_ns, note: "", days: "1", plots: [] },
  ]);
  await screen.getByLabelText("To, UTC").fill("soon");
  await expect.element(screen.getByRole("button", { name: "Create link" })).toBeDisabled();
});

test("links that work say how often they were opened, and are revoked after a question", async () => {
  let left = links;
  answer("shares.list", () => toPage(left));
  answer("shares.revoke", () => {
    left = left.slice(1);
    return noResult;
  });
  const screen = await show(<Sharing onClose={() => {}} />, `/recordings/${recording.uid}`);
  await expect.element(screen.getByText("opened 3 times", { exact: false })).toBeVisible();
  await expect.element(screen.getByText("not opened yet")).toBeVisible();
  await expectGoodLooks();
  const [first, second] = links;
  const button = (of: ShareResource | undefined) =>
    screen.getByRole("button", { name: `Revoke the link of ${of?.created_by_name}` });
  await expect.element(button(second)).toHaveAttribute("aria-disabled", "true");
  await button(first).click();
  await expect.element(screen.getByRole("dialog", { name: "Revoke this link?" })).toBeVisible();
  expect(listInputs("shares.revoke")).toEqual([]);
  await screen.getByRole("button", { name: "Revoke link" }).click();
  await expect.element(screen.getByText("Look at the arm")).not.toBeInTheDocument();
  expect(listInputs("shares.revoke")).toEqual([{ uid: first?.uid }]);
  await expect.element(screen.getByText("Links that work now")).toHaveFocus();
});

test("the menu copies the link for members, and says why one may not share outside", async () => {
  let shared = 0;
  const share = () => void (shared += 1);
  const screen = await show(<ShareMenu reason={undefined} onShare={share} />, `/recordings/${recording.uid}`);
  await screen.getByRole("button", { name: "Share", exact: true }).click();
  await expectGoodLooks();
  await screen.getByRole("menuitem", { name: "Share outside …" }).click();
  expect(shared).toBe(1);
  await screen.getByRole("button", { name: "Share", exact: true }).click();
  await screen.getByRole("menuitem", { name: "Copy link for members" }).click();
  await expect.element(screen.getByRole("button", { name: "Copied" })).toBeVisible();
  const viewer = await show(<ShareMenu reason="You can only view." onShare={share} />, `/recordings/${recording.uid}`, {
    readOnly: true,
  });
  await viewer.getByRole("button", { name: "Share", exact: true }).click();
  await expect
    .element(viewer.getByRole("menuitem", { name: "Share outside …" }))
    .toHaveAttribute("aria-disabled", "true");
  await expect.element(viewer.getByText("You can only view.")).toBeVisible();
});
