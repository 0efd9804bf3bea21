import { useState } from "react";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { useShortcuts } from "@/components/kit/shortcuts";
import { show } from "@/components/testing/host";
import { answer, connect, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { RecordingResource } from "@/server/features/recordings/resource";
import { CommandPalette } from "./command-palette";
import { keepTyping } from "./early-typing";
import { useSearches } from "./searches";

function OpenPalette() {
  return <CommandPalette open onOpenChange={() => {}} actions={[]} searches={useSearches()} />;
}

const nothing = { results: [], next: null, previous: null };

async function open(typed: string) {
  answer("overview.searchDevices", []);
  answer("overview.searchRules", []);
  const screen = await show(<OpenPalette />, "/overview");
  await userEvent.fill(screen.getByRole("combobox"), typed);
  return screen;
}

const found = { uid: "rec_1", name: "Pick cycle", started_at: "2026-11-24T13:00:00.000Z" };

test("a device and a time lead to the recording at that instant, or to the nearest, which says so", async () => {
  answer("recordings.list", nothing);
  answer("overview.searchAlerts", []);
  answer("overview.recordingsAt", [
    { ...found, device_name: "Arm C1", ended_at: "2026-11-24T15:00:00.000Z", distance_seconds: 0 },
    { ...found, uid: "rec_2", device_name: "Arm C10", ended_at: "2026-11-24T15:00:00.000Z", distance_seconds: 725 },
    { ...found, uid: "rec_3", device_name: "Arm C11", ended_at: "2026-11-24T10:00:00.000Z", distance_seconds: -15_005 },
  ]);
  const screen = await open("arm c1 2026-11-24T14:10Z");
  const covering = screen.getByRole("option", { name: /Arm C1 · opens at 2026-11-24/ });
  await expect.element(covering).toHaveAttribute("aria-selected", "true");
  expect(listInputs("overview.recordingsAt").at(-1)).toEqual({ text: "arm c1", at: "2026-11-24T14:10:00Z" });
  await expect.element(screen.getByRole("option", { name: "Arm C10 · nearest, starts 12 min later" })).toBeVisible();
  await expect.element(screen.getByRole("option", { name: "Arm C11 · nearest, ended 4 h earlier" })).toBeVisible();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => location.pathname + location.search).toBe("/recordings/rec_1?t=2026-11-24T14%3A10%3A00Z");
});

test("recordings of the same name differ by their time and length, and alerts name rule and device", async () => {
  const [first, second] = ["2026-11-24T13:00:00.000Z", "2026-11-25T13:00:00.000Z"].map((started_at, at) => ({
    ...sample(RecordingResource, { uid: `rec_${at}`, name: "Pick cycle", device_name: "Arm B1", started_at }),
    duration_seconds: 65,
  }));
  answer("recordings.list", { ...nothing, results: [first, second].filter((each) => each !== undefined) });
  answer("overview.searchAlerts", [
    {
      ...{ uid: "alt_1", rule_name: "Motor overheating", message: "temp is over 80", severity: "error" },
      ...{ status: "open", device_name: "Arm B1", triggered_at: "2026-11-24T13:01:00.000Z" },
      demo: false,
    },
  ]);
  const screen = await open("arm");
  for (const day of ["24", "25"])
    await expect
      .element(screen.getByRole("option", { name: new RegExp(`Arm B1 · 2026-11-${day} .* · 1m 05s`) }))
      .toBeVisible();
  await expect
    .element(screen.getByRole("option", { name: /Motor overheating on Arm B1.*open · 2026-11/ }))
    .toBeVisible();
  expect(listInputs("overview.recordingsAt")).toEqual([]);
});

test("a search that fails is no search that finds nothing: what failed is said, and tried again by Enter", async () => {
  for (const search of ["recordings.list", "overview.searchAlerts", "overview.recordingsAt"] as const)
    refuse(search, { status: 429, detail: "Too many requests.", retry_after_seconds: 7 });
  const screen = await open("arm 14:10");
  const said = "Recordings and alerts could not be searched. Too many requests. Try again in 7 s.";
  await expect.element(screen.getByRole("status").filter({ hasText: said })).toBeVisible();
  await expect.element(screen.getByText(/Nothing found/)).not.toBeInTheDocument();
  answer("recordings.list", { ...nothing, results: [sample(RecordingResource, { uid: "rec_1", name: "Pick cycle" })] });
  answer("overview.searchAlerts", []);
  answer("overview.recordingsAt", []);
  await expect.element(screen.getByRole("option", { name: "Retry" })).toHaveAttribute("aria-selected", "true");
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByRole("option", { name: /Pick cycle/ })).toBeVisible();
  await expect.element(screen.getByText(/could not be searched/)).not.toBeInTheDocument();
});

test("what was found is offered beside what could not be searched, and chosen first", async () => {
  answer("recordings.list", nothing);
  refuse("overview.searchAlerts", { status: 500, detail: "Internal server error." });
  const screen = await open("rules");
  await expect.element(screen.getByText("Alerts could not be searched. Internal server error.")).toBeVisible();
  await expect.element(screen.getByRole("option", { name: "Rules" })).toHaveAttribute("aria-selected", "true");
  connect(false);
  await userEvent.fill(screen.getByRole("combobox"), "rule");
  await expect.element(screen.getByText(/could not be searched. The server could not be reached/)).toBeVisible();
});

test("what is typed before the palette can take it stands in it, and is no shortcut of the page", async () => {
  const acknowledged: string[] = [];
  function Page() {
    const [isLoaded, setLoaded] = useState(false);
    useShortcuts([{ keys: "a", label: "Acknowledge", group: "Alert", run: () => void acknowledged.push("a") }]);
    return (
      <>
        <button type="button" onClick={() => setLoaded(true)}>
          The palette is loaded
        </button>
        {isLoaded && <OpenPalette />}
      </>
    );
  }
  const screen = await show(<Page />, "/alerts");
  await userEvent.keyboard("a");
  expect(acknowledged).toEqual(["a"]);
  keepTyping();
  await userEvent.keyboard("rulx{Backspace}");
  await userEvent.keyboard("a");
  await screen.getByRole("button", { name: "The palette is loaded" }).click();
  await expect.element(screen.getByRole("combobox")).toHaveValue("rula");
  await userEvent.keyboard("{Backspace}es");
  await expect.element(screen.getByRole("combobox")).toHaveValue("rules");
  expect(acknowledged).toEqual(["a"]);
});
