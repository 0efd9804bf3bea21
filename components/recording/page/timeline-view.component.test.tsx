import { useLayoutEffect, useState } from "react";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { show } from "@/components/testing/host";
import { answer, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { RecordingDetail } from "@/server/features/recordings/resource";
import { TimelineView } from "./timeline-view";

const topic = { schema: "pkg/msg/A", message_count: 5, frequency_hz: 10, encoding: "cdr", error: null };
const recording = sample(RecordingDetail, {
  start_ns: "1760000000000000000",
  end_ns: "1760000001000000000",
  gaps: [],
  topics: [{ ...topic, name: "/a", fields: ["x", "y", "z"].map((path) => ({ path, kind: "number" })), long_lists: [] }],
});
const none: readonly string[] = [];

/** In the place of panels: says what they are offered, and what one of them plots. */
function Panels({ covered, has }: { covered: readonly string[]; has: boolean }) {
  const { findings, plots, setPlots, coverPlots, noteLayout, isAlone } = useTimeline();
  useLayoutEffect(() => coverPlots(covered), [coverPlots, covered]);
  useLayoutEffect(() => noteLayout(has), [noteLayout, has]);
  return (
    <section aria-label="Panels" className="h-40">
      <output aria-label="Offered">{findings.join(" ")}</output>
      <output aria-label="Below">{plots.join(" ")}</output>
      <output aria-label="Alone">{String(isAlone)}</output>
      <button type="button" onClick={() => setPlots([...plots, "/a.z"])}>
        Plot z
      </button>
    </section>
  );
}

function Page({ covered = none, has = true }: { covered?: readonly string[]; has?: boolean }) {
  const [exporting, setExporting] = useState(false);
  return (
    <div className="flex h-full flex-col">
      <button type="button">Outside</button>
      <TimelineView
        recording={recording}
        panels={<Panels covered={covered} has={has} />}
        exporting={exporting}
        setExporting={setExporting}
      />
    </div>
  );
}

async function open(query: string, page = <Page />) {
  answer("recordings.lanes", { alerts: [], rules: [] });
  answer("recordings.events", { total: 0, events: [], buckets: null });
  answer("recordings.densities", { from: "0", to: "1", topics: [] });
  answer("moments.targets", []);
  refuse("recordings.series", { status: 404, detail: "Not found." });
  return show(page, `/recordings/${recording.uid}${query}`);
}

const covered = ["/a.x"];

test("fields of the address are offered to panels, and what these plot is neither plotted again nor forgotten", async () => {
  const screen = await open("?plots=/a.x,/a.nothing", <Page covered={covered} />);
  await expect.element(screen.getByLabelText("Offered")).toHaveTextContent("/a.x /a.nothing");
  await expect.element(screen.getByLabelText("Below")).toHaveTextContent("/a.nothing");
  await screen.getByRole("button", { name: "Remove /a.nothing" }).click();
  await expect.poll(() => new URLSearchParams(location.search).get("plots")).toBe("/a.x");
  await expect.element(screen.getByLabelText("Below")).toBeEmptyDOMElement();
});

test("plots of a link that no panel has come before the lanes, but only beside panels", async () => {
  const isBefore = (screen: Awaited<ReturnType<typeof open>>) => {
    const [plots, lanes] = ["Plots", "What happened"].map((name) =>
      screen.getByRole("region", { name, exact: true }).element(),
    );
    return plots && lanes ? plots.getBoundingClientRect().top < lanes.getBoundingClientRect().top : null;
  };
  const beside = await open("?plots=/a.nothing");
  await expect.element(beside.getByRole("region", { name: "Plots", exact: true })).toBeVisible();
  await expect.poll(() => isBefore(beside)).toBe(true);
  await beside.unmount();
  const without = await open("?plots=/a.nothing", <Page has={false} />);
  await expect.element(without.getByRole("region", { name: "Plots", exact: true })).toBeVisible();
  await expect.poll(() => isBefore(without)).toBe(false);
});

test("alone, panels do without lanes and the rest of the page cannot be reached, until Escape", async () => {
  const screen = await open("?plots=/a.x", <Page covered={covered} />);
  const outside = screen.getByRole("button", { name: "Outside" });
  await expect.element(screen.getByRole("region", { name: "What happened" })).toBeVisible();
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.element(screen.getByLabelText("Alone", { exact: true })).toHaveTextContent("true");
  await expect.element(screen.getByRole("slider", { name: "Playhead" })).toBeVisible();
  expect(screen.getByRole("region", { name: "What happened" }).elements()).toHaveLength(0);
  expect(outside.element().closest("[inert]")).not.toBeNull();
  for (let step = 0; step < 20; step++) {
    await userEvent.keyboard("{Tab}");
    expect(document.activeElement?.textContent).not.toBe("Outside");
  }
  screen.getByRole("slider", { name: "Playhead" }).element().focus();
  await userEvent.keyboard("{Escape}");
  await expect.poll(() => outside.element().closest("[inert]")).toBeNull();
  await expect.element(screen.getByRole("region", { name: "What happened" })).toBeVisible();
});

test("plots without a panel stay alone, and nothing is not left alone", async () => {
  const plotted = await open("?plots=/a.nothing", <Page has={false} />);
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.element(plotted.getByLabelText("Alone", { exact: true })).toHaveTextContent("true");
  await expect.element(plotted.getByRole("region", { name: "Plots", exact: true })).toBeVisible();
  await expect.element(plotted.getByText("Time", { exact: true })).toBeVisible();
  await plotted.getByRole("button", { name: "Remove /a.nothing" }).click();
  await expect.element(plotted.getByLabelText("Alone", { exact: true })).toHaveTextContent("false");
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.element(plotted.getByLabelText("Alone", { exact: true })).toHaveTextContent("false");
  // A plot that is added later does not take the page away.
  await plotted.getByRole("button", { name: "Plot z" }).click();
  await expect.element(plotted.getByLabelText("Below", { exact: true })).toHaveTextContent("/a.z");
  await expect.element(plotted.getByLabelText("Alone", { exact: true })).toHaveTextContent("false");
});
