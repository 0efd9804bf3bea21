"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Skeleton } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { toast } from "@/components/product/toast";
import { useTRPC } from "@/components/trpc/client";
import { issueLabels } from "./rejection";
import { useIssues, type Issue } from "./use-issues";

interface IssuesPanelProps {
  task: string;
  /** Why the person who looks may neither open nor resolve issues here. */
  refusal: string | undefined;
  /** Whether they may open again what is resolved, as reviewers do. */
  mayReopen: boolean;
  /** The uid of the one that was pressed on the picture. */
  chosen: string | null;
  /** Shows where one is. */
  onChoose: (issue: Issue) => void;
}

/** What reviewers found in a task and what was answered, in the order in which it was found. */
export function IssuesPanel({ task, refusal, mayReopen, chosen, onChoose }: IssuesPanelProps) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { query, issues } = useIssues(task);
  const [question, setQuestion] = useState("");
  const renew = () => queryClient.invalidateQueries(trpc.issues.pathFilter());
  const ask = useMutation(
    trpc.issues.create.mutationOptions({
      onSuccess: () => setQuestion(""),
      onError: (error) => toast.failure(error, { title: "The question was not asked" }),
      onSettled: renew,
    }),
  );
  if (query.error && !issues)
    return <ErrorState error={query.error} title="Issues could not be loaded" onRetry={() => void query.refetch()} />;
  if (!issues) return <Skeleton className="m-3 h-16" />;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {issues.length === 0 ? (
        <p className="min-h-0 flex-1 p-3 text-table text-muted">No issues. What is wrong or unclear appears here.</p>
      ) : (
        <ol aria-label="Issues" className="min-h-0 flex-1 overflow-y-auto">
          {issues.map((issue, at) => (
            <IssueRow
              key={issue.uid}
              issue={issue}
              number={at + 1}
              isChosen={issue.uid === chosen}
              onChoose={() => onChoose(issue)}
              mayAnswer={refusal === undefined}
              mayReopen={mayReopen}
              onChanged={renew}
            />
          ))}
        </ol>
      )}
      {refusal === undefined && (
        <form
          className="flex items-end gap-2 border-t p-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (question.trim() !== "") ask.mutate({ uid: task, kind: "question", text: question.trim() });
          }}
        >
          <Field label="Question about this picture" hideLabel className="flex-1">
            <Input
              value={question}
              maxLength={4_096}
              placeholder="Ask about this picture"
              onChange={(event) => setQuestion(event.target.value)}
            />
          </Field>
          <Button type="submit" busy={ask.isPending} disabled={question.trim() === ""}>
            Ask
          </Button>
        </form>
      )}
    </div>
  );
}

interface IssueRowProps {
  issue: Issue;
  number: number;
  isChosen: boolean;
  onChoose: () => void;
  mayAnswer: boolean;
  mayReopen: boolean;
  onChanged: () => Promise<void>;
}

function IssueRow({ issue, number, isChosen, onChoose, mayAnswer, mayReopen, onChanged }: IssueRowProps) {
  const trpc = useTRPC();
  const row = useRef<HTMLLIElement>(null);
  const [answer, setAnswer] = useState("");
  const update = useMutation(
    trpc.issues.update.mutationOptions({
      onError: (error) => toast.failure(error, { title: `Issue ${number} was not changed` }),
      onSettled: onChanged,
    }),
  );
  const comment = useMutation(
    trpc.issues.comment.mutationOptions({
      onSuccess: () => setAnswer(""),
      onError: (error) => toast.failure(error, { title: "The answer was not stored" }),
      onSettled: onChanged,
    }),
  );
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const isOpen = issue.state === "open";
  return (
    <li ref={row} className={cn("flex flex-col gap-1.5 border-b px-3 py-2.5 text-table", isChosen && "bg-selected")}>
      <div className="flex items-start justify-between gap-2">
        <button
          type="button"
          onClick={onChoose}
          aria-pressed={isChosen}
          className="flex min-w-0 items-baseline gap-2 rounded-control text-left hover:underline"
        >
          <span className="text-meta text-subtle tabular-nums">{number}</span>
          <span className={cn("font-medium", !isOpen && "text-muted line-through")}>{issueLabels[issue.kind]}</span>
        </button>
        {(isOpen ? mayAnswer : mayReopen) && (
          <Button
            size="sm"
            variant="ghost"
            className="-my-1"
            busy={update.isPending}
            aria-label={`${isOpen ? "Resolve" : "Reopen"} issue ${number}`}
            onClick={() => update.mutate({ uid: issue.uid, state: isOpen ? "resolved" : "open" })}
          >
            {isOpen ? "Resolve" : "Reopen"}
          </Button>
        )}
      </div>
      {issue.text !== "" && <p className="wrap-break-word whitespace-pre-wrap">{issue.text}</p>}
      <p className="text-meta text-muted">
        {issue.by}, <RelativeTime value={issue.created_at} rich={false} />, round {issue.round}
        {issue.resolved_by !== null && `; resolved by ${issue.resolved_by}`}
      </p>
      {issue.comments.map(({ uid, by, text }) => (
        <p key={uid} className="border-l-2 pl-2 wrap-break-word whitespace-pre-wrap">
          <span className="text-muted">{by}: </span>
          {text}
        </p>
      ))}
      {isChosen && mayAnswer && (
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (answer.trim() !== "") comment.mutate({ uid: issue.uid, text: answer.trim() });
          }}
        >
          <Field label={`Answer to issue ${number}`} hideLabel className="flex-1">
            <Input
              value={answer}
              maxLength={4_096}
              placeholder="Answer"
              onChange={(event) => setAnswer(event.target.value)}
            />
          </Field>
          <Button size="sm" type="submit" busy={comment.isPending} disabled={answer.trim() === ""}>
            Answer
          </Button>
        </form>
      )}
    </li>
  );
}
