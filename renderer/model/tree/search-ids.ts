import { sparseText, type SparseTexts } from './sparse-texts.ts'
import { packUuidText, UUID_WORDS } from './uuid.ts'

const LOWEST = '00000000-0000-0000-0000-000000000000'
const HIGHEST = 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF'

/** Tests whether the UUID at `words[at]` begins with a text; null if none can. */
export function beginsWith(text: string): ((words: Uint32Array, at: number) => boolean) | null {
  const low = new Uint32Array(UUID_WORDS)
  const high = new Uint32Array(UUID_WORDS)
  const can =
    packUuidText(text + LOWEST.slice(text.length), low, 0) && packUuidText(text + HIGHEST.slice(text.length), high, 0)
  if (!can) return null
  return (words, at) => {
    for (let n = 0; n < UUID_WORDS; n += 1) {
      const word = words[at + n] ?? 0
      if (word < (low[n] ?? 0) || word > (high[n] ?? 0)) return false
    }
    return true
  }
}

/** The rows of texts that begin with one of the given. */
export function* rowsBeginning(texts: SparseTexts, needles: readonly string[]): Generator<number> {
  for (const row of texts.at) {
    const text = sparseText(texts, row) ?? ''
    if (needles.some((needle) => text.startsWith(needle))) yield row
  }
}
