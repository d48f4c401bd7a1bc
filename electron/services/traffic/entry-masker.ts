import { createHash } from 'node:crypto'
import type { WireError } from '../../../shared/errors.ts'
import type { Header, StoredBody } from '../../../shared/traffic/exchange.ts'
import { truncateValue } from '../value-budget.ts'
import { MASK_TEXT, TokenMask } from '../mask/mask.ts'
import type { PendingRow, RawBody, RawEntry } from './entry.ts'

/** A body without a token. */
export interface MaskedBody {
  readonly kept: StoredBody
  readonly bytes: Uint8Array<ArrayBuffer> | null
}

/** An exchange without a token, as it is kept. */
export interface MaskedEntry {
  readonly row: PendingRow
  readonly requestHeaders: readonly Header[]
  readonly responseHeaders: readonly Header[]
  readonly error: WireError | null
  readonly maskedCount: number
}

const budget = { maxValues: 20_000, maxChars: 1024 * 1024, maxDepth: 200 }
/** Sets of tokens differ only when a profile is added or its token changes. */
const MAX_MASKS = 8

/** Removes every known token from what is kept. */
export class EntryMasker {
  #tokens: readonly string[] = []
  readonly #masks = new Map<string | null, TokenMask>()

  /** All tokens of all profiles, as far as they are known. */
  addTokens(tokens: readonly string[]): void {
    this.#tokens = tokens
    this.#masks.clear()
  }

  maskEntry(raw: RawEntry): MaskedEntry {
    const mask = this.#maskFor(raw.token)
    let masked = 0
    const clean = (one: string): string => {
      const concealed = mask.conceal(one)
      if (concealed !== one) masked += concealed.split(MASK_TEXT).length - one.split(MASK_TEXT).length
      return concealed
    }
    const headers = (list: readonly Header[]): Header[] => list.map(([name, value]) => [clean(name), clean(value)])
    const maskedRow = this.#row(raw.row, clean)
    const requestHeaders = headers(raw.requestHeaders)
    const responseHeaders = headers(raw.responseHeaders)
    const error = raw.error && (truncateValue(raw.error, budget, clean) as WireError)
    return { row: maskedRow, requestHeaders, responseHeaders, error, maskedCount: masked }
  }

  /** A text without any known token. */
  conceal(text: string): string {
    return this.#maskFor(null).conceal(text)
  }

  /** A row of an exchange that is under way. */
  maskRow(row: PendingRow, token: string | null): PendingRow {
    const mask = this.#maskFor(token)
    return this.#row(row, (one) => mask.conceal(one))
  }

  #row(row: PendingRow, clean: (text: string) => string): PendingRow {
    const { path, template, errorCode, mediaType, host, instance, origin } = row
    return {
      ...row,
      path: clean(path),
      template: clean(template),
      errorCode: errorCode && clean(errorCode),
      mediaType: clean(mediaType),
      host: clean(host),
      instance: instance && clean(instance),
      // Its other members are ours.
      origin: { ...origin, label: origin.label && clean(origin.label) },
    }
  }

  /** Masks the bytes in place. `masked` counts what was found. */
  maskBody(raw: RawBody, token: string | null): MaskedBody & { readonly masked: number } {
    const mask = this.#maskFor(token)
    const mediaType = mask.conceal(raw.mediaType)
    const { total, missing, isJson: json } = raw
    if (raw.bytes === null) return { kept: { total, kept: 0, missing, hash: null, mediaType }, bytes: null, masked: 0 }
    const { bytes } = raw
    const masked = mask.maskInPlace(bytes, json)
    const hash = createHash('sha256').update(bytes).digest('hex')
    return { kept: { total, kept: bytes.byteLength, missing, hash, mediaType }, bytes, masked }
  }

  /** What is said of a body that is not saved (yet). */
  describeUnsavedBody({ total, missing, mediaType }: RawBody, token: string | null): StoredBody {
    return { total, kept: 0, missing, hash: null, mediaType: this.#maskFor(token).conceal(mediaType) }
  }

  #maskFor(token: string | null): TokenMask {
    const known = this.#masks.get(token)
    if (known) return known
    const tokens = [...new Set([...this.#tokens, ...(token === null ? [] : [token])])]
    const mask = TokenMask.forTokens(tokens)
    if (this.#masks.size >= MAX_MASKS) this.#masks.clear()
    this.#masks.set(token, mask)
    return mask
  }
}
