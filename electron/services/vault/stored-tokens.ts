import { z } from 'zod'
import { readJsonFile, writeAtomic, type JsonFileOutcome } from '../files/atomic-file.ts'
import { isObject } from '../../../shared/json/object.ts'

/** One stored token. Members of a newer version are written back. */
export const vaultEntrySchema = z.looseObject({
  backend: z.string(),
  /** The encrypted text as base64. */
  ciphertext: z.string(),
  boundTo: z.string(),
})
export type VaultEntry = z.infer<typeof vaultEntrySchema>

/** Entries by profile id. `unknownEntries` could not be parsed and are written back unchanged. */
interface StoredTokens {
  readonly entries: ReadonlyMap<string, VaultEntry>
  readonly unknownEntries: ReadonlyMap<string, unknown>
}

export function readTokens(file: string): StoredTokens & { outcome: JsonFileOutcome } {
  const { value, outcome } = readJsonFile(file, (content) => isObject(content) && isObject(content['tokens']))
  const entries = new Map<string, VaultEntry>()
  const unknownEntries = new Map<string, unknown>()
  for (const [id, entry] of Object.entries(isObject(value) ? (value['tokens'] as Record<string, unknown>) : {})) {
    const parsed = vaultEntrySchema.safeParse(entry)
    if (parsed.success) entries.set(id, parsed.data)
    else unknownEntries.set(id, entry)
  }
  return { entries, unknownEntries, outcome }
}

/** The backup gets the same text, so that a forgotten token cannot come back from it. */
export function writeTokens(file: string, { entries, unknownEntries }: StoredTokens): void {
  const tokens = Object.fromEntries([...unknownEntries, ...entries])
  writeAtomic(file, `${JSON.stringify({ tokens }, null, 2)}\n`, { backup: 'same' })
}
