import type { Database } from '../../journal/database.ts'
import { foldText } from '../../../../shared/format/text-folding.ts'
import { getSchemaVersion } from '../../journal/schema.ts'

/** Steps from each version to the next. Released ones must not change; see the journal's schema. */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE exchanges (
     seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, attempt INTEGER NOT NULL,
     started_at REAL NOT NULL, duration_ms REAL, timing TEXT NOT NULL,
     method TEXT NOT NULL, path TEXT NOT NULL, endpoint TEXT, template TEXT NOT NULL, search TEXT NOT NULL,
     origin TEXT NOT NULL, label TEXT, state TEXT NOT NULL, status INTEGER, code TEXT,
     epoch INTEGER NOT NULL, instance TEXT, host TEXT NOT NULL,
     request_bytes INTEGER NOT NULL, wire_bytes INTEGER, bytes INTEGER NOT NULL, media_type TEXT NOT NULL,
     pinned INTEGER NOT NULL DEFAULT 0, rule TEXT
   ) STRICT;
   CREATE INDEX exchanges_by_group ON exchanges(grp);
   CREATE INDEX exchanges_by_time ON exchanges(started_at, origin);
   CREATE TABLE details (
     seq INTEGER PRIMARY KEY REFERENCES exchanges(seq) ON DELETE CASCADE,
     request_headers TEXT NOT NULL, response_headers TEXT NOT NULL, error TEXT, masked INTEGER NOT NULL, alike TEXT NOT NULL,
     request TEXT NOT NULL, request_body INTEGER, response TEXT NOT NULL, response_body INTEGER
   ) STRICT;
   CREATE INDEX details_alike ON details(alike);
   CREATE INDEX details_request ON details(request_body) WHERE request_body IS NOT NULL;
   CREATE INDEX details_response ON details(response_body) WHERE response_body IS NOT NULL;
   CREATE TABLE bodies (
     id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, parts INTEGER NOT NULL,
     unread INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX bodies_unread ON bodies(id) WHERE unread > 0;
   CREATE TABLE parts (
     body INTEGER NOT NULL REFERENCES bodies(id) ON DELETE CASCADE, place INTEGER NOT NULL,
     coding INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (body, place)
   ) STRICT;
   CREATE TABLE chunks (id INTEGER PRIMARY KEY AUTOINCREMENT, body INTEGER NOT NULL, part INTEGER NOT NULL) STRICT;
   CREATE INDEX chunks_by_body ON chunks(body);
   CREATE VIRTUAL TABLE texts USING fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram');
   CREATE VIRTUAL TABLE terms USING fts5vocab('texts', 'row');
   CREATE TABLE under_way (id TEXT PRIMARY KEY, entry TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE findings (
     id TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL REFERENCES exchanges(seq) ON DELETE CASCADE, finding TEXT NOT NULL
   ) STRICT;
   CREATE INDEX findings_by_seq ON findings(seq);`,
  // With this index, a list sorted by time can begin without sorting, and can be filtered by text
  // and counted over time without reading the table.
  `DROP INDEX exchanges_by_time;
   CREATE INDEX exchanges_by_time ON exchanges(started_at, seq, origin, attempt, state, status, code, search);
   CREATE INDEX exchanges_retries ON exchanges(grp) WHERE attempt > 1;`,
  // The clock may be set back, so runs are numbered, and time is monotonic.
  `ALTER TABLE exchanges ADD COLUMN caller TEXT;
   ALTER TABLE exchanges ADD COLUMN load INTEGER;
   ALTER TABLE exchanges ADD COLUMN run INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE exchanges ADD COLUMN ordered_at REAL NOT NULL DEFAULT 0;
   UPDATE exchanges SET ordered_at = started_at;
   DROP INDEX exchanges_by_time;
   CREATE INDEX exchanges_by_time
     ON exchanges(ordered_at, seq, run, started_at, origin, attempt, state, status, code, search);
   CREATE TABLE marks (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  // Deviations outlive their exchanges, because they tell since when a host deviates.
  `CREATE TABLE deviations (id TEXT PRIMARY KEY, deviation TEXT NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE deviation_mutes (id TEXT PRIMARY KEY, reason TEXT NOT NULL, muted_at REAL NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE contract_facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE learned_shapes (
     method TEXT NOT NULL, template TEXT NOT NULL, outcome TEXT NOT NULL, host TEXT NOT NULL, version TEXT NOT NULL,
     day TEXT NOT NULL, endpoint TEXT, hashes TEXT NOT NULL, shape TEXT NOT NULL,
     PRIMARY KEY (method, template, outcome, host, version, day)
   ) STRICT;`,
  'ALTER TABLE details ADD COLUMN initiator TEXT;',
  // Earlier versions indexed texts in lower case only, and read every charset as UTF-8.
  `UPDATE exchanges SET search = fold_text(search) WHERE search GLOB '*[^ -~]*';
   UPDATE bodies SET unread = parts WHERE id IN (SELECT body FROM chunks);
   DELETE FROM chunks;
   INSERT INTO texts(texts) VALUES ('delete-all');`,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** Runs each step in a transaction; adds `fold_text` to SQL. Throws SQLite's errors. */
export function migrateTraffic(database: Database, migrations: readonly string[] = MIGRATIONS): void {
  database.function('fold_text', { deterministic: true }, (text) => foldText(String(text)))
  for (let version = getSchemaVersion(database); version < migrations.length; version += 1) {
    database.exec('BEGIN IMMEDIATE')
    try {
      database.exec(migrations[version] ?? '')
      database.exec(`PRAGMA user_version = ${version + 1}`)
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
}
