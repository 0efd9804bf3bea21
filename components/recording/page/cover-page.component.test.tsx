import { useRef, useState } from "react";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { useShortcuts } from "@/components/kit/shortcuts";
import { show } from "@/components/testing/host";
import { useCoverPage } from "./cover-page";

function Page() {
  const [isOn, setOn] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  useCoverPage(host, isOn);
  useShortcuts([{ keys: "shift+f", label: "Alone", group: "Page", run: () => setOn(!isOn) }]);
  return (
    <div>
      <header>
        <button type="button">Before</button>
      </header>
      <div>
        <div ref={host} tabIndex={-1} data-testid="covering">
          <button type="button">First</button>
          <button type="button">Last</button>
        </div>
        <aside>
          <button type="button">After</button>
        </aside>
      </div>
    </div>
  );
}

test("what covers the page has the focus alone while it does, and leaves it where it was", async () => {
  const screen = await show(<Page />, "/recordings/rec_1");
  const before = screen.getByRole("button", { name: "Before" });
  before.element().focus();
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.element(screen.getByTestId("covering")).toHaveFocus();
  const seen: (string | null | undefined)[] = [];
  for (let step = 0; step < 3; step++) {
    await userEvent.keyboard("{Tab}");
    seen.push(document.activeElement?.closest("header, aside")?.tagName);
  }
  expect(seen).toEqual([undefined, undefined, undefined]);
  expect(document.querySelector("header")?.inert).toBe(true);
  expect(document.querySelector("aside")?.inert).toBe(true);

  screen.getByRole("button", { name: "Last" }).element().focus();
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.poll(() => document.querySelector("header")?.inert).toBe(false);
  // What somebody chose inside keeps the focus.
  await expect.element(screen.getByRole("button", { name: "Last" })).toHaveFocus();

  before.element().focus();
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.element(screen.getByTestId("covering")).toHaveFocus();
  await userEvent.keyboard("{Shift>}f{/Shift}");
  await expect.element(before).toHaveFocus();
});
