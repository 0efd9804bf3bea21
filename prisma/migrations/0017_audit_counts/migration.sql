-- AlterTable
ALTER TABLE "audit_entries" ADD COLUMN     "count" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "audit_windows" (
    "key" TEXT NOT NULL,
    "entry_uid" TEXT NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_windows_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "audit_windows_ends_at_idx" ON "audit_windows"("ends_at");
