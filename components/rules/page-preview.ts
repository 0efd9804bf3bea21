import pLimit from "p-limit";
import { listLeaves, toSaved, type Condition } from "@/domain/conditions/condition";
import { describeHit } from "@/domain/conditions/describe";
import { addUnits } from "@/domain/conditions/units";
import type { PreviewResult } from "@/domain/rules/preview";
import { evaluateTopics, listWantedTopics, readStoredTopic, type WantedTopic } from "@/engine/columns/stored-recording";
import type { StoredTopic } from "@/engine/columns/stored-topic";
import type { ByteSource } from "@/engine/formats/byte-source";
import { createEvaluation, type RecordingFacts, type RuleInput } from "@/engine/rules/evaluate";
import {
  findExample,
  previewResult,
  unusableResult,
  type Previewed,
  type PreviewTarget,
} from "@/engine/rules/preview-result";
import { SignalFileReader, type SignalCodecs } from "@/engine/signals/signal-file-reader";
import type { PreviewColumns } from "./query";

type Columns = PreviewColumns["recordings"][number];
type SignalFile = Columns["files"][number];

/** Opens a topic's file of signals for reading. */
export type OpenFile = (recordingUid: string, file: SignalFile) => ByteSource;

/** Files that are read at the same time; browsers allow six connections to a server. */
const concurrentFiles = 4;

interface LoadedRecording {
  target: PreviewTarget;
  reason: string | null;
  facts: RecordingFacts;
  topics: ReadonlyMap<string, StoredTopic>;
  units: Columns["units"];
}

const toFacts = (facts: Columns["facts"]): RecordingFacts => ({
  startTime: BigInt(facts?.start_ns ?? 0),
  endTime: BigInt(facts?.end_ns ?? 0),
  truncated: facts?.truncated ?? false,
  topics: (facts?.topics ?? []).map(({ topic, message_count, median_period_ns, undecodable }) => ({
    topic,
    messageCount: message_count,
    medianPeriodNs: median_period_ns === null ? null : BigInt(median_period_ns),
    ...(undecodable !== undefined && { undecodable }),
  })),
});

/** Previews of a condition over columns in memory: any other numbers and durations in it need no request. */
export class PagePreview {
  private constructor(
    private readonly recordings: readonly LoadedRecording[],
    private readonly topics: ReadonlySet<string>,
    private readonly saved: RuleInput | null,
    private readonly warnings: readonly string[],
  ) {}

  /** Reads the columns; null where a file does not hold what is needed. */
  static async load(
    { recordings, topics: named, saved, warnings }: PreviewColumns,
    openFile: OpenFile,
    codecs: SignalCodecs,
  ): Promise<PagePreview | null> {
    const limit = pLimit(concurrentFiles);
    const loaded = await Promise.all(
      recordings.map(async (columns): Promise<LoadedRecording | null> => {
        const facts = toFacts(columns.facts);
        const topics = await Promise.all(
          columns.files.map((file) =>
            limit(async () => {
              const reader = await SignalFileReader.open(openFile(columns.uid, file), codecs);
              const types = new Map(file.fields.map(({ path, type }) => [path, type]));
              return [file.topic, await readStoredTopic(reader, types, toWanted(file, facts), facts)] as const;
            }),
          ),
        );
        const complete = topics.flatMap(([topic, stored]) => (stored ? [[topic, stored] as const] : []));
        if (complete.length < topics.length) return null;
        const { uid, name, device_id, device_name, started_at, ended_at, reason, units } = columns;
        const target = {
          uid,
          name,
          deviceId: device_id,
          deviceName: device_name,
          startedAt: started_at,
          endedAt: ended_at,
        };
        return { target, reason, facts, topics: new Map(complete), units };
      }),
    );
    const usable = loaded.flatMap((recording) => (recording ? [recording] : []));
    if (usable.length < loaded.length) return null;
    const rule = saved && { ...saved, condition: toSaved(saved.condition) };
    return new PagePreview(usable, new Set(named), rule, warnings);
  }

  /**
   * What the server would answer for the condition, compared with the saved rule unless another is given; null where it
   * reads columns that were not loaded.
   */
  async evaluate(condition: Condition, saved = this.saved): Promise<PreviewResult | null> {
    if (!listLeaves(condition).every(({ topic }) => this.topics.has(topic))) return null;
    const rules: RuleInput[] = [{ uid: "preview", version: saved ? saved.version + 1 : 1, condition }];
    if (saved) rules.push(saved);
    const previewed: Previewed[] = [];
    for (const recording of this.recordings) {
      const one = await evaluateOne(recording, rules);
      if (one === null) return null;
      previewed.push(one);
    }
    return previewResult(condition, previewed, this.warnings, saved, this.describeExample(condition, previewed));
  }

  private describeExample(condition: Condition, previewed: readonly Previewed[]): string | null {
    const example = findExample(previewed);
    if (!example) return null;
    const units = this.recordings.find(({ target }) => target === example.recording)?.units ?? [];
    return describeHit({ condition }, { evidence: { leaves: addUnits(example.hit.evidence.leaves, units) } });
  }
}

const toWanted = ({ topic, fields }: SignalFile, facts: RecordingFacts): WantedTopic => ({
  topic,
  paths: fields.map(({ path }) => path),
  messages: facts.topics.find((one) => one.topic === topic)?.messageCount ?? 0,
});

async function evaluateOne(
  { target, reason, facts, topics }: LoadedRecording,
  rules: readonly RuleInput[],
): Promise<Previewed | null> {
  if (reason !== null) {
    const result = unusableResult("preview", 0, reason);
    return { recording: target, result, saved: rules.length > 1 ? result : null };
  }
  const evaluation = createEvaluation(rules, facts);
  const wanted = listWantedTopics(evaluation, facts);
  if (!wanted?.every(({ topic, paths }) => topics.get(topic)?.lacks(paths).length === 0)) return null;
  const [result, saved] = await evaluateTopics(evaluation, wanted, topics, facts.startTime);
  return { recording: target, result: result!, saved: saved ?? null };
}
