import { z } from "zod";

const host = "receiver.demo.invalid";

/**
 * The receiver of the demo fleet's messages. No server can have a name below `.invalid` (RFC 6761): what is sent here is
 * answered in the process and leaves no machine.
 */
export const demoReceiver = {
  alerts: `https://${host}/alerts`,
  events: `https://${host}/events`,
  agent: `https://${host}/agents/box-checker`,
} as const;

/** Whether a URL is of the demo fleet's receiver. */
export const isDemoReceiver = (url: string): boolean =>
  URL.canParse(url) && new URL(url).hostname.replace(/\.$/, "") === host;

/** The receiver's answer to one request. */
interface DemoAnswer {
  status: number;
  body: Record<string, unknown>;
}

const received = { status: 200, body: { received: true } } satisfies DemoAnswer;

const Box = z.object({ label: z.string(), coordinates: z.object({ width: z.number(), height: z.number() }) });
const Event = z.object({
  event: z.string(),
  format: z.string().optional(),
  result_data: z.array(Box).optional().catch(undefined),
});

/** The smallest side of a box, in pixels, that the demo's agent accepts, and how many boxes it checks. */
export const demoChecks = { smallestSide: 12, maxBoxes: 5 } as const;

/** Checks the boxes of a submitted result. One with none or with many is left to a person: there is no action for it. */
function checkBoxes(boxes: z.output<typeof Box>[]): DemoAnswer {
  const { smallestSide, maxBoxes } = demoChecks;
  if (boxes.length === 0 || boxes.length > maxBoxes)
    return { status: 202, body: { received: true, note: `${boxes.length} boxes: left to a person.` } };
  const small = boxes.findIndex(({ coordinates: { width, height } }) => Math.min(width, height) < smallestSide);
  const box = boxes[small];
  if (!box) {
    const count = boxes.length === 1 ? "The box is" : `All ${boxes.length} boxes are`;
    return { status: 200, body: { action: "approve", reason: `${count} at least ${smallestSide} px wide and high.` } };
  }
  const { width, height } = box.coordinates;
  const reason = `Box ${small + 1} (${box.label}) is ${Math.round(width)} × ${Math.round(height)} px; the least is ${smallestSide} px.`;
  return { status: 200, body: { action: "reject", reason, metadata: { box: small + 1 } } };
}

/**
 * How the receiver answers. Its service of events does not know the YOLO format and refuses such exports, so that there
 * is a delivery that fails and is tried again; its agent checks boxes.
 */
export function answerAsDemoReceiver(path: string, body: string): DemoAnswer {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { status: 400, body: { error: "The body is no JSON." } };
  }
  if (path === new URL(demoReceiver.alerts).pathname) return received;
  const parsed = Event.safeParse(json);
  if (!parsed.success) return { status: 400, body: { error: "The body is no event." } };
  const { event, format, result_data: boxes } = parsed.data;
  if (path === new URL(demoReceiver.agent).pathname)
    return event === "result.submitted" && boxes ? checkBoxes(boxes) : received;
  if (path !== new URL(demoReceiver.events).pathname) return { status: 404, body: { error: "Nobody listens here." } };
  if (event === "export.completed" && format !== "avala-json-external")
    return { status: 422, body: { error: `Exports in the format ${format ?? "?"} cannot be read.` } };
  return received;
}
