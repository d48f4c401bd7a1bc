import { z } from 'zod'
import { isObject, readJson, writeAtomic, type ReadOutcome } from '../files/atomic.ts'

/** One token as it lies on disk. Members that a newer version added are kept. */
const entrySchema = z.looseObject({
  backend: z.string(),
  /** base64 */
  ciphertext: z.string(),
  boundTo: z.string(),
})
export type Entry = z.infer<typeof entrySchema>

/** Entries by profile id; `unread` are those that say nothing to us and are written back as they were. */
export interface StoredTokens {
  readonly entries: ReadonlyMap<string, Entry>
  readonly unread: ReadonlyMap<string, unknown>
}

export function readTokens(file: string): StoredTokens & { outcome: ReadOutcome } {
  const { value, outcome } = readJson(file, (read) => isObject(read) && isObject(read['tokens']))
  const entries = new Map<string, Entry>()
  const unread = new Map<string, unknown>()
  for (const [id, entry] of Object.entries(isObject(value) ? (value['tokens'] as Record<string, unknown>) : {})) {
    const parsed = entrySchema.safeParse(entry)
    if (parsed.success) entries.set(id, parsed.data)
    else unread.set(id, entry)
  }
  return { entries, unread, outcome }
}

/** The backup is the same text: a token that was forgotten must not come back from it. */
export function writeTokens(file: string, { entries, unread }: StoredTokens): void {
  const tokens = Object.fromEntries([...unread, ...entries])
  writeAtomic(file, `${JSON.stringify({ tokens }, null, 2)}\n`, { backup: 'same' })
}
