"use client";

import { useState } from "react";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { useOrigin } from "@/components/product/origin";
import { SecretOnce } from "@/components/product/secret-once";
import { toast } from "@/components/product/toast";
import { useTRPCClient } from "@/components/trpc/client";
import { envFile } from "./commands";
import type { Device } from "./query";

export interface RotateTokenDialogProps {
  device: Pick<Device, "uid" | "name">;
  open: boolean;
  onClose: () => void;
}

/** Requires confirmation, because the old token stops working immediately; then shows the new one once. */
export function RotateTokenDialog({ device, open, onClose }: RotateTokenDialogProps) {
  const client = useTRPCClient();
  const origin = useOrigin();
  const [token, setToken] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const rotate = async () => {
    setBusy(true);
    try {
      setToken((await client.devices.rotateToken.mutate({ uid: device.uid })).device_token);
    } catch (error) {
      toast.failure(error, { title: "The token was not rotated" });
    } finally {
      setBusy(false);
    }
  };
  const done = () => {
    onClose();
    setToken(null);
  };

  const confirming = token === null;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      locked={!confirming}
      size={confirming ? "sm" : "md"}
      title={confirming ? `Rotate the token of ${device.name}?` : `New token of ${device.name}`}
      description={
        confirming
          ? "The current token stops working immediately. Until the device has the new one, it can neither report nor upload."
          : "The old token has stopped working."
      }
      footer={
        confirming && <DialogActions action="Rotate token" danger busy={busy} onAction={rotate} onCancel={onClose} />
      }
    >
      {!confirming && (
        <SecretOnce
          label="Device token"
          secret={token}
          file={envFile({ origin, token, name: device.name })}
          onStored={done}
        />
      )}
    </Dialog>
  );
}
