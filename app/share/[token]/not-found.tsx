import { Standalone } from "@/components/shell/standalone";

/** The same for every link that leads nowhere, so that it says nothing about what was shared. */
export default function NoSuchShare() {
  return (
    <Standalone
      title="This link no longer works"
      description="It has expired, was revoked, or is not complete. Ask whoever sent it to you for a new one."
    >
      {null}
    </Standalone>
  );
}
