-- CreateTable
CREATE TABLE "item_counts" (
    "id" BIGSERIAL NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "labelled" BOOLEAN NOT NULL,
    "count" BIGINT NOT NULL,
    "folded" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "item_counts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "item_counts_dataset_id_idx" ON "item_counts"("dataset_id");

-- CreateIndex
CREATE INDEX "item_counts_fresh_idx" ON "item_counts"("id") WHERE (NOT folded);

-- Keeps the counts of items, whichever version changes them: each change adds rows of its own, so that none waits for another.
CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO item_counts (dataset_id, status, labelled, count)
    SELECT dataset_id, status, labelled, sum(change)
    FROM (SELECT dataset_id, status, annotation_count > 0 AS labelled, 1 AS change FROM made
      UNION ALL SELECT dataset_id, status, annotation_count > 0, -1 FROM gone) c
    GROUP BY 1, 2, 3 HAVING sum(change) <> 0;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO item_counts (dataset_id, status, labelled, count)
    SELECT dataset_id, status, annotation_count > 0, count(*) FROM made GROUP BY 1, 2, 3;
  ELSE
    -- Not of items that go with their dataset, which is deleted before them, and its counts with it.
    INSERT INTO item_counts (dataset_id, status, labelled, count)
    SELECT dataset_id, status, annotation_count > 0, -count(*) FROM gone
    WHERE EXISTS (SELECT FROM datasets d WHERE d.uid = gone.dataset_id) GROUP BY 1, 2, 3;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER count_made_items AFTER INSERT ON items REFERENCING NEW TABLE AS made
FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER count_changed_items AFTER UPDATE ON items REFERENCING OLD TABLE AS gone NEW TABLE AS made
FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE TRIGGER count_deleted_items AFTER DELETE ON items REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION count_items();

CREATE FUNCTION forget_item_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM item_counts c USING gone WHERE c.dataset_id = gone.uid;
  RETURN NULL;
END
$$;

CREATE TRIGGER forget_item_counts AFTER DELETE ON datasets REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION forget_item_counts();
