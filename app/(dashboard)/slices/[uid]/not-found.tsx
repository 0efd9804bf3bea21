import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";

export default function SliceNotFound() {
  return (
    <>
      <PageHeader title="Slice not found" trail={[{ label: "Slices", href: "/slices" }]} />
      <PageBody narrow>
        <div>
          <p className="text-body text-muted">
            No slice of this organization has this uid. It was deleted, or it belongs to another organization; you can
            switch to that one at the top left.
          </p>
          <ButtonLink href="/slices" variant="primary" className="mt-4">
            Go to slices
          </ButtonLink>
        </div>
      </PageBody>
    </>
  );
}
