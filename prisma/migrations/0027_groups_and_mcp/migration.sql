-- AlterTable
ALTER TABLE "device_groups" ADD COLUMN     "ancestors" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "parent_id" TEXT;

-- CreateIndex
CREATE INDEX "device_groups_organization_id_parent_id_name_uid_idx" ON "device_groups"("organization_id", "parent_id", "name", "uid");

-- CreateTable
CREATE TABLE "mcp_calls" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" TEXT NOT NULL,
    "actor_name" TEXT NOT NULL,
    "user_id" TEXT,
    "tool" TEXT NOT NULL,
    "ms" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "detail" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mcp_calls_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "mcp_calls_organization_id_uid_idx" ON "mcp_calls"("organization_id", "uid");

-- AddForeignKey
ALTER TABLE "mcp_calls" ADD CONSTRAINT "mcp_calls_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
