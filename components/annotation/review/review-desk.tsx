"use client";

import { Ban, Check, Pencil } from "lucide-react";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { KeyHint } from "@/components/kit/kbd";
import { useNarrow } from "@/components/kit/media-query";
import { useShortcuts } from "@/components/kit/shortcuts";
import { Tabs } from "@/components/kit/tabs";
import { RelativeTime } from "@/components/kit/time";
import { TruncateMiddle } from "@/components/kit/truncate";
import { refuseShortcut } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import type { NewIssue } from "@/domain/tasks/issue-schema";
import { IssuesPanel } from "../issues/issues-panel";
import { issueLabels, noRejection, pin } from "../issues/rejection";
import { StagePins, type Pin } from "../issues/stage-pins";
import { useIssues, type Issue } from "../issues/use-issues";
import type { PictureSource } from "../stage/editor-picture";
import type { Proposal } from "../store/editor-snapshot";
import { EditorStore } from "../store/editor-store";
import type { HeldDecision } from "./decision-sender";
import type { Verdict } from "./decision-store";
import { DifferencesPanel } from "./differences-panel";
import { EarlierRounds } from "./earlier-rounds";
import type { ReviewedTask, ShapePair, StoredResult } from "./query";
import { RejectForm } from "./reject-form";
import { useResultShapes, type ResultShapes } from "./result-shapes";
import type { QueueRow } from "./review-queue";
import { ReviewStage } from "./review-stage";
import { ShapesPanel } from "./shapes-panel";
import { useComparison } from "./use-comparison";

export interface DeskProps {
  row: QueueRow;
  found: ReviewedTask;
  result: StoredResult;
  picture: PictureSource;
  decision: HeldDecision | undefined;
  /** Why the person who looks may not decide about it. */
  refusal: string | undefined;
  onDecide: (verdict: Verdict, reason: string, issues: NewIssue[]) => void;
  /** Opens the editor, to send the result as it should be. */
  onEdit: () => void;
}

type PanelName = "shapes" | "differences" | "issues" | "rounds";

const never = () => {};
const noProposals: readonly Proposal[] = [];

const present = (shapes: ResultShapes) => shapes.flatMap((shape) => shape ?? []);

/** What shapes were before, where they lay otherwise or are gone now. */
function listFormer(pairs: readonly ShapePair[], earlier: ResultShapes): Proposal[] {
  return pairs.flatMap(({ a_shape: at, b_shape: after, differs }) => {
    const shape = at === null || !(after === null || differs.includes("place")) ? undefined : earlier[at];
    return shape ? [{ id: `was ${shape.id}`, shape: { ...shape, id: `was ${shape.id}` }, note: "was" }] : [];
  });
}

/** The stage with the shapes of a result, what is known of them, and the two decisions. */
export function ReviewDesk({ row, found, result, picture, decision, refusal, onDecide, onEdit }: DeskProps) {
  const isPhone = useNarrow();
  const [panel, setPanel] = useState<PanelName>("shapes");
  const [isRejecting, setRejecting] = useState(false);
  const [rejection, setRejection] = useState(noRejection);
  const [chosenIssue, setChosenIssue] = useState<string | null>(null);
  const [isOnly, setOnly] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const { labels } = found.project;
  const { rounds, before, isCompared, pairs, changed, own, earlier } = useComparison(found, result, row.round);
  const issues = useIssues(row.task);
  const shownResult = rounds.find((each) => each.result.uid === shown)?.result;
  const shownShapes = useResultShapes(shownResult, labels);
  const shapes = useMemo(() => present(shownResult ? shownShapes : own), [shownResult, shownShapes, own]);
  const isComparing = shownResult === undefined && (isOnly || panel === "differences");
  const proposals = useMemo(
    () => (isComparing ? listFormer(pairs, earlier) : noProposals),
    [isComparing, pairs, earlier],
  );
  const input = useMemo(
    () => ({
      picture,
      labels,
      shapes,
      proposals,
      kept: null,
      canEdit: false,
      onOps: never,
      onDecide: never,
      onSay: never,
    }),
    [picture, labels, shapes, proposals],
  );
  const [store] = useState(() => new EditorStore(input));
  useEffect(() => store.update(input), [store, input]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  useEffect(() => {
    const same = pairs.flatMap(({ b_shape: at, differs }) =>
      differs.length > 0 || at === null ? [] : (own[at]?.id ?? []),
    );
    store.hide(same, isOnly && shownResult === undefined);
  }, [store, pairs, own, isOnly, shownResult]);
  const select = (ids: readonly string[]) => {
    store.select(ids);
    const bounds = store.getBounds(ids.at(-1) ?? "");
    if (bounds) store.view.reveal([(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2]);
  };
  const selectPair = ({ a_shape: was, b_shape: is }: ShapePair) => {
    const shape = is === null ? (was === null ? undefined : earlier[was]) : own[is];
    if (!shape) return;
    setShown(null);
    if (is !== null) return select([shape.id]);
    const former = shape.type === "bbox" ? shape.coordinates : null;
    if (former) store.view.reveal([former.x + former.width / 2, former.y + former.height / 2]);
  };
  const pinHere = (point: Pin["point"]) => {
    if (!isRejecting || !point) return;
    const shape = store.hit(point);
    // Only shapes that are stored with an id can be named.
    const isNamed = shape !== null && shape.attributes["id"] === shape.id;
    setRejection(pin(rejection, { point: [point[0], point[1]], ...(isNamed && { shape: shape.id }) }));
  };
  const showIssue = ({ uid, point, shape }: Pick<Issue, "uid" | "point" | "shape">) => {
    setChosenIssue(uid);
    setPanel("issues");
    setShown(null);
    if (point) store.view.reveal(point);
    if (shape !== null && store.getBounds(shape)) select([shape]);
  };
  const pins: readonly Pin[] = isRejecting
    ? rejection.issues
        .filter(({ point }) => point !== undefined)
        .map(({ id, kind, point = null, shape = null }, at) => ({
          id,
          number: at + 1,
          label: issueLabels[kind],
          point,
          shape,
          isOpen: true,
        }))
    : issues.pins;
  const isOpen = decision === undefined && row.became === undefined;
  const accept = () => {
    if (isOpen) onDecide("accept", "", []);
  };
  const startReject = () => {
    if (isOpen) setRejecting(true);
  };
  const edit = () => {
    if (!isOpen) return;
    if (own.includes(undefined)) return toast.failure("It holds shapes that cannot be edited here.");
    onEdit();
  };
  const group = "Review";
  useShortcuts([
    // While it is said what is wrong, a slip must not accept.
    refuseShortcut({ keys: "a", label: "Accept", group, when: () => !isRejecting, run: accept }, refusal),
    refuseShortcut({ keys: "x", label: "Reject", group, when: () => !isRejecting, run: startReject }, refusal),
    refuseShortcut({ keys: "e", label: "Correct it yourself", group, when: () => !isRejecting, run: edit }, refusal),
    {
      keys: "f",
      label: "Only what changed since the last round",
      group,
      when: () => changed.length > 0,
      run: () => {
        setOnly(!isOnly);
        setPanel("differences");
      },
    },
  ]);

  const viewed = rounds.find((each) => each.result === shownResult);
  const stageTexts = [
    hasFailed && "The picture could not be loaded.",
    viewed && `Shapes of round ${viewed.round}, by ${viewed.result.submitted_by}`,
    isComparing && proposals.length > 0 && "Dashed: as it was before",
  ];
  const actions = isOpen && refusal === undefined && (
    <div
      className={cn(
        "flex shrink-0 items-center gap-2",
        isPhone && "border-t bg-surface p-3 [&>button]:h-11 [&>button]:flex-1",
      )}
    >
      {!isPhone && (
        <Button variant="ghost" icon={<Pencil aria-hidden />} aria-keyshortcuts="e" onClick={edit}>
          Edit
          <KeyHint keys="e" decorative />
        </Button>
      )}
      <Button icon={<Ban aria-hidden />} aria-keyshortcuts="x" aria-expanded={isRejecting} onClick={startReject}>
        Reject
        {!isPhone && <KeyHint keys="x" decorative />}
      </Button>
      <Button variant="primary" icon={<Check aria-hidden />} aria-keyshortcuts="a" onClick={accept}>
        Accept
        {!isPhone && <KeyHint keys="a" decorative inverted />}
      </Button>
    </div>
  );
  const said = decision
    ? `${decision.verdict === "accept" ? "Accepted" : "Rejected"}${decision.reason === "" ? "" : `: ${decision.reason}`}`
    : (row.became ?? refusal);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex min-h-12 shrink-0 items-center gap-3 border-b bg-surface px-3 py-2">
        <div className="min-w-0 flex-1">
          <h2 className="flex text-table font-medium">
            <TruncateMiddle text={row.name} tail={16} />
          </h2>
          <p className="truncate text-meta text-muted">
            {row.submitted_by}, <RelativeTime value={row.created_at} rich={false} />
            {row.round > 1 && `, round ${row.round}`}, {plural(result.annotations.length, "shape")}
          </p>
        </div>
        {said !== undefined && <p className="shrink-0 text-table text-muted max-sm:max-w-40 max-sm:shrink">{said}</p>}
        {!isPhone && actions}
      </div>
      <div className={cn("flex min-h-0 flex-1 max-xl:flex-col")}>
        <ReviewStage
          store={store}
          picture={picture}
          onFailure={() => setFailed(true)}
          head={stageTexts.filter(Boolean).join(" ")}
          onPress={pinHere}
        >
          <StagePins
            store={store}
            pins={pins}
            onOpen={(id) => {
              const issue = issues.issues?.find(({ uid }) => uid === id);
              if (issue) showIssue(issue);
            }}
          />
        </ReviewStage>
        <aside
          aria-label={isRejecting ? "Reject" : "What it holds"}
          className={cn(
            "flex min-h-0 shrink-0 flex-col border-l bg-surface max-xl:border-t max-xl:border-l-0 xl:w-88",
            isRejecting ? "max-xl:h-88" : "max-xl:h-60",
          )}
        >
          {isRejecting ? (
            <RejectForm
              title={row.name}
              rejection={rejection}
              onChange={setRejection}
              canPin
              onCancel={() => setRejecting(false)}
              onReject={(reason, found) => {
                setRejecting(false);
                onDecide("reject", reason, found);
              }}
            />
          ) : (
            <Tabs
              label="About this result"
              value={panel}
              onValueChange={setPanel}
              className="flex-1 [&>[role=tablist]]:px-3 [&>[role=tabpanel]]:flex [&>[role=tabpanel]]:flex-col [&>[role=tabpanel]]:pt-0"
              tabs={[
                {
                  value: "shapes",
                  label: "Shapes",
                  badge: shapes.length,
                  content: <ShapesPanel store={store} labels={labels} onSelect={select} />,
                },
                ...(before
                  ? [
                      {
                        value: "differences" as const,
                        label: "Differences",
                        badge: isCompared ? changed.length : undefined,
                        content: (
                          <DifferencesPanel
                            pairs={pairs}
                            earlier={earlier}
                            shapes={own}
                            labels={labels}
                            name={`round ${before.round}`}
                            selected={snapshot.selected}
                            onSelect={selectPair}
                            isOnly={isOnly}
                            onOnly={setOnly}
                          />
                        ),
                      },
                    ]
                  : []),
                {
                  value: "issues",
                  label: "Issues",
                  badge: issues.open === 0 ? undefined : issues.open,
                  content: (
                    <IssuesPanel
                      task={row.task}
                      refusal={row.is_own ? undefined : refusal}
                      mayReopen={refusal === undefined}
                      chosen={chosenIssue}
                      onChoose={showIssue}
                    />
                  ),
                },
                {
                  value: "rounds",
                  label: "Rounds",
                  badge: rounds.length === 0 ? undefined : rounds.length,
                  content: <EarlierRounds rounds={rounds} shown={shown} onShow={setShown} />,
                },
              ]}
            />
          )}
        </aside>
      </div>
      {isPhone && !isRejecting && actions}
    </div>
  );
}
