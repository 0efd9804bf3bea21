-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "deletes_at" TIMESTAMPTZ(3),
ADD COLUMN     "freed" JSONB NOT NULL DEFAULT '{}';

-- CreateIndex
CREATE INDEX "organizations_deletes_at_idx" ON "organizations"("deletes_at") WHERE (deletes_at IS NOT NULL);
