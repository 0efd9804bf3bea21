/** One action of a person on an alert of the demo. */
export type Step =
  | { do: "acknowledge" }
  | { do: "assign" }
  | { do: "resolve"; reason: "fixed" | "expected" | "duplicate" | "false_alarm"; note?: string }
  | { do: "comment"; body: string }
  | { do: "snooze"; until: Date };

const noisyRule = "Motor warm";

/** The steps for alerts, used in turn; an empty list leaves an alert open. */
const courses: readonly (readonly Step[])[] = [
  [],
  [{ do: "acknowledge" }, { do: "comment", body: "On my way to the cell." }],
  [{ do: "acknowledge" }, { do: "resolve", reason: "fixed", note: "Fan replaced, temperature back to normal." }],
  [{ do: "assign" }],
  [{ do: "resolve", reason: "expected", note: "Planned stop for cleaning." }],
  [{ do: "acknowledge" }, { do: "assign" }, { do: "comment", body: "Same spot as last week; checking the cable." }],
  [
    { do: "comment", body: "Already followed up with the other alert of this run." },
    { do: "resolve", reason: "duplicate" },
  ],
];

/** Most alerts of the noisy rule are resolved as false alarms, which is what makes it noisy. */
const noisyCourses: readonly (readonly Step[])[] = [
  [{ do: "resolve", reason: "false_alarm", note: "Normal for a long run." }],
  [{ do: "resolve", reason: "false_alarm" }],
  [],
  [{ do: "resolve", reason: "false_alarm" }],
];

interface DemoAlert {
  uid: string;
  rule_name: string;
  device_name: string;
  triggered_at: string;
}

/** The steps for each alert of the demo, independent of the order in which recordings were processed. */
export function alertCourses(alerts: readonly DemoAlert[], now: Date): { uid: string; steps: Step[] }[] {
  const order = ({ rule_name, triggered_at, device_name }: DemoAlert) => `${rule_name} ${triggered_at} ${device_name}`;
  const sorted = [...alerts].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const [noisy, others] = [
    sorted.filter((alert) => alert.rule_name === noisyRule),
    sorted.filter((alert) => alert.rule_name !== noisyRule),
  ];
  const later: Step = { do: "snooze", until: new Date(now.getTime() + 4 * 3_600_000) };
  return [
    ...others.map(({ uid }, n) => ({
      uid,
      steps: [...(courses[n % courses.length] ?? []), ...(n === 3 ? [later] : [])],
    })),
    ...noisy.map(({ uid }, n) => ({ uid, steps: [...(noisyCourses[n % noisyCourses.length] ?? [])] })),
  ];
}
