import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";

export default function RecordingNotFound() {
  return (
    <>
      <PageHeader title="Recording not found" trail={[{ label: "Recordings", href: "/recordings" }]} />
      <PageBody narrow>
        <div>
          <p className="text-body text-muted">
            No recording of this organization has this uid. It was deleted, or it belongs to another organization; you
            can switch to that one at the top left.
          </p>
          <ButtonLink href="/recordings" variant="primary" className="mt-4">
            Go to recordings
          </ButtonLink>
        </div>
      </PageBody>
    </>
  );
}
