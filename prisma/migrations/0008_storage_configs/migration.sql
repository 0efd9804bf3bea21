-- CreateTable
CREATE TABLE "storage_configs" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "bucket" TEXT NOT NULL,
    "prefix" TEXT,
    "region" TEXT,
    "endpoint_url" TEXT,
    "accelerated" BOOLEAN NOT NULL DEFAULT false,
    "credentials_sealed" TEXT NOT NULL,
    "is_verified" BOOLEAN NOT NULL DEFAULT false,
    "last_verified_at" TIMESTAMPTZ(3),
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "storage_configs_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "storage_configs_organization_id_uid_idx" ON "storage_configs"("organization_id", "uid");

-- AddForeignKey
ALTER TABLE "storage_configs" ADD CONSTRAINT "storage_configs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
