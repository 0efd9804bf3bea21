"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ImageUp, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { OrganizationLogo } from "@/components/organizations/organization-logo";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { ownLogoPath } from "@/domain/organizations/logo";
import { pngOfFile, pngOfPath } from "./logo-picture";
import type { Organization } from "./use-saved";

/** The organization's logo: any picture that the browser can draw, made small here and stored as a PNG. */
export function LogoField({ organization, reason }: { organization: Organization; reason: string | undefined }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const picker = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | undefined>();
  const path = ownLogoPath(organization.logo_url);

  const write = async (png: string | null) => {
    await client.organizations.setLogo.mutate({ png });
    await queryClient.invalidateQueries(trpc.organizations.pathFilter());
  };
  const change = async (read: () => Promise<string | null>) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const png = await read();
      const before = path === null ? null : await pngOfPath(path);
      await write(png);
      toast.undo(png === null ? "Logo removed" : "Logo saved", () => {
        write(before).then(
          () => toast.success("Logo is as before"),
          (failure: unknown) => toast.failure(failure, { title: "Logo was not changed back" }),
        );
      });
    } catch (failure) {
      if (failure instanceof DOMException) setError("This browser cannot draw that file as a picture.");
      else toast.failure(failure, { title: "Logo was not saved" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Field label="Logo" group hint="Shown beside the name. Any picture; it is made small." error={error}>
      <div className="flex items-center gap-3">
        <span className="flex size-12 shrink-0 items-center justify-center rounded-panel border bg-background">
          {path === null ? (
            <span aria-hidden className="text-section font-semibold text-subtle">
              {[...organization.name.trim()][0]?.toUpperCase()}
            </span>
          ) : (
            <OrganizationLogo path={path} size={40} />
          )}
        </span>
        <input
          ref={picker}
          type="file"
          accept="image/*"
          hidden
          aria-label="Picture of the logo"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = "";
            if (file) void change(() => pngOfFile(file));
          }}
        />
        <Button
          icon={<ImageUp aria-hidden />}
          busy={busy}
          disabledReason={reason}
          onClick={() => picker.current?.click()}
        >
          {path === null ? "Upload" : "Replace"}
        </Button>
        {path !== null && (
          <Button
            variant="ghost"
            icon={<Trash2 aria-hidden />}
            disabledReason={reason}
            onClick={() => void change(() => Promise.resolve(null))}
          >
            Remove
          </Button>
        )}
      </div>
    </Field>
  );
}
