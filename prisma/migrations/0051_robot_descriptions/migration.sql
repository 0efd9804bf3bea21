-- CreateTable
CREATE TABLE "robot_descriptions" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_type" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'uploading',
    "storage_key" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "etag" TEXT,
    "name" TEXT NOT NULL DEFAULT '',
    "links" INTEGER NOT NULL DEFAULT 0,
    "joints" INTEGER NOT NULL DEFAULT 0,
    "files" JSONB NOT NULL DEFAULT '[]',
    "missing" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_by_id" TEXT,
    "created_by_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "robot_descriptions_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE UNIQUE INDEX "robot_descriptions_storage_key_key" ON "robot_descriptions"("storage_key");

-- CreateIndex
CREATE INDEX "robot_descriptions_organization_id_size_bytes_idx" ON "robot_descriptions"("organization_id", "size_bytes");

-- CreateIndex
CREATE INDEX "robot_descriptions_open_idx" ON "robot_descriptions"("created_at") WHERE (status <> 'ready');

-- CreateIndex
CREATE UNIQUE INDEX "robot_descriptions_ready_key" ON "robot_descriptions"("organization_id", "device_type") WHERE (status = 'ready');

-- AddForeignKey
ALTER TABLE "robot_descriptions" ADD CONSTRAINT "robot_descriptions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
