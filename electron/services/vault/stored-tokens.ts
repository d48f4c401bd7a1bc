import { z } from 'zod'
import { readJsonFile, writeAtomic, type JsonFileOutcome } from '../files/atomic-file.ts'
import { isObject } from '../../../shared/json/object.ts'

/** One token as it is stored on disk. Members that a newer version added are kept. */
const entrySchema = z.looseObject({
  backend: z.string(),
  /** base64 */
  ciphertext: z.string(),
  boundTo: z.string(),
})
export type VaultEntry = z.infer<typeof entrySchema>

/** Entries by profile id; `unknownEntries` holds those that we do not understand, which are written back unchanged. */
interface StoredTokens {
  readonly entries: ReadonlyMap<string, VaultEntry>
  readonly unknownEntries: ReadonlyMap<string, unknown>
}

export function readTokens(file: string): StoredTokens & { outcome: JsonFileOutcome } {
  const { value, outcome } = readJsonFile(file, (read) => isObject(read) && isObject(read['tokens']))
  const entries = new Map<string, VaultEntry>()
  const unread = new Map<string, unknown>()
  for (const [id, entry] of Object.entries(isObject(value) ? (value['tokens'] as Record<string, unknown>) : {})) {
    const parsed = entrySchema.safeParse(entry)
    if (parsed.success) entries.set(id, parsed.data)
    else unread.set(id, entry)
  }
  return { entries, unknownEntries: unread, outcome }
}

/** The backup is the same text, so that a forgotten token cannot come back from it. */
export function writeTokens(file: string, { entries, unknownEntries: unread }: StoredTokens): void {
  const tokens = Object.fromEntries([...unread, ...entries])
  writeAtomic(file, `${JSON.stringify({ tokens }, null, 2)}\n`, { backup: 'same' })
}
