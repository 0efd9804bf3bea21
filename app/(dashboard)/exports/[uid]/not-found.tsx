import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";

export default function ExportNotFound() {
  return (
    <>
      <PageHeader title="Export not found" trail={[{ label: "Exports", href: "/exports" }]} />
      <PageBody narrow>
        <div>
          <p className="text-body text-muted">
            No export of this organization has this uid. It was deleted, or it belongs to another organization; you can
            switch to that one at the top left.
          </p>
          <ButtonLink href="/exports" variant="primary" className="mt-4">
            Go to exports
          </ButtonLink>
        </div>
      </PageBody>
    </>
  );
}
