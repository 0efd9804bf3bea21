"use client";

import { CircleHelp, Redo2, Undo2 } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore, type CSSProperties } from "react";
import { BrightnessMenu, plainLook, toFilter } from "@/components/items/viewer/brightness-menu";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { KeyHint } from "@/components/kit/kbd";
import { useLatest } from "@/components/kit/latest";
import { lazyPart } from "@/components/kit/lazy-part";
import { announce } from "@/components/kit/live-region";
import { useNarrow } from "@/components/kit/media-query";
import { PanelEdge, usePanelWidth } from "@/components/kit/panel-edge";
import { Tabs } from "@/components/kit/tabs";
import type { CheckName } from "@/domain/annotations/check-names";
import { findChecks, type CheckFinding } from "@/domain/annotations/checks";
import { AttributePanel } from "./attribute-panel";
import { CheckDialog } from "./check-dialog";
import type { EditorProps } from "./editor-props";
import { StagePins, type Pin } from "./issues/stage-pins";
import { KeyHelp } from "./key-help";
import { LabelList } from "./label-list";
import { noteOffered, OfferedBar } from "./offered-bar";
import { ProposalList } from "./proposal-list";
import { ShapeListbox } from "./shape-listbox";
import { EditorPicture } from "./stage/editor-picture";
import { EditorStage } from "./stage/editor-stage";
import { chooseLabel, describeShape, showSelected } from "./store/commands";
import type { Proposal } from "./store/editor-snapshot";
import { EditorStore } from "./store/editor-store";
import { pickLabel } from "./store/pick-label";
import { pickShapes } from "./store/selection";
import { ToolColumn } from "./tool-column";
import { listTags } from "./tools/tags";
import { useEditorKeys } from "./use-editor-keys";

const PromptBar = lazyPart(async () => (await import("./prompts/prompt-bar")).PromptBar, { className: "h-10" });

/** Pixels of the panel beside the stage. */
const panelWidths = { min: 280, max: 480, initial: 340 };

const noProposals: readonly Proposal[] = [];
const noBlocking: readonly CheckName[] = [];
const noNotes: ReadonlyMap<string, string> = new Map();
const noPanels: NonNullable<EditorProps["panels"]> = [];
const never = () => {};

/** Draws shapes on a picture. It stores nothing and knows no network: what changes is passed on at once. */
export function Editor(props: EditorProps) {
  const { picture, labels, shapes, kept = null, proposals = noProposals, hand, readOnly, notes = noNotes } = props;
  const {
    onSubmit,
    onSkip,
    blocking = noBlocking,
    head,
    panels = noPanels,
    issues,
    frames,
    prompts,
    onPicture = never,
    onPictureFailure = never,
  } = props;
  const isPhone = useNarrow();
  const panel = usePanelWidth("editor.panel", panelWidths);
  const [tab, setTab] = useState<string | null>(null);
  const [chosenIssue, setChosenIssue] = useState<string | null>(null);
  const stage = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState("");
  const [look, setLook] = useState(plainLook);
  const [isLookOpen, setLookOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [findings, setFindings] = useState<readonly CheckFinding[]>([]);
  const onOps = useLatest(props.onOps);
  const onDecide = useLatest(props.onDecide ?? never);
  const onSay = useLatest((text: string) => {
    setSaid(text);
    announce(text);
  });
  const canEdit = readOnly === undefined;
  const mayAsk = prompts !== undefined && prompts.models.length > 0;
  const [store] = useState(
    () => new EditorStore({ picture, labels, shapes, proposals, kept, canEdit, hand, onOps, onDecide, onSay }),
  );
  useEffect(() => {
    store.update({ picture, labels, shapes, proposals, kept, canEdit, hand, onOps, onDecide, onSay });
  }, [store, picture, labels, shapes, proposals, kept, canEdit, hand, onOps, onDecide, onSay]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);

  const submit = (): void => {
    if (!onSubmit || !canEdit) return;
    if (store.later.isBusy) return void store.later.settle().then(submit);
    const found = findChecks(store.snapshot.listed, labels, picture);
    if (found.length > 0) setFindings(found);
    else onSubmit([]);
  };
  const beside = frames?.shown ?? null;
  const actions = {
    showHelp: () => setHelpOpen(true),
    showLook: () => setLookOpen(true),
    submit,
    skip: () => canEdit && onSkip?.(),
    mayAsk,
    stepFrame: (by: 1 | -1) => (frames ? frames.step(by) : false),
  };
  const isPanning = useEditorKeys(store, stage, actions, frames?.shown ? frames.leave : null);
  const select = (ids: readonly string[]) => {
    store.select(ids);
    const [shape] = pickShapes(store.snapshot.shapes, ids.slice(-1));
    if (shape && store.getBounds(shape.id)) revealShape(store, shape.id);
  };
  const panelStyle: CSSProperties & Record<"--panel", string> = { "--panel": `${panel.width}px` };
  const chooseIssue = ({ id, point, shape }: Pick<Pin, "id" | "point" | "shape">) => {
    setChosenIssue(id);
    setTab("issues");
    if (point) store.view.reveal(point);
    if (shape !== null && store.getBounds(shape)) select([shape]);
  };
  const selected = pickShapes(snapshot.shapes, snapshot.selected);
  const chosen =
    snapshot.tool === "tags"
      ? listTags(snapshot.shapes)
      : new Set([pickLabel(labels, snapshot.labelId, snapshot.tool)?.id ?? ""]);
  const tools = (
    <ToolColumn
      tool={snapshot.tool}
      onTool={(tool) => store.setTool(tool)}
      labels={labels}
      refusal={readOnly}
      isPhone={isPhone}
      mayAsk={mayAsk}
    />
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-surface">
      <div className="flex min-h-10 shrink-0 items-center justify-end gap-1 border-b px-2 max-sm:flex-wrap max-sm:py-1">
        <div className="flex min-w-0 flex-1 items-center gap-2 max-sm:basis-full">{head}</div>
        {readOnly !== undefined && <p className="shrink-0 text-table text-warning-text">{readOnly}</p>}
        <IconButton
          label="Take back"
          keys="mod+z"
          icon={<Undo2 aria-hidden />}
          disabled={!canEdit || (!snapshot.canUndo && snapshot.drawn === 0)}
          onClick={() => store.undo()}
        />
        <IconButton
          label="Repeat"
          keys="mod+shift+z"
          icon={<Redo2 aria-hidden />}
          disabled={!canEdit || !snapshot.canRedo}
          onClick={() => store.redo()}
        />
        <BrightnessMenu look={look} onChange={setLook} open={isLookOpen} onOpenChange={setLookOpen} />
        <IconButton
          label="Keys"
          keys="?"
          icon={<CircleHelp aria-hidden />}
          onClick={() => setHelpOpen(true)}
          className="max-sm:hidden"
        />
        {onSkip && (
          <Button size="sm" disabled={!canEdit} onClick={onSkip}>
            Skip
          </Button>
        )}
        {onSubmit && (
          <Button
            size="sm"
            variant="primary"
            disabled={!canEdit}
            onClick={submit}
            aria-keyshortcuts="Control+Enter Meta+Enter"
          >
            Submit
            <KeyHint keys="mod+enter" inverted decorative />
          </Button>
        )}
      </div>
      {/* The stylesheet places the parts on phones, so that nothing moves after the first frame. */}
      <div className="flex min-h-0 flex-1 max-sm:flex-col">
        {tools}
        <EditorStage
          store={store}
          ref={stage}
          source={picture}
          filter={toFilter(look)}
          isPanning={isPanning || beside !== null}
          said={said}
          onDrawn={onPicture}
          onFailure={onPictureFailure}
        >
          {issues && (
            <StagePins
              store={store}
              pins={issues.pins}
              onOpen={(id) => {
                const pin = issues.pins.find((each) => each.id === id);
                if (pin) chooseIssue(pin);
              }}
            />
          )}
          {beside && (
            <div className="pointer-events-none absolute inset-0 overflow-hidden bg-background [&>*:last-child]:pointer-events-auto">
              <EditorPicture
                store={store}
                source={{ ...picture, url: beside.url, thumbnail: undefined }}
                filter={toFilter(look)}
                onFailure={beside.onFailure}
              />
              {beside.bar}
            </div>
          )}
        </EditorStage>
        <PanelEdge {...panel} />
        <aside
          aria-label="Labels and shapes"
          className="flex min-h-0 w-(--panel) shrink-0 flex-col bg-surface max-sm:order-2 max-sm:h-72 max-sm:w-auto max-sm:overflow-y-auto max-sm:border-t"
          style={panelStyle}
        >
          <ProposalList store={store} proposals={snapshot.proposals} />
          {snapshot.tool === "prompt" && mayAsk && prompts && <PromptBar store={store} prompts={prompts} />}
          <OfferedBar store={store} onStage={() => stage.current?.focus()} />
          <LabelList
            labels={labels}
            chosen={chosen}
            isDisabled={!canEdit}
            onChoose={(id) => {
              chooseLabel(store, id);
              stage.current?.focus();
            }}
          />
          <Tabs
            label="Panels"
            // Whoever has to correct something sees first what.
            value={tab ?? (issues && issues.count > 0 ? "issues" : "shapes")}
            onValueChange={setTab}
            className="flex-1 border-t max-sm:min-h-44 max-sm:shrink-0 [&>[role=tablist]]:px-3 [&>[role=tabpanel]]:flex [&>[role=tabpanel]]:flex-col [&>[role=tabpanel]]:pt-0"
            tabs={[
              {
                value: "shapes",
                label: "Shapes",
                badge: snapshot.listed.length,
                content: (
                  <ShapeListbox
                    shapes={snapshot.listed}
                    labels={labels}
                    selected={snapshot.selected}
                    onSelect={select}
                    hidden={snapshot.hidden}
                    onHide={(id, isHidden) => store.hide([id], isHidden)}
                    notes={noteOffered(snapshot.listed, notes)}
                  />
                ),
              },
              {
                value: "attributes",
                label: "Attributes",
                content: <AttributePanel store={store} shapes={selected} labels={labels} canEdit={canEdit} />,
              },
              ...(issues
                ? [
                    {
                      value: "issues",
                      label: "Issues",
                      badge: issues.count === 0 ? undefined : issues.count,
                      content: issues.panel(chosenIssue, chooseIssue),
                    },
                  ]
                : []),
              ...panels,
            ]}
          />
        </aside>
      </div>
      {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
      {findings.length > 0 && (
        <CheckDialog
          findings={findings}
          blocking={new Set(blocking)}
          describe={(id) => {
            const [shape] = pickShapes(snapshot.shapes, [id]);
            return shape ? describeShape(store, shape) : "";
          }}
          onShow={(id) => {
            setFindings([]);
            store.select([id]);
            showSelected(store);
            stage.current?.focus();
          }}
          onSubmit={() => {
            setFindings([]);
            onSubmit?.([...new Set(findings.map(({ check }) => check))]);
          }}
          onClose={() => setFindings([])}
        />
      )}
    </div>
  );
}

function revealShape(store: EditorStore, id: string): void {
  const bounds = store.getBounds(id);
  if (bounds) store.view.reveal([(bounds.left + bounds.right) / 2, (bounds.top + bounds.bottom) / 2]);
}
