"use client";

import { CircleCheck, CircleX } from "lucide-react";
import { useId, useState } from "react";
import { Button } from "@/components/kit/button";
import { CodeBlock } from "@/components/kit/code-block";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Textarea } from "@/components/kit/textarea";
import { DocsTextLink } from "@/components/product/docs-link";
import { guideHref } from "@/domain/docs/guides";
import { verifyMessage, type Mistake, type SentMessage, type Verification } from "@/domain/webhooks/verify-signature";

const parts: Readonly<Record<Mistake, string>> = {
  secret: "Secret",
  body: "Body",
  timestamp: "Timestamp",
  header: "Headers",
  encoding: "Encoding",
};

const writeHeaders = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .filter(([name]) => /^(webhook-|x-service-)/i.test(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

const opensslCommand = 'openssl dgst -sha256 -hmac "$MUSTER_WEBHOOK_SECRET" -hex < body.json';

/** Verifies a signature in this page and names what differs. Nothing is sent. */
export function VerifyForm({ sent }: { sent?: SentMessage }) {
  const [secret, setSecret] = useState("");
  const [headers, setHeaders] = useState(sent ? writeHeaders(sent.headers) : "");
  const [body, setBody] = useState(sent?.body ?? "");
  const [result, setResult] = useState<Verification | null>(null);
  const resultId = useId();
  // Pages that came over plain http from another machine have no cryptography.
  if (typeof window !== "undefined" && !window.crypto?.subtle)
    return (
      <div className="flex flex-col gap-3 text-table">
        <p>
          This page came without HTTPS, and there browsers offer no cryptography. Open it over https, or compute the
          signature where the body was saved; it equals <code className="font-mono text-meta">X-Service-Signature</code>
          :
        </p>
        <CodeBlock code={opensslCommand} />
      </div>
    );
  const edit = (set: (text: string) => void) => (text: string) => {
    set(text);
    setResult(null);
  };
  return (
    <form
      aria-label="Verify a signature"
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void verifyMessage({ secret, headers, body }, Date.now(), sent).then(setResult);
      }}
    >
      <p className="text-table text-muted">
        Computed in this page. The secret is not sent and not stored.{" "}
        <DocsTextLink href={guideHref("webhooks", "verifying-a-message")}>How messages are signed</DocsTextLink>
      </p>
      <Field label="Signing secret">
        <Input
          value={secret}
          onValueChange={edit(setSecret)}
          placeholder="whsec_…"
          autoComplete="off"
          data-secret
          spellCheck={false}
          className="font-mono"
        />
      </Field>
      <Field label="Headers" hint="As your receiver got them, one in a line.">
        <Textarea
          value={headers}
          onChange={(event) => edit(setHeaders)(event.target.value)}
          rows={5}
          mono
          spellCheck={false}
          placeholder={"webhook-id: …\nwebhook-timestamp: …\nwebhook-signature: v1,…"}
        />
      </Field>
      <Field label="Body" hint="The raw body that your receiver verified.">
        <Textarea
          value={body}
          onChange={(event) => edit(setBody)(event.target.value)}
          rows={6}
          mono
          spellCheck={false}
          placeholder='{"event":"…"}'
        />
      </Field>
      <div>
        <Button type="submit" variant="primary" disabled={secret === "" || headers === "" || body === ""}>
          Verify
        </Button>
      </div>
      <div role="status" id={resultId}>
        {result && <Result result={result} />}
      </div>
    </form>
  );
}

function Result({ result }: { result: Verification }) {
  const valid = result.mistake === null;
  return (
    <div
      className={`flex items-start gap-2 rounded-panel border px-3 py-2 text-table ${valid ? "border-online" : "border-error"}`}
    >
      {valid ? (
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-online" />
      ) : (
        <CircleX aria-hidden className="mt-0.5 size-4 shrink-0 text-error" />
      )}
      <div className="min-w-0">
        <p className={`font-medium ${valid ? "text-online-text" : "text-error-text"}`}>{result.title}</p>
        <p className="text-muted">{result.text}</p>
        <ul aria-label="What was compared" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-meta">
          {Object.entries(parts).map(([part, label]) => (
            <li key={part} className={result.mistake === part ? "font-medium text-error-text" : "text-subtle"}>
              {result.mistake === part ? "✕" : valid ? "✓" : "·"} {label}
              {result.mistake === part && <span className="sr-only"> differs</span>}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
