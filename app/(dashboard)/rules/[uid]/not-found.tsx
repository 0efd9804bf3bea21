import { ButtonLink } from "@/components/kit/button";
import { PageBody, PageHeader } from "@/components/kit/page-header";

export default function RuleNotFound() {
  return (
    <>
      <PageHeader title="Rule not found" trail={[{ label: "Rules", href: "/rules" }]} />
      <PageBody narrow>
        <div>
          <p className="text-body text-muted">
            No rule of this organization has this uid. It was deleted, or it belongs to another organization; you can
            switch to that one at the top left.
          </p>
          <ButtonLink href="/rules" variant="primary" className="mt-4">
            Go to rules
          </ButtonLink>
        </div>
      </PageBody>
    </>
  );
}
