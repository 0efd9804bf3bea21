"use client";

import { CircleAlert, CircleCheck, CircleDashed, LoaderCircle } from "lucide-react";
import { Button } from "@/components/kit/button";
import { storageChecks } from "@/domain/storage-configs/checks";
import { checkTexts, fieldLabels } from "./labels";
import type { StorageCheck } from "./query";

interface CheckListProps {
  checks?: readonly StorageCheck[] | undefined;
  testing?: boolean;
  /** Leads to the field at fault, where there is a form. */
  onField?: (field: string) => void;
}

/** The steps of a test in their order: what each found, or that they are being tried. */
export function CheckList({ checks, testing = false, onField }: CheckListProps) {
  return (
    <ul aria-label="Steps of the test" aria-busy={testing} className="flex flex-col">
      {storageChecks.map((name) => {
        const check = testing ? undefined : checks?.find((each) => each.name === name);
        return <CheckRow key={name} name={name} check={check} testing={testing} onField={onField} />;
      })}
    </ul>
  );
}

interface CheckRowProps extends Pick<CheckListProps, "onField"> {
  name: StorageCheck["name"];
  check: StorageCheck | undefined;
  testing: boolean;
}

function CheckRow({ name, check, testing, onField }: CheckRowProps) {
  const { label, use } = checkTexts[name];
  const outcome = testing ? "being tried" : check?.ok === true ? "works" : check?.ok === false ? "failed" : "not tried";
  return (
    <li className="flex gap-2.5 border-b py-2 text-table last:border-b-0">
      <OutcomeIcon ok={check?.ok} testing={testing} />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline justify-between gap-3">
          <span className="font-medium">
            {label}
            <span className="sr-only">: {outcome}</span>
          </span>
          {typeof check?.ms === "number" && <span className="text-meta text-subtle tabular-nums">{check.ms} ms</span>}
        </div>
        {check?.ok === false ? (
          <Fault check={check} onField={onField} />
        ) : (
          <p className="text-meta text-muted">
            {check?.ok === null ? "Not tried, because an earlier step failed." : use}
          </p>
        )}
      </div>
    </li>
  );
}

/** What is wrong, the permission that is missing, and the field to change. */
function Fault({ check, onField }: { check: StorageCheck } & Pick<CheckListProps, "onField">) {
  const { message, permission, field } = check;
  return (
    <>
      <p className="break-words text-critical-text">
        {message}
        {permission !== null && (
          <>
            {" "}
            Allow <code className="font-mono text-meta">{permission}</code>.
          </>
        )}
      </p>
      {field !== null && permission === null && onField && (
        <Button variant="link" size="sm" onClick={() => onField(field)}>
          Change {(fieldLabels[field] ?? field).toLowerCase()}
        </Button>
      )}
    </>
  );
}

function OutcomeIcon({ ok, testing }: { ok: boolean | null | undefined; testing: boolean }) {
  const place = "mt-0.5 size-4 shrink-0";
  if (testing) return <LoaderCircle aria-hidden className={`${place} animate-spin text-subtle`} />;
  if (ok === true) return <CircleCheck aria-hidden className={`${place} text-online`} />;
  if (ok === false) return <CircleAlert aria-hidden className={`${place} text-critical`} />;
  return <CircleDashed aria-hidden className={`${place} text-subtle`} />;
}
