-- AlterTable
ALTER TABLE "agents" ADD COLUMN     "demo" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "demo" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "demo" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "alerts_demo_idx" ON "alerts"("organization_id", "uid") WHERE (demo);

-- CreateIndex
CREATE INDEX "devices_demo_idx" ON "devices"("organization_id", "uid") WHERE (demo);

-- CreateIndex
CREATE INDEX "recordings_demo_idx" ON "recordings"("organization_id", "uid") WHERE (demo);
