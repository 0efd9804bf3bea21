import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { LabelEdge, useLabelWidth } from "./label-edge";

function Lanes() {
  const labels = useLabelWidth();
  return (
    <div className="relative h-20">
      <LabelEdge labels={labels} />
      <p style={{ paddingLeft: labels.width }}>Lanes at {labels.width}</p>
    </div>
  );
}

test("the names of lanes get another width by keys and pointer, which stays, and their own again by Enter", async () => {
  const screen = await show(<Lanes />, "/recordings/rec_1");
  const edge = screen.getByRole("separator", { name: "Width of the names of lanes" });
  await expect.element(edge).toHaveAttribute("aria-valuenow", "208");
  edge.element().focus();
  await userEvent.keyboard("{ArrowRight}{ArrowRight}");
  await expect.element(screen.getByText("Lanes at 248")).toBeVisible();
  await expect.element(edge).toHaveAttribute("aria-valuenow", "248");
  await expect.element(edge).toHaveAttribute("aria-valuemin", "112");
  await userEvent.keyboard("{ArrowLeft}");
  await expect.element(screen.getByText("Lanes at 228")).toBeVisible();
  expect(document.cookie).toContain("ui.recording.labels.width=228");
  await userEvent.keyboard("{Home}");
  await expect.element(screen.getByText("Lanes at 112")).toBeVisible();
  await userEvent.keyboard("{End}");
  await expect.element(screen.getByText("Lanes at 480")).toBeVisible();

  const left = edge.element().parentElement?.getBoundingClientRect().left ?? 0;
  const send = (type: string, x: number) =>
    edge
      .element()
      .dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, clientX: left + x, clientY: 5 }));
  // A pointer of a test is not held by the browser.
  Object.assign(edge.element(), { setPointerCapture: () => {} });
  send("pointerdown", 480);
  await expect.element(screen.getByText("Lanes at 480")).toBeVisible();
  send("pointermove", 300);
  await expect.element(screen.getByText("Lanes at 300")).toBeVisible();
  send("pointerup", 300);
  expect(document.cookie).toContain("ui.recording.labels.width=300");
  edge.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(screen.getByText("Lanes at 208")).toBeVisible();
  await expectGoodLooks();
});
